package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) roleRoutes() []api.Route {
	return []api.Route{
		inGuild(http.MethodPost, "/roles", "roles.create", "Create a role.", "RoleEdit", map[int]string{200: "Role"}, h.createRole),
		inGuild(http.MethodPatch, "/roles", "roles.move", "Move roles.", "RoleMoves", map[int]string{200: "Roles"}, h.moveRoles),
		inGuild(http.MethodPatch, "/roles/{role_id}", "roles.edit", "Change a role.", "RoleEdit", map[int]string{200: "Role"}, h.editRole),
		inGuild(http.MethodDelete, "/roles/{role_id}", "roles.delete", "Delete a role.", "", noContent, h.deleteRole),
	}
}

// rolePath returns the guild and the role in the path of a request.
func rolePath(c *api.Call) (guild snowflake.Guild, role snowflake.Role, err error) {
	return api.PathIDs[snowflake.Guild, snowflake.Role](c, "guild_id", "role_id")
}

func (h *moderationHandlers) createRole(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadImages)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.CreateRole(c.Context(), viewerOf(c), guild, body))
}

func (h *moderationHandlers) editRole(c *api.Call) error {
	guild, id, err := rolePath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadImages()
	if err != nil {
		return err
	}
	return c.OK(h.guilds.EditRole(c.Context(), viewerOf(c), guild, id, body))
}

func (h *moderationHandlers) moveRoles(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadJSON)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.MoveRoles(c.Context(), viewerOf(c), guild, body))
}

func (h *moderationHandlers) deleteRole(c *api.Call) error {
	guild, id, err := rolePath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.DeleteRole(c.Context(), viewerOf(c), guild, id))
}
