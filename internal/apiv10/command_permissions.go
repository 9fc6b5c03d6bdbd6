package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// permissionRoutes has no way to put all sets of a guild at once: that is disabled, and the method is refused.
func (a *API) permissionRoutes() []httpapi.Route {
	const all = "/applications/{application_id}/guilds/{guild_id}/commands/permissions"
	const one = "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions"
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: all, Name: "permissions.list",
			Doc:   "List who may use the commands of an application in a guild, for those of which it is said.",
			Allow: httpapi.ReadPermissions, Group: ratelimit.PermissionsGet, Answer: map[int]string{200: "CommandPermissionsList"}, Handle: a.listPermissions,
		},
		{
			Method: http.MethodGet, Path: one, Name: "permissions.get",
			Doc:   "Read who may use a command in a guild; with the application's id, all commands of which it is not said.",
			Allow: httpapi.ReadPermissions, Group: ratelimit.PermissionsGet, Answer: map[int]string{200: "CommandPermissions"}, Handle: a.getPermissions,
		},
		{
			Method: http.MethodPut, Path: one, Name: "permissions.put",
			Doc:   "Replace who may use a command in a guild; with the application's id, all commands of which it is not said.",
			Allow: httpapi.WritePermissions, Group: ratelimit.PermissionsPut, Body: "CommandPermissionsPut",
			Answer: map[int]string{200: "CommandPermissions"}, Handle: a.putPermissions,
		},
	}
}

func (a *API) listPermissions(c *httpapi.Call) error {
	sets, err := a.Commands.Overwrites(c.Context(), c.Scope.Application, c.Scope.Guild)
	if err != nil {
		return err
	}
	list := make([]wire.CommandPermissions, len(sets))
	for i, set := range sets {
		list[i] = wire.PermissionsOf(set)
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) getPermissions(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	set, err := a.Commands.OverwritesOf(c.Context(), c.Application, c.Scope.Guild, id)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.PermissionsOf(set))
}

func (a *API) putPermissions(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	if err := a.Commands.Editable(c.Context(), c.Application, c.Scope.Guild, id); err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	entries, err := permission.ParseEntries(body)
	if err != nil {
		return err
	}
	set, err := a.Commands.SetOverwrites(c.Context(), registry.Edit{
		Application: c.Scope.Application, Guild: c.Scope.Guild, ID: id, By: c.Principal.User, Entries: entries,
	})
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.PermissionsOf(set))
}
