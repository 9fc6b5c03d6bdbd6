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
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadImages)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.Edit(c.Context(), viewerOf(c), guild, body))
}
