package catalog

// The types of permission entries.
const (
	Role    = 1
	Member  = 2
	Channel = 3
)

// Permissions are the permissions of a command in a guild, as a library returns them. Fields that a library does not return
// are zero.
type Permissions struct {
	ID            string       `json:"id"`
	ApplicationID string       `json:"application_id"`
	GuildID       string       `json:"guild_id"`
	Permissions   []Permission `json:"permissions"`
}

// Permission allows or denies a command for a role, a member or a channel.
type Permission struct {
	ID         string `json:"id"`
	Type       int    `json:"type"`
	Permission bool   `json:"permission"`
}
