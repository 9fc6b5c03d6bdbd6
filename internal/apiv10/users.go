package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// withCounts is the parameter that adds counts to guilds.
var withCounts = httpapi.Parameter{Name: "with_counts", Kind: "boolean", Doc: "Add about how many members there are."}

func (a *API) userRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/users/@me", Name: "users.me", Doc: "Read who the caller is.",
			Allow: httpapi.WithIdentify, Group: ratelimit.Other, Answer: map[int]string{200: "Me"}, Handle: a.getMe,
		},
		{
			Method: http.MethodGet, Path: "/users/{user_id}", Name: "users.get", Doc: "Read a person or a bot.",
			Allow: httpapi.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "User"}, Handle: a.getUser,
		},
		{
			Method: http.MethodGet, Path: "/users/@me/guilds", Name: "users.guilds", Doc: "List the guilds that the caller is in.",
			Allow: httpapi.WithGuilds, Group: ratelimit.Other, Answer: map[int]string{200: "OwnGuilds"}, Handle: a.listMyGuilds,
			Query: []httpapi.Parameter{
				{Name: "before", Kind: "string", Doc: "Only guilds with smaller ids; the last of them, unless after is given too."},
				{Name: "after", Kind: "string", Doc: "Only guilds with larger ids."},
				{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 200; 200 when it is left out."},
				withCounts,
			},
		},
	}
}

func (a *API) getMe(c *httpapi.Call) error {
	u, err := a.Directory.User(c.Context(), visitorOf(c).User)
	if err != nil {
		return err
	}
	mail := c.Principal.Kind != store.BearerToken || c.Principal.HasScope(auth.ScopeEmail)
	return c.Value(http.StatusOK, wire.MeOf(u, mail))
}

func (a *API) getUser(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	u, err := a.Directory.User(c.Context(), id)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.UserOf(u))
}

// maxOwnGuilds is how many guilds one answer lists.
const maxOwnGuilds = 200

func (a *API) listMyGuilds(c *httpapi.Call) error {
	q := c.Query()
	before, after := httpapi.QueryID[snowflake.Guild](q, "before"), httpapi.QueryID[snowflake.Guild](q, "after")
	limit, counted := q.Limit(maxOwnGuilds, maxOwnGuilds), q.Bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	who := visitorOf(c)
	stays, err := a.Directory.Stays(c.Context(), who, after, before, limit)
	if err != nil {
		return err
	}
	list := make([]wire.OwnGuild, len(stays))
	for i, s := range stays {
		counts, err := a.counts(c, s.Place.ID, counted)
		if err != nil {
			return err
		}
		list[i] = wire.OwnGuildOf(s.Place.Guild, who.User, s.Member.Permissions(), counts)
	}
	return c.Value(http.StatusOK, list)
}

// counts returns the counts of a guild, nil when nobody wants to know.
func (a *API) counts(c *httpapi.Call, guild snowflake.Guild, wanted bool) (*wire.Counts, error) {
	if !wanted {
		return nil, nil
	}
	n, err := a.Directory.MemberCount(c.Context(), guild)
	return &wire.Counts{Members: n}, err
}

// enterGuild returns the caller in the guild of the path.
func (a *API) enterGuild(c *httpapi.Call) (directory.Stay, error) {
	id, err := httpapi.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return directory.Stay{}, err
	}
	return a.Directory.Enter(c.Context(), id, visitorOf(c))
}

// visitorOf returns who the caller is in guilds and channels.
func visitorOf(c *httpapi.Call) directory.Visitor {
	if c.Principal.Kind == store.BotToken {
		return directory.Visitor{User: snowflake.User(c.Principal.Application), Bot: true}
	}
	return directory.Visitor{User: c.Principal.User}
}
