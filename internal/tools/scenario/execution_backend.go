package scenario

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// lobby sends a request about a lobby as the app's backend.
func (x *execution) lobby(ctx context.Context, l *Lobby) (answer, error) {
	token, path := "Bot "+x.service.botTokens[x.service.app.ID], "/lobbies/"+l.ID
	switch {
	case l.Create.IsSet():
		return x.send(ctx, token, http.MethodPost, "/lobbies", l.Create)
	case l.Edit.IsSet():
		return x.send(ctx, token, http.MethodPatch, path, l.Edit)
	case l.End:
		return x.send(ctx, token, http.MethodDelete, path, nil)
	case l.Add != "":
		user, err := x.service.user(l.Add)
		if err != nil {
			return answer{}, err
		}
		return x.send(ctx, token, http.MethodPut, path+"/members/"+user.ID.String(), object{})
	case l.Remove != "":
		user, err := x.service.user(l.Remove)
		if err != nil {
			return answer{}, err
		}
		return x.send(ctx, token, http.MethodDelete, path+"/members/"+user.ID.String(), nil)
	}
	return x.send(ctx, token, http.MethodGet, path, nil)
}

// call sends a request.
func (x *execution) call(ctx context.Context, c *Call) (answer, error) {
	var token string
	switch by := cmp.Or(c.By, "bot"); by {
	case "bot":
		token = "Bot " + x.service.botTokens[x.service.app.ID]
	case "anonymous":
	default:
		user, err := x.service.user(by)
		if err != nil {
			return answer{}, err
		}
		token = x.service.userTokens[user.ID]
	}
	var body any
	if c.Body.IsSet() {
		body = c.Body
	}
	return x.send(ctx, token, cmp.Or(c.Method, http.MethodGet), c.Path, body)
}

// permissions replaces the permission entries of a command as the current user.
func (x *execution) permissions(ctx context.Context, wanted *Permissions) (answer, error) {
	guild := x.guild()
	if guild == 0 {
		return answer{}, errors.New("the channel is not in a guild")
	}
	id, err := x.commandID(ctx, guild, strings.TrimPrefix(wanted.Command, "/"))
	if err != nil {
		return answer{}, err
	}
	entries := []any{}
	for _, list := range []struct {
		names []string
		allow bool
	}{{wanted.Allow, true}, {wanted.Deny, false}} {
		for _, name := range list.names {
			entry, err := x.entry(guild, name)
			if err != nil {
				return answer{}, err
			}
			entry["permission"] = list.allow
			entries = append(entries, entry)
		}
	}
	user, err := x.service.user(x.as)
	if err != nil {
		return answer{}, err
	}
	token, err := x.service.client("").Dev().MintToken(ctx, x.service.app.ID, user.ID, "applications.commands.permissions.update")
	if err != nil {
		return answer{}, err
	}
	path := "/applications/" + x.service.app.ID.String() + "/guilds/" + guild.String() + "/commands/" + id.String() + "/permissions"
	return x.send(ctx, "Bearer "+token.AccessToken, http.MethodPut, path, object{"permissions": entries})
}

// guild returns the guild of the current channel, or 0.
func (x *execution) guild() snowflake.Guild {
	for _, g := range x.service.world.Guilds {
		for _, c := range g.Channels {
			if c.ID.String() == x.in {
				return g.ID
			}
		}
	}
	return 0
}

// commandID returns the id of a command of the app.
func (x *execution) commandID(ctx context.Context, guild snowflake.Guild, name string) (snowflake.Command, error) {
	var known []string
	for _, scope := range []command.Scope{{Application: x.service.app.ID, Guild: guild}, {Application: x.service.app.ID}} {
		list, err := x.service.bot().Commands(ctx, scope)
		if err != nil {
			return 0, err
		}
		for _, c := range list {
			if c.Name == name {
				return c.ID, nil
			}
			known = append(known, c.Name)
		}
	}
	return 0, errors.New(unknown("command", name, known))
}

// entry returns the permission entry of a user, a role or a channel.
func (x *execution) entry(guild snowflake.Guild, name string) (object, error) {
	switch name {
	case "@everyone":
		return object{"id": guild.String(), "type": 1}, nil
	case "#all":
		return object{"id": permission.AllChannels(guild).String(), "type": 3}, nil
	}
	for kind, number := range map[string]int{"role": 1, "user": 2, "channel": 3} {
		if strings.HasPrefix(name, "#") != (kind == "channel") {
			continue
		}
		if id, ok := x.vars[kind+"."+strings.TrimLeft(name, "@#")]; ok {
			return object{"id": id, "type": number}, nil
		}
	}
	return nil, errors.New(unknown("user, role or channel", name, slices.Concat(x.namesOf("user"), x.namesOf("role"), x.namesOf("channel"))))
}

// namesOf returns the names of the records of a kind.
func (x *execution) namesOf(kind string) []string {
	var names []string
	for key := range x.vars {
		if name, ok := strings.CutPrefix(key, kind+"."); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The code of an error that says that an interaction has an answer already.
const alreadyAnswered = `"code":40060`

// traffic counts the requests that the app began since the first step. The request that made the app ready can still be in
// progress then.
func (x *execution) traffic(ctx context.Context) (map[string]int, error) {
	list, err := x.service.client("").Dev().Requests(ctx, map[string][]string{"application": {x.service.app.ID.String()}, "limit": {"1000"}})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range list {
		if e := &list[i]; !e.Time.Before(x.since) {
			count(counts, e)
		}
	}
	return counts, nil
}

// count counts a request or a delivery.
func count(counts map[string]int, e *client.Exchange) {
	answers := strings.HasPrefix(e.Route, "/interactions/") || strings.HasPrefix(e.Route, "/webhooks/")
	switch e.Kind {
	case "delivery":
		if e.Error != "" && e.Status == http.StatusOK {
			counts["wrong_answers"]++
		}
	case "request":
		counts["requests"]++
		double := e.Response != nil && strings.Contains(e.Response.Body, alreadyAnswered)
		switch {
		case e.Status == http.StatusTooManyRequests:
			counts["rate_limited"]++
		case double:
			counts["double_answers"]++
		case answers && e.Status >= http.StatusBadRequest:
			counts["wrong_answers"]++
		}
	}
}
