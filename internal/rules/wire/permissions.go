package wire

import "github.com/bellhop/bellhop/snowflake"

// CommandPermissions are the permission entries of one command, or of an application, in a guild.
type CommandPermissions struct {
	ID            snowflake.Command     `json:"id"`
	ApplicationID snowflake.Application `json:"application_id"`
	GuildID       snowflake.Guild       `json:"guild_id"`
	Permissions   []PermissionEntry     `json:"permissions"`
}

// PermissionEntry allows or denies a command to a role, a user or a channel.
type PermissionEntry struct {
	ID         snowflake.Target `json:"id"`
	Type       uint8            `json:"type"`
	Permission bool             `json:"permission"`
}
