package catalog

// Kinds of those to whom a command is allowed or denied.
const (
	Role    = 1
	Member  = 2
	Channel = 3
)

// Permissions says who may use a command in a guild, as a library shows it. What a library does not show is the zero value.
type Permissions struct {
	ID            string       `json:"id"`
	ApplicationID string       `json:"application_id"`
	GuildID       string       `json:"guild_id"`
	Permissions   []Permission `json:"permissions"`
}

// Permission allows or denies a command to a role, a member or in a channel.
type Permission struct {
	ID         string `json:"id"`
	Type       int    `json:"type"`
	Permission bool   `json:"permission"`
}
