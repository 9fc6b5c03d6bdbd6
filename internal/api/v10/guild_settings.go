package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) settingRoutes() []api.Route {
	return []api.Route{
		inGuild(http.MethodPatch, "", "edit", "Change the settings and images of a guild.", "GuildEdit", map[int]string{200: "Guild"}, h.editGuild),
	}
}

func (h *moderationHandlers) editGuild(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	body, err := c.ReadImages()
	if err != nil {
		return err
	}
	g, err := h.guilds.Edit(c.Context(), viewerOf(c), guild, body)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, g)
}
