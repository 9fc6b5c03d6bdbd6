package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) banRoutes() []api.Route {
	const ban = "/bans/{user_id}"
	list := inGuild(http.MethodGet, "/bans", "bans", "List the bans of a guild, ordered by user id.", "", map[int]string{200: "Bans"}, h.listBans)
	list.Reason, list.Query = false, []api.Parameter{
		{Name: "limit", Kind: "integer", Doc: "Maximum number of bans, 1 to 1000; default 1000."},
		{Name: "before", Kind: "string", Doc: "Only users with smaller ids: the last of them. It takes precedence over after."},
		{Name: "after", Kind: "string", Doc: "Only users with larger ids."},
	}
	get := inGuild(http.MethodGet, ban, "bans.get", "Read the ban of a user.", "", map[int]string{200: "Ban"}, h.getBan)
	get.Reason = false
	return []api.Route{
		list, get,
		inGuild(http.MethodPut, ban, "bans.create", "Ban a user, and delete the recent messages of the user.", "NewBan", noContent, h.ban),
		inGuild(http.MethodDelete, ban, "bans.delete", "Lift the ban of a user.", "", noContent, h.unban),
		inGuild(http.MethodPost, "/bulk-ban", "bans.bulk", "Ban up to 200 users.", "BulkBan", map[int]string{200: "BulkBanResult"}, h.bulkBan),
	}
}

func (h *moderationHandlers) listBans(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	q := c.Query()
	p := guilds.BanPage{
		Before: api.QueryID[snowflake.User](q, "before"), After: api.QueryID[snowflake.User](q, "after"),
		Limit: q.Limit(guilds.MaxBanPage, guilds.MaxBanPage),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.guilds.Bans(c.Context(), viewerOf(c), guild, p))
}

func (h *moderationHandlers) getBan(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.ShowBan(c.Context(), viewerOf(c), guild, user))
}

func (h *moderationHandlers) ban(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.Ban(c.Context(), viewerOf(c), guild, user, body))
}

func (h *moderationHandlers) unban(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.Unban(c.Context(), viewerOf(c), guild, user))
}

func (h *moderationHandlers) bulkBan(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadJSON)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.BulkBan(c.Context(), viewerOf(c), guild, body))
}
