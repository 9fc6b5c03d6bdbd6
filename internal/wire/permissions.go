package wire

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// CommandPermissions is a permission set on the wire.
type CommandPermissions struct {
	ID            snowflake.Command     `json:"id"`
	ApplicationID snowflake.Application `json:"application_id"`
	GuildID       snowflake.Guild       `json:"guild_id"`
	Permissions   []PermissionEntry     `json:"permissions"`
}

// PermissionEntry is one entry of a permission set on the wire.
type PermissionEntry struct {
	ID         snowflake.Target `json:"id"`
	Type       uint8            `json:"type"`
	Permission bool             `json:"permission"`
}

// PermissionsOf returns a permission set as it is shown.
func PermissionsOf(set store.OverwriteSet) CommandPermissions {
	p := CommandPermissions{
		set.ID, set.Application, set.Guild, make([]PermissionEntry, len(set.Entries)),
	}
	for i, e := range set.Entries {
		p.Permissions[i] = PermissionEntry{e.ID, e.Type, e.Allow}
	}
	return p
}
