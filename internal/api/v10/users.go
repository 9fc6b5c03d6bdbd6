package v10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// withCounts is the query parameter that adds member counts to guilds.
var withCounts = api.Parameter{Name: "with_counts", Kind: "boolean", Doc: "Add the approximate number of members, and of those who are online."}

// userHandlers serve users.
type userHandlers struct {
	directory *directory.Directory
	guilds    *guilds.Guilds
}

func (h *userHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/users/@me", Name: "users.me", Doc: "Read the account of the caller.",
			Allow: api.WithIdentify, Group: ratelimit.Other, Answer: map[int]string{200: "Me"}, Handle: h.getMe,
		},
		{
			Method: http.MethodGet, Path: "/users/{user_id}", Name: "users.get", Doc: "Read a user or a bot.",
			Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "User"}, Handle: h.getUser,
		},
		{
			Method: http.MethodGet, Path: "/users/@me/guilds/{guild_id}/member", Name: "users.member",
			Doc:   "Read the caller's membership of a guild.",
			Allow: api.WithMembersRead, Group: ratelimit.Other, Answer: map[int]string{200: "Member"}, Handle: h.getMyMember,
		},
		{
			Method: http.MethodDelete, Path: "/users/@me/guilds/{guild_id}", Name: "users.leave", Doc: "Leave a guild.",
			Allow: api.Accounts, Group: ratelimit.Other, Answer: noContent, Handle: h.leaveGuild,
		},
		{
			Method: http.MethodGet, Path: "/users/@me/guilds", Name: "users.guilds", Doc: "List the guilds of the caller.",
			Allow: api.WithGuilds, Group: ratelimit.Other, Answer: map[int]string{200: "OwnGuilds"}, Handle: h.listMyGuilds,
			Query: []api.Parameter{
				{Name: "before", Kind: "string", Doc: "Only guilds with smaller ids; the highest ids of these, unless after is given too."},
				{Name: "after", Kind: "string", Doc: "Only guilds with larger ids."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of guilds, 1 to 200; default 200."},
				withCounts,
			},
		},
	}
}

func (h *userHandlers) getMe(c *api.Call) error {
	u, err := h.directory.Users.User(c.Context(), viewerOf(c).User)
	if err != nil {
		return err
	}
	mail := c.Principal.Kind != store.BearerToken || c.Principal.HasScope(auth.ScopeEmail)
	return c.Value(http.StatusOK, convert.WireMe(u, mail))
}

func (h *userHandlers) getMyMember(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	m, err := h.directory.Guilds.MemberWithUser(c.Context(), guild, c.Principal.User)
	if errors.Is(err, directory.ErrUnknownMember) {
		return directory.ErrUnknownGuild // the caller does not see whether the guild exists
	}
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, m)
}

func (h *userHandlers) getUser(c *api.Call) error {
	id, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	u, err := h.directory.Users.User(c.Context(), id)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WireUser(u))
}

func (h *userHandlers) leaveGuild(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.Leave(c.Context(), viewerOf(c), guild))
}

// maxOwnGuilds bounds the guilds in one response.
const maxOwnGuilds = 200

func (h *userHandlers) listMyGuilds(c *api.Call) error {
	q := c.Query()
	before, after := api.QueryID[snowflake.Guild](q, "before"), api.QueryID[snowflake.Guild](q, "after")
	limit, counted := q.Limit(maxOwnGuilds, maxOwnGuilds), q.Bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	viewer := viewerOf(c)
	guilds, err := h.directory.Guilds.Visible(c.Context(), viewer, after, before, limit)
	if err != nil {
		return err
	}
	list := make([]wire.OwnGuild, len(guilds))
	for i, g := range guilds {
		counts, err := countMembers(c, h.guilds, g.Guild.ID, counted)
		if err != nil {
			return err
		}
		list[i] = convert.WireOwnGuild(g.Guild.Guild, viewer.User, g.Member.Permissions(), counts)
	}
	return c.Value(http.StatusOK, list)
}

// countMembers returns the number of members of a guild, and of those who are online, if they are wanted, else nil.
func countMembers(c *api.Call, service *guilds.Guilds, guild snowflake.Guild, wanted bool) (*wire.Counts, error) {
	if !wanted {
		return nil, nil
	}
	return service.Counts(c.Context(), guild)
}

// viewerOf returns the account of the caller: a user, or the bot of an application.
func viewerOf(c *api.Call) directory.Viewer {
	if c.Principal.Kind == store.BotToken {
		return directory.Viewer{User: snowflake.User(c.Principal.Application), Bot: true}
	}
	return directory.Viewer{User: c.Principal.User}
}
