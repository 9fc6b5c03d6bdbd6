package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// permissionHandlers serve the permission overwrites of commands in guilds.
type permissionHandlers struct {
	permissions *permissions.Editor
}

// routes has no PUT for all commands of a guild at once: Discord has disabled it, so it gets 405.
func (h *permissionHandlers) routes() []api.Route {
	const all = "/applications/{application_id}/guilds/{guild_id}/commands/permissions"
	const one = "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions"
	return []api.Route{
		{
			Method: http.MethodGet, Path: all, Name: "permissions.list",
			Doc:   "List the permission overwrites of the commands of an application in a guild.",
			Allow: api.ReadPermissions, Group: ratelimit.PermissionsGet, Answer: map[int]string{200: "CommandPermissionsList"}, Handle: h.listPermissions,
		},
		{
			Method: http.MethodGet, Path: one, Name: "permissions.get",
			Doc:   "Read the permission overwrites of a command in a guild. The application's id means all commands without overwrites.",
			Allow: api.ReadPermissions, Group: ratelimit.PermissionsGet, Answer: map[int]string{200: "CommandPermissions"}, Handle: h.getPermissions,
		},
		{
			Method: http.MethodPut, Path: one, Name: "permissions.put",
			Doc:   "Replace the permission overwrites of a command in a guild. The application's id means all commands without overwrites.",
			Allow: api.WritePermissions, Group: ratelimit.PermissionsPut, Body: "CommandPermissionsPut",
			Answer: map[int]string{200: "CommandPermissions"}, Handle: h.putPermissions,
		},
	}
}

func (h *permissionHandlers) listPermissions(c *api.Call) error {
	sets, err := h.permissions.Sets(c.Context(), c.Scope.Application, c.Scope.Guild)
	if err != nil {
		return err
	}
	list := make([]wire.CommandPermissions, len(sets))
	for i, set := range sets {
		list[i] = convert.WirePermissions(set)
	}
	return c.Value(http.StatusOK, list)
}

func (h *permissionHandlers) getPermissions(c *api.Call) error {
	id, err := api.PathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	set, err := h.permissions.Set(c.Context(), c.Application, c.Scope.Guild, id)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WirePermissions(set))
}

func (h *permissionHandlers) putPermissions(c *api.Call) error {
	id, err := api.PathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	if err := h.permissions.CheckTarget(c.Context(), c.Application, c.Scope.Guild, id); err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	entries, err := permissions.ParseEntries(body)
	if err != nil {
		return err
	}
	set, err := h.permissions.Replace(c.Context(), permissions.Edit{
		Application: c.Scope.Application, Guild: c.Scope.Guild, ID: id, By: c.Principal.User, Entries: entries,
	})
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WirePermissions(set))
}
