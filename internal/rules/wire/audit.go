package wire

import (
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// AuditEntry is an entry of the audit log of a guild.
type AuditEntry struct {
	ID         snowflake.Target  `json:"id"`
	ActionType int               `json:"action_type"`
	UserID     *snowflake.User   `json:"user_id"`   // who did it
	TargetID   *snowflake.Target `json:"target_id"` // null: none
	Changes    jsontext.Value    `json:"changes,omitzero"`
	Options    map[string]string `json:"options,omitzero"`
	Reason     string            `json:"reason,omitzero"`
}

// AuditLog is a page of the audit log of a guild, with the objects that its entries refer to.
type AuditLog struct {
	Entries      []AuditEntry     `json:"audit_log_entries"`
	Users        []User           `json:"users"` // who did something, and who was affected
	Integrations none             `json:"integrations"`
	Webhooks     []Webhook        `json:"webhooks"`
	Events       []ScheduledEvent `json:"guild_scheduled_events"`
	Threads      []Thread         `json:"threads"`
	Commands     none             `json:"application_commands"`
	Rules        none             `json:"auto_moderation_rules"`
}
