package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Permissions holds the permission overwrites of a command in a guild. If ID is the application's id, they apply to all its
// commands without overwrites of their own.
type Permissions struct {
	ID          snowflake.Command     `json:"id"`
	Application snowflake.Application `json:"application_id"`
	Guild       snowflake.Guild       `json:"guild_id"`
	Entries     []PermissionEntry     `json:"permissions"`
}

// PermissionEntry allows or denies a command for a role, a user or a channel.
type PermissionEntry struct {
	ID    snowflake.Target     `json:"id"`
	Type  permission.EntryType `json:"type"`
	Allow bool                 `json:"permission"`
}

func permissionsPath(app snowflake.Application, guild snowflake.Guild) string {
	return "/applications/" + app.String() + "/guilds/" + guild.String() + "/commands"
}

// GuildPermissions lists the overwrites of all commands of an application in a guild.
func (c *Client) GuildPermissions(ctx context.Context, app snowflake.Application, guild snowflake.Guild) ([]Permissions, error) {
	var list []Permissions
	err := c.get(ctx, permissionsPath(app, guild)+"/permissions", &list)
	return list, err
}

// CommandPermissions returns the overwrites of one command in a guild.
func (c *Client) CommandPermissions(ctx context.Context, app snowflake.Application, guild snowflake.Guild, id snowflake.Command) (Permissions, error) {
	var set Permissions
	err := c.get(ctx, permissionsPath(app, guild)+"/"+id.String()+"/permissions", &set)
	return set, err
}

// SetCommandPermissions replaces the overwrites of one command in a guild. It needs a Bearer token with the scope
// applications.commands.permissions.update, of a user who can manage the guild and its roles.
func (c *Client) SetCommandPermissions(ctx context.Context, app snowflake.Application, guild snowflake.Guild, id snowflake.Command, entries []PermissionEntry) (Permissions, error) {
	if entries == nil {
		entries = []PermissionEntry{}
	}
	body := struct {
		Entries []PermissionEntry `json:"permissions"`
	}{entries}
	var set Permissions
	err := c.write(ctx, http.MethodPut, permissionsPath(app, guild)+"/"+id.String()+"/permissions", body, &set)
	return set, err
}
