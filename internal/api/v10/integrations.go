package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) integrationRoutes() []api.Route {
	list := inGuild(http.MethodGet, "/integrations", "integrations", "List the applications that are installed in a guild, 50 at most.", "",
		map[int]string{200: "Integrations"}, h.listIntegrations)
	list.Reason = false
	return []api.Route{
		list,
		inGuild(http.MethodDelete, "/integrations/{integration_id}", "integrations.delete", "Remove an application and its bot from a guild.", "",
			noContent, h.deleteIntegration),
	}
}

func (h *moderationHandlers) listIntegrations(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	list, err := h.guilds.Integrations(c.Context(), viewerOf(c), guild)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, list)
}

func (h *moderationHandlers) deleteIntegration(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	id, err := api.PathID[snowflake.Application](c, "integration_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.DeleteIntegration(c.Context(), viewerOf(c), guild, id))
}
