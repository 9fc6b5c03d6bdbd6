package permissions

import (
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// reader is the user that an index is rendered for. Outside of a guild it has no entries.
type reader struct {
	guild snowflake.Guild
	user  snowflake.User
	roles []snowflake.Role // ascending
}

// concerns reports whether an entry is shown to the reader: it is for the user, for one of the user's roles, or for a
// channel.
func (r *reader) concerns(e permission.Entry) bool {
	switch e.Type {
	case permission.ForUser:
		return e.ID == snowflake.Target(r.user)
	case permission.ForRole:
		if e.ID == permission.Everyone(r.guild) {
			return true
		}
		_, has := slices.BinarySearch(r.roles, snowflake.Role(e.ID))
		return has
	default:
		return true
	}
}

// appendPermissions appends the entries of a set that concern the reader, as an object.
func (r *reader) appendPermissions(dst []byte, set *permission.Set) []byte {
	dst = append(dst, '{')
	if e, ok := set.Lookup(permission.ForUser, snowflake.Target(r.user)); ok {
		dst = strconv.AppendBool(append(dst, `"user":`...), e.Allow)
	}
	entries := set.Entries()
	dst = r.appendEntries(dst, "roles", permission.ForRole, entries)
	dst = r.appendEntries(dst, "channels", permission.ForChannel, entries)
	return append(dst, '}')
}

// appendEntries appends the entries of one type that concern the reader. It appends nothing when there are none.
func (r *reader) appendEntries(dst []byte, key string, t permission.EntryType, entries []permission.Entry) []byte {
	open := false
	for _, e := range entries {
		if e.Type != t || !r.concerns(e) {
			continue
		}
		if !open {
			dst = append(append(append(comma(dst), '"'), key...), `":{`...)
			open = true
		}
		dst = e.ID.Append(append(comma(dst), '"'))
		dst = strconv.AppendBool(append(dst, `":`...), e.Allow)
	}
	if open {
		dst = append(dst, '}')
	}
	return dst
}

// comma appends a comma, except at the beginning of a list or object.
func comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}

// appendApplication appends the application as it appears in an index, up to the reader's permissions. Indexes without
// the bot pass nil.
func (a *appCommands) appendApplication(dst []byte, bot *store.User) []byte {
	app, global := a.app, len(a.scopes[0].items) > 0
	dst = app.ID.Append(append(dst, `{"id":"`...))
	dst = jsonbody.AppendString(append(dst, `","name":`...), app.Name)
	dst = jsonbody.AppendString(append(dst, `,"description":`...), app.Description)
	dst = append(dst, `,"icon":`...)
	if app.Icon == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsonbody.AppendString(dst, app.Icon)
	}
	dst = app.ID.Append(append(dst, `,"bot_id":"`...)) // a bot has the id of its application
	dst = append(dst, `","flags":"`...)
	dst = strconv.AppendUint(dst, convert.ApplicationFlags(app, global), 10)
	dst = append(dst, '"')
	if bot != nil {
		if user, err := json.Marshal(convert.WireUser(bot)); err == nil { // a flat struct: this cannot fail
			dst = append(append(dst, `,"bot":`...), user...)
		}
	}
	if app.Activities {
		dst = append(dst, `,"embedded_activity_config":{"supported_platforms":["web"]}`...)
	}
	return append(dst, `,"permissions":`...)
}

// appendItem appends a command as it appears in the reader's index.
func (r *reader) appendItem(dst, item []byte, set *permission.Set) []byte {
	if set == nil {
		return append(dst, item...)
	}
	dst = append(dst, item[:len(item)-len(noPermissions)]...)
	return append(r.appendPermissions(dst, set), '}')
}

// pick is a command that appears in an index: the item at index at of a scope of an application.
type pick struct {
	*appCommands

	scope, at int
}

func (k pick) item() *item { return &k.scopes[k.scope].items[k.at] }

// renderIndex returns an index with these commands, in this order, and their applications.
func (p *Picker) renderIndex(picks []pick, code locale.Code, r *reader, bot *store.User) ([]byte, error) {
	dst := append(make([]byte, 0, 512*len(picks)+64), `{"applications":[`...)
	done := make(map[*appCommands]bool, 8)
	for _, k := range picks {
		if done[k.appCommands] {
			continue
		}
		done[k.appCommands] = true
		dst = k.appendApplication(comma(dst), bot)
		var set *permission.Set
		if k.sets != nil {
			set = k.sets.App
		}
		dst = append(r.appendPermissions(dst, set), '}')
	}
	dst = append(dst, `],"application_commands":[`...)
	var newest snowflake.Version
	for _, k := range picks {
		t, err := p.rendering(k.scopes[k.scope], code)
		if err != nil {
			return nil, err
		}
		var set *permission.Set
		if k.sets != nil {
			set = k.sets.Of(k.item().ID)
		}
		dst = r.appendItem(comma(dst), t.item(k.at), set)
		newest = max(newest, k.item().Version)
	}
	return appendVersion(dst, newest), nil
}

// appendVersion appends the version and closes the index.
func appendVersion(dst []byte, v snowflake.Version) []byte {
	dst = v.Append(append(dst, `],"version":"`...))
	return append(dst, `"}`...)
}
