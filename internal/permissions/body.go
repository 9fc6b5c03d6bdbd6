package permissions

import (
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// caller is whom an index is for. Only a member of a guild has entries that speak of them.
type caller struct {
	guild snowflake.Guild
	user  snowflake.User
	roles []snowflake.Role // ascending
}

// speaks reports whether an entry is about the caller, or about a place.
func (c *caller) speaks(e permission.Entry) bool {
	switch e.Type {
	case permission.ForUser:
		return e.ID == snowflake.Target(c.user)
	case permission.ForRole:
		if e.ID == permission.Everyone(c.guild) {
			return true
		}
		_, carried := slices.BinarySearch(c.roles, snowflake.Role(e.ID))
		return carried
	default:
		return true
	}
}

// appendPermissions appends what the entries of a set mean for the caller.
func (c *caller) appendPermissions(dst []byte, set *permission.Set) []byte {
	dst = append(dst, '{')
	if e, ok := set.Lookup(permission.ForUser, snowflake.Target(c.user)); ok {
		dst = strconv.AppendBool(append(dst, `"user":`...), e.Allow)
	}
	entries := set.Entries()
	dst = c.appendEntries(dst, "roles", permission.ForRole, entries)
	dst = c.appendEntries(dst, "channels", permission.ForChannel, entries)
	return append(dst, '}')
}

// appendEntries appends the entries of one type that are about the caller, if there are any.
func (c *caller) appendEntries(dst []byte, key string, t permission.EntryType, entries []permission.Entry) []byte {
	open := false
	for _, e := range entries {
		if e.Type != t || !c.speaks(e) {
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

// comma appends one unless a list or an object has just begun.
func comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}

// appendApplication appends the application of an offer as an index shows it, up to where what is about the caller
// begins. The bot is nil where it is not shown.
func (o *offer) appendApplication(dst []byte, bot *directory.User) []byte {
	a, global := o.app, len(o.shelves[0].items) > 0
	dst = a.ID.Append(append(dst, `{"id":"`...))
	dst = appendText(append(dst, `","name":`...), a.Name)
	dst = appendText(append(dst, `,"description":`...), a.Description)
	dst = a.ID.Append(append(dst, `,"icon":null,"bot_id":"`...)) // a bot has its application's id
	dst = append(dst, `","flags":"`...)
	dst = strconv.AppendUint(dst, wire.ApplicationFlags(a, global), 10)
	dst = append(dst, '"')
	if bot != nil {
		if user, err := json.Marshal(wire.UserOf(bot)); err == nil { // of a flat struct there is nothing to fail
			dst = append(append(dst, `,"bot":`...), user...)
		}
	}
	if a.Activities {
		dst = append(dst, `,"embedded_activity_config":{"supported_platforms":["web"]}`...)
	}
	return append(dst, `,"permissions":`...)
}

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // what is not UTF-8 was refused when it came in
	return dst
}

// appendItem appends a command as an index shows it to the caller.
func (c *caller) appendItem(dst, piece []byte, set *permission.Set) []byte {
	if set == nil {
		return append(dst, piece...)
	}
	dst = append(dst, piece[:len(piece)-len(noPermissions)]...)
	return append(c.appendPermissions(dst, set), '}')
}

// pick is a command that is shown.
type pick struct {
	*offer

	shelf, at int
}

func (k pick) item() *item { return &k.shelves[k.shelf].items[k.at] }

// print returns an index with these commands, in their order, and their applications.
func (p *Picker) print(picks []pick, code locale.Code, who *caller, bot *directory.User) ([]byte, error) {
	dst := append(make([]byte, 0, 512*len(picks)+64), `{"applications":[`...)
	shown := make(map[*offer]bool, 8)
	for _, k := range picks {
		if shown[k.offer] {
			continue
		}
		shown[k.offer] = true
		dst = k.appendApplication(comma(dst), bot)
		dst = append(who.appendPermissions(dst, appSet(k.sets)), '}')
	}
	dst = append(dst, `],"application_commands":[`...)
	var newest snowflake.Version
	for _, k := range picks {
		sh := k.shelves[k.shelf]
		t, err := p.inLanguage(sh.scope, sh.stock, code)
		if err != nil {
			return nil, err
		}
		var set *permission.Set
		if k.sets != nil {
			set = k.sets.Of(k.item().ID)
		}
		dst = who.appendItem(comma(dst), t.piece(k.at), set)
		newest = max(newest, k.item().Version)
	}
	return appendVersion(dst, newest), nil
}

func (t *text) piece(i int) []byte { return t.blob[t.spans[i].from:t.spans[i].to] }

// appendVersion ends an index.
func appendVersion(dst []byte, v snowflake.Version) []byte {
	dst = v.Append(append(dst, `],"version":"`...))
	return append(dst, `"}`...)
}

func appSet(s *registry.Sets) *permission.Set {
	if s == nil {
		return nil
	}
	return s.App
}
