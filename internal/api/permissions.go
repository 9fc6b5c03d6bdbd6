package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// permissionRoutes has no way to put all sets of a guild at once: that is disabled, and the method is refused.
func (a *API) permissionRoutes() []route {
	const all = "/applications/{application_id}/guilds/{guild_id}/commands/permissions"
	const one = "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions"
	return []route{
		{
			method: http.MethodGet, path: all, name: "permissions.list",
			doc:   "List who may use the commands of an application in a guild, for those of which it is said.",
			allow: readPermissions, group: ratelimit.PermissionsGet, answer: map[int]string{200: "CommandPermissionsList"}, handle: a.listPermissions,
		},
		{
			method: http.MethodGet, path: one, name: "permissions.get",
			doc:   "Read who may use a command in a guild; with the application's id, all commands of which it is not said.",
			allow: readPermissions, group: ratelimit.PermissionsGet, answer: map[int]string{200: "CommandPermissions"}, handle: a.getPermissions,
		},
		{
			method: http.MethodPut, path: one, name: "permissions.put",
			doc:   "Replace who may use a command in a guild; with the application's id, all commands of which it is not said.",
			allow: writePermissions, group: ratelimit.PermissionsPut, body: "CommandPermissionsPut",
			answer: map[int]string{200: "CommandPermissions"}, handle: a.putPermissions,
		},
	}
}

func (a *API) listPermissions(c *call) error {
	sets, err := a.Commands.Overwrites(c.r.Context(), c.scope.Application, c.scope.Guild)
	if err != nil {
		return err
	}
	list := make([]wire.CommandPermissions, len(sets))
	for i, set := range sets {
		list[i] = wire.PermissionsOf(set)
	}
	return c.value(http.StatusOK, list)
}

func (a *API) getPermissions(c *call) error {
	id, err := pathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	set, err := a.Commands.OverwritesOf(c.r.Context(), c.application, c.scope.Guild, id)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.PermissionsOf(set))
}

func (a *API) putPermissions(c *call) error {
	id, err := pathID[snowflake.Command](c, "command_id")
	if err != nil {
		return err
	}
	if err := a.Commands.Editable(c.r.Context(), c.application, c.scope.Guild, id); err != nil {
		return err
	}
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	entries, err := permission.ParseEntries(body)
	if err != nil {
		return err
	}
	set, err := a.Commands.SetOverwrites(c.r.Context(), registry.Edit{
		Application: c.scope.Application, Guild: c.scope.Guild, ID: id, By: c.principal.User, Entries: entries,
	})
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.PermissionsOf(set))
}
