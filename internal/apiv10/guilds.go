package apiv10

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) guildRoutes() []httpapi.Route {
	at := func(path, name, doc, answer string, handle func(*httpapi.Call) error, query ...httpapi.Parameter) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodGet, Path: "/guilds/{guild_id}" + path, Name: "guilds." + name, Doc: doc, Query: query,
			Allow: httpapi.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: answer}, Handle: handle,
		}
	}
	return []httpapi.Route{
		at("", "get", "Read a guild with its roles.", "Guild", a.getGuild, withCounts),
		at("/channels", "channels", "List the channels of a guild without its threads: to a bot all, to a person those it sees.",
			"Channels", a.listChannels),
		at("/roles", "roles", "List the roles of a guild.", "Roles", a.listRoles),
		at("/roles/{role_id}", "role", "Read a role of a guild.", "Role", a.getRole),
		at("/members", "members", "List the members of a guild in the order of their ids.", "Members", a.listMembers,
			httpapi.Parameter{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 1000; 1 when it is left out."},
			httpapi.Parameter{Name: "after", Kind: "string", Doc: "Only members with larger ids."}),
		at("/members/search", "members.search", "Find members by the beginning of a name.", "Members", a.searchMembers,
			httpapi.Parameter{Name: "query", Kind: "string", Doc: "How the username, the display name or the nick begins."},
			httpapi.Parameter{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 1000; 1 when it is left out."}),
		at("/members/{user_id}", "member", "Read a member of a guild.", "Member", a.getMember),
	}
}

func (a *API) getGuild(c *httpapi.Call) error {
	stay, err := a.enterGuild(c)
	if err != nil {
		return err
	}
	q := c.Query()
	counted := q.Bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	counts, err := a.counts(c, stay.Place.ID, counted)
	if err != nil {
		return err
	}
	g, err := a.Directory.Guild(c.Context(), stay.Place.ID)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.GuildOf(g, counts))
}

func (a *API) listChannels(c *httpapi.Call) error {
	stay, err := a.enterGuild(c)
	if err != nil {
		return err
	}
	channels, err := a.Directory.Channels(c.Context(), stay.Place.ID)
	if err != nil {
		return err
	}
	list := []wire.Channel{}
	for _, ch := range channels {
		if !world.IsThread(ch.Type) && (visitorOf(c).Bot || stay.Sees(ch.ID)) {
			list = append(list, wire.ChannelOf(ch))
		}
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) listRoles(c *httpapi.Call) error {
	g, err := a.guild(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.RolesOf(g.Roles))
}

func (a *API) getRole(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Role](c, "role_id")
	if err != nil {
		return err
	}
	g, err := a.guild(c)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Roles, func(r store.Role) bool { return r.ID == id })
	if i < 0 {
		return directory.ErrUnknownRole
	}
	return c.Value(http.StatusOK, wire.RoleOf(g.Roles[i]))
}

// guild returns the guild of the path with its roles.
func (a *API) guild(c *httpapi.Call) (*directory.Guild, error) {
	stay, err := a.enterGuild(c)
	if err != nil {
		return nil, err
	}
	return a.Directory.Guild(c.Context(), stay.Place.ID)
}
