package v10

import (
	"errors"
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// guildHandlers serve guilds with their channels, roles and members.
type guildHandlers struct {
	directory *directory.Directory
	guilds    *guilds.Guilds
}

func (h *guildHandlers) routes() []api.Route {
	at := func(path, name, doc, answer string, handle func(*api.Call) error, query ...api.Parameter) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: "/guilds/{guild_id}" + path, Name: "guilds." + name, Doc: doc, Query: query,
			Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: answer}, Handle: handle,
		}
	}
	return []api.Route{
		at("", "get", "Read a guild with its roles.", "Guild", h.getGuild, withCounts),
		at("/preview", "preview", "Read what a guild shows of itself to others. Only members read that of a guild without the feature DISCOVERABLE.",
			"GuildPreview", h.getPreview),
		at("/channels", "channels", "List the channels of a guild without threads. A user gets only the channels that the user can view.",
			"Channels", h.listChannels),
		at("/roles", "roles", "List the roles of a guild.", "Roles", h.listRoles),
		at("/roles/member-counts", "roles.counts", "Count the members of each role, without the everyone role.", "RoleCounts", h.countRoles),
		at("/roles/{role_id}", "role", "Read a role of a guild.", "Role", h.getRole),
		at("/soundboard-sounds", "soundboard", "List the sounds of the soundboard of a guild. There are none.", "GuildSounds", h.listSounds),
		at("/members", "members", "List the members of a guild, ordered by id.", "Members", h.listMembers,
			api.Parameter{Name: "limit", Kind: "integer", Doc: "Maximum number of members, 1 to 1000; default 1."},
			api.Parameter{Name: "after", Kind: "string", Doc: "Only members with larger ids."}),
		at("/members/search", "members.search", "Search members by the beginning of a name.", "Members", h.searchMembers,
			api.Parameter{Name: "query", Kind: "string", Doc: "Beginning of the username, the display name or the nickname."},
			api.Parameter{Name: "limit", Kind: "integer", Doc: "Maximum number of members, 1 to 1000; default 1."}),
		at("/members/{user_id}", "member", "Read a member of a guild.", "Member", h.getMember),
	}
}

func (h *guildHandlers) getGuild(c *api.Call) error {
	view, err := h.view(c)
	if err != nil {
		return err
	}
	q := c.Query()
	counted := q.Bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	counts, err := countMembers(c, h.guilds, view.Guild.ID, counted)
	if err != nil {
		return err
	}
	g, err := h.directory.Guilds.State(c.Context(), view.Guild.ID)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WireGuild(g.Guild, g.Roles, g.Emojis, counts))
}

func (h *guildHandlers) getPreview(c *api.Call) error {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	g, err := h.directory.Guilds.State(c.Context(), id)
	if err != nil {
		return err
	}
	if _, err := h.view(c); errors.Is(err, directory.ErrHidden) && !slices.Contains(g.Features, guild.Discoverable) {
		return directory.ErrUnknownGuild
	} else if err != nil && !errors.Is(err, directory.ErrHidden) {
		return err
	}
	counts, err := h.guilds.Counts(c.Context(), id)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WirePreview(g.Guild, g.Emojis, counts))
}

func (h *guildHandlers) listChannels(c *api.Call) error {
	view, err := h.view(c)
	if err != nil {
		return err
	}
	list, err := h.directory.Guilds.ShownChannels(c.Context(), view.Guild.ID, func(id snowflake.Channel) bool {
		return viewerOf(c).Bot || view.Sees(id)
	})
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (h *guildHandlers) listRoles(c *api.Call) error {
	g, err := h.guild(c)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WireRoles(g.Roles))
}

func (h *guildHandlers) countRoles(c *api.Call) error {
	g, err := h.guild(c)
	if err != nil {
		return err
	}
	counts := map[snowflake.Role]int{}
	err = h.directory.Read(c.Context(), func(r store.Reader) error {
		stored, err := r.Directory.RoleCounts(g.ID)
		for _, role := range g.Roles[1:] { // the first is the everyone role
			counts[role.ID] = stored[role.ID]
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, counts)
}

func (h *guildHandlers) getRole(c *api.Call) error {
	id, err := api.PathID[snowflake.Role](c, "role_id")
	if err != nil {
		return err
	}
	g, err := h.guild(c)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Roles, func(r store.Role) bool { return r.ID == id })
	if i < 0 {
		return directory.ErrUnknownRole
	}
	return c.Value(http.StatusOK, convert.WireRole(g.Roles[i]))
}

// guild returns the guild of the path with its roles.
func (h *guildHandlers) guild(c *api.Call) (*directory.GuildState, error) {
	view, err := h.view(c)
	if err != nil {
		return nil, err
	}
	return h.directory.Guilds.State(c.Context(), view.Guild.ID)
}

// view returns what the caller sees of the guild of the path. If the guild exists, and the caller is not in it, the error is
// directory.ErrHidden.
func (h *guildHandlers) view(c *api.Call) (directory.GuildView, error) {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return directory.GuildView{}, err
	}
	return h.directory.Guilds.Visit(c.Context(), id, viewerOf(c))
}
