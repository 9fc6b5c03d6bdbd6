package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// withCounts is the parameter that adds counts to guilds.
var withCounts = parameter{"with_counts", "boolean", "Add about how many members there are."}

func (a *API) userRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/users/@me", name: "users.me", doc: "Read who the caller is.",
			allow: withIdentify, group: ratelimit.Other, answer: map[int]string{200: "Me"}, handle: a.getMe,
		},
		{
			method: http.MethodGet, path: "/users/{user_id}", name: "users.get", doc: "Read a person or a bot.",
			allow: accounts, group: ratelimit.Other, answer: map[int]string{200: "User"}, handle: a.getUser,
		},
		{
			method: http.MethodGet, path: "/users/@me/guilds", name: "users.guilds", doc: "List the guilds that the caller is in.",
			allow: withGuilds, group: ratelimit.Other, answer: map[int]string{200: "OwnGuilds"}, handle: a.listMyGuilds,
			query: []parameter{
				{"before", "string", "Only guilds with smaller ids; the last of them, unless after is given too."},
				{"after", "string", "Only guilds with larger ids."},
				{"limit", "integer", "How many at the most, 1 to 200; 200 when it is left out."},
				withCounts,
			},
		},
	}
}

func (a *API) getMe(c *call) error {
	u, err := a.Directory.User(c.r.Context(), c.visitor().User)
	if err != nil {
		return err
	}
	mail := c.principal.Kind != store.BearerToken || c.principal.HasScope(oauth.ScopeEmail)
	return c.value(http.StatusOK, wire.MeOf(u, mail))
}

func (a *API) getUser(c *call) error {
	id, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	u, err := a.Directory.User(c.r.Context(), id)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.UserOf(u))
}

// maxOwnGuilds is how many guilds one answer lists.
const maxOwnGuilds = 200

func (a *API) listMyGuilds(c *call) error {
	q := c.query()
	before, after := queryID[snowflake.Guild](q, "before"), queryID[snowflake.Guild](q, "after")
	limit, counted := q.limit(maxOwnGuilds, maxOwnGuilds), q.bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	who := c.visitor()
	stays, err := a.Directory.Stays(c.r.Context(), who, after, before, limit)
	if err != nil {
		return err
	}
	list := make([]wire.OwnGuild, len(stays))
	for i, s := range stays {
		counts, err := c.counts(s.Place.ID, counted)
		if err != nil {
			return err
		}
		list[i] = wire.OwnGuildOf(s.Place.Guild, who.User, s.Member.Permissions(), counts)
	}
	return c.value(http.StatusOK, list)
}

// counts returns the counts of a guild, nil when nobody wants to know.
func (c *call) counts(guild snowflake.Guild, wanted bool) (*wire.Counts, error) {
	if !wanted {
		return nil, nil
	}
	n, err := c.api.Directory.MemberCount(c.r.Context(), guild)
	return &wire.Counts{Members: n}, err
}

// enterGuild returns the caller in the guild of the path.
func (c *call) enterGuild() (directory.Stay, error) {
	id, err := pathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return directory.Stay{}, err
	}
	return c.api.Directory.Enter(c.r.Context(), id, c.visitor())
}
