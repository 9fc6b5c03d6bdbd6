package api

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) guildRoutes() []route {
	at := func(path, name, doc, answer string, handle func(*call) error, query ...parameter) route {
		return route{
			method: http.MethodGet, path: "/guilds/{guild_id}" + path, name: "guilds." + name, doc: doc, query: query,
			allow: accounts, group: ratelimit.Other, answer: map[int]string{200: answer}, handle: handle,
		}
	}
	return []route{
		at("", "get", "Read a guild with its roles.", "Guild", a.getGuild, withCounts),
		at("/channels", "channels", "List the channels of a guild without its threads: to a bot all, to a person those it sees.",
			"Channels", a.listChannels),
		at("/roles", "roles", "List the roles of a guild.", "Roles", a.listRoles),
		at("/roles/{role_id}", "role", "Read a role of a guild.", "Role", a.getRole),
		at("/members", "members", "List the members of a guild in the order of their ids.", "Members", a.listMembers,
			parameter{"limit", "integer", "How many at the most, 1 to 1000; 1 when it is left out."},
			parameter{"after", "string", "Only members with larger ids."}),
		at("/members/search", "members.search", "Find members by the beginning of a name.", "Members", a.searchMembers,
			parameter{"query", "string", "How the username, the display name or the nick begins."},
			parameter{"limit", "integer", "How many at the most, 1 to 1000; 1 when it is left out."}),
		at("/members/{user_id}", "member", "Read a member of a guild.", "Member", a.getMember),
	}
}

func (a *API) getGuild(c *call) error {
	stay, err := c.enterGuild()
	if err != nil {
		return err
	}
	q := c.query()
	counted := q.bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	counts, err := c.counts(stay.Place.ID, counted)
	if err != nil {
		return err
	}
	g, err := a.Directory.Guild(c.r.Context(), stay.Place.ID)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.GuildOf(g, counts))
}

func (a *API) listChannels(c *call) error {
	stay, err := c.enterGuild()
	if err != nil {
		return err
	}
	channels, err := a.Directory.Channels(c.r.Context(), stay.Place.ID)
	if err != nil {
		return err
	}
	list := []wire.Channel{}
	for _, ch := range channels {
		if !world.IsThread(ch.Type) && (c.visitor().Bot || stay.Sees(ch.ID)) {
			list = append(list, wire.ChannelOf(ch))
		}
	}
	return c.value(http.StatusOK, list)
}

func (a *API) listRoles(c *call) error {
	g, err := c.guild()
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.RolesOf(g.Roles))
}

func (a *API) getRole(c *call) error {
	id, err := pathID[snowflake.Role](c, "role_id")
	if err != nil {
		return err
	}
	g, err := c.guild()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Roles, func(r store.Role) bool { return r.ID == id })
	if i < 0 {
		return directory.ErrUnknownRole
	}
	return c.value(http.StatusOK, wire.RoleOf(g.Roles[i]))
}

// guild returns the guild of the path with its roles.
func (c *call) guild() (*directory.Guild, error) {
	stay, err := c.enterGuild()
	if err != nil {
		return nil, err
	}
	return c.api.Directory.Guild(c.r.Context(), stay.Place.ID)
}
