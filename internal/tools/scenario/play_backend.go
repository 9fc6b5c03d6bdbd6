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
func (p *play) lobby(ctx context.Context, l *Lobby) (answer, error) {
	token, path := "Bot "+p.service.bots[p.service.app.ID], "/lobbies/"+l.ID
	switch {
	case l.Create.IsSet():
		return p.send(ctx, token, http.MethodPost, "/lobbies", l.Create)
	case l.Edit.IsSet():
		return p.send(ctx, token, http.MethodPatch, path, l.Edit)
	case l.End:
		return p.send(ctx, token, http.MethodDelete, path, nil)
	case l.Add != "":
		user, err := p.service.user(l.Add)
		if err != nil {
			return answer{}, err
		}
		return p.send(ctx, token, http.MethodPut, path+"/members/"+user.ID.String(), object{})
	case l.Remove != "":
		user, err := p.service.user(l.Remove)
		if err != nil {
			return answer{}, err
		}
		return p.send(ctx, token, http.MethodDelete, path+"/members/"+user.ID.String(), nil)
	}
	return p.send(ctx, token, http.MethodGet, path, nil)
}

// call sends a request.
func (p *play) call(ctx context.Context, c *Call) (answer, error) {
	var token string
	switch by := cmp.Or(c.By, "bot"); by {
	case "bot":
		token = "Bot " + p.service.bots[p.service.app.ID]
	case "anonymous":
	default:
		user, err := p.service.user(by)
		if err != nil {
			return answer{}, err
		}
		token = p.service.people[user.ID]
	}
	var body any
	if c.Body.IsSet() {
		body = c.Body
	}
	return p.send(ctx, token, cmp.Or(c.Method, http.MethodGet), c.Path, body)
}

// permissions replaces the permission entries of a command as the current user.
func (p *play) permissions(ctx context.Context, wanted *Permissions) (answer, error) {
	guild := p.guild()
	if guild == 0 {
		return answer{}, errors.New("the channel is not in a guild")
	}
	id, err := p.commandID(ctx, guild, strings.TrimPrefix(wanted.Command, "/"))
	if err != nil {
		return answer{}, err
	}
	entries := []any{}
	for _, list := range []struct {
		names []string
		allow bool
	}{{wanted.Allow, true}, {wanted.Deny, false}} {
		for _, name := range list.names {
			entry, err := p.entry(guild, name)
			if err != nil {
				return answer{}, err
			}
			entry["permission"] = list.allow
			entries = append(entries, entry)
		}
	}
	user, err := p.service.user(p.as)
	if err != nil {
		return answer{}, err
	}
	token, err := p.service.client("").Dev().MintToken(ctx, p.service.app.ID, user.ID, "applications.commands.permissions.update")
	if err != nil {
		return answer{}, err
	}
	path := "/applications/" + p.service.app.ID.String() + "/guilds/" + guild.String() + "/commands/" + id.String() + "/permissions"
	return p.send(ctx, "Bearer "+token.AccessToken, http.MethodPut, path, object{"permissions": entries})
}

// guild returns the guild of the current channel, or 0.
func (p *play) guild() snowflake.Guild {
	for _, g := range p.service.world.Guilds {
		for _, c := range g.Channels {
			if c.ID.String() == p.in {
				return g.ID
			}
		}
	}
	return 0
}

// commandID returns the id of a command of the app.
func (p *play) commandID(ctx context.Context, guild snowflake.Guild, name string) (snowflake.Command, error) {
	var known []string
	for _, scope := range []command.Scope{{Application: p.service.app.ID, Guild: guild}, {Application: p.service.app.ID}} {
		list, err := p.service.bot().Commands(ctx, scope)
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
func (p *play) entry(guild snowflake.Guild, name string) (object, error) {
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
		if id, ok := p.vars[kind+"."+strings.TrimLeft(name, "@#")]; ok {
			return object{"id": id, "type": number}, nil
		}
	}
	return nil, errors.New(unknown("user, role or channel", name, slices.Concat(p.namesOf("user"), p.namesOf("role"), p.namesOf("channel"))))
}

// namesOf returns the names of the records of a kind.
func (p *play) namesOf(kind string) []string {
	var names []string
	for key := range p.vars {
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
func (p *play) traffic(ctx context.Context) (map[string]int, error) {
	list, err := p.service.client("").Dev().Requests(ctx, map[string][]string{"application": {p.service.app.ID.String()}, "limit": {"1000"}})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range list {
		if e := &list[i]; !e.Time.Before(p.since) {
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
