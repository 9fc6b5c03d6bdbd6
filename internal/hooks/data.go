package hooks

import "github.com/bellhop/bellhop/snowflake"

// InvocationData is the data of an invocation: of a command, a component or a modal.
type InvocationData struct {
	ID          snowflake.Interaction `json:"id"`
	Type        int                   `json:"type"`
	Application snowflake.Application `json:"application_id"`
	Guild       snowflake.Guild       `json:"guild_id,omitzero"`
	Channel     snowflake.Channel     `json:"channel_id"`
	User        snowflake.User        `json:"user_id"`
	Command     string                `json:"command,omitzero"`
	CustomID    string                `json:"custom_id,omitzero"`
}

// MessageData is the data of a message that a user or a bot creates.
type MessageData struct {
	ID      snowflake.Message `json:"id,omitzero"` // after only
	Channel snowflake.Channel `json:"channel_id"`
	User    snowflake.User    `json:"user_id"` // a bot has the id of its application
	Bot     bool              `json:"bot"`
	Content string            `json:"content"`
}

// LobbyData is the data of events about a lobby.
type LobbyData struct {
	Application snowflake.Application `json:"application_id"`
	Lobby       snowflake.Lobby       `json:"lobby_id,omitzero"` // 0 before a user joins with a secret
	User        snowflake.User        `json:"user_id,omitzero"`  // who joins or leaves
}
