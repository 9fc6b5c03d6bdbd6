package hooks

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// The events.
const (
	Invocation  = "invocation"
	Message     = "message"
	LobbyCreate = "lobby.create"
	LobbyJoin   = "lobby.join"
	LobbyLeave  = "lobby.leave"
	LobbyEnd    = "lobby.end"

	LobbyMessage = "lobby.message"

	SignIn  = "signin"
	Install = "install"
)

// Events lists all events.
var Events = []string{Invocation, Message, LobbyCreate, LobbyJoin, LobbyLeave, LobbyEnd, LobbyMessage, SignIn, Install}

// changeable lists the members of the data that a hook before can change. docs/hooks.md has them too.
var changeable = map[string][]string{
	Message:      {"content"},
	LobbyMessage: {"content"},
	LobbyCreate:  {"metadata"},
	LobbyJoin:    {"metadata"},
}

// Changeable reports whether a hook before an event can change a member of the data.
func Changeable(event, member string) bool { return slices.Contains(changeable[event], member) }

// Change has the members that the hooks before an event changed. The zero Change changes nothing.
type Change struct{ members jsonbody.Value }

// Apply returns a request body in which a member has the value that the hooks gave to a member of the data. The caller checks
// the body as it checks that of any request.
func (c Change) Apply(body jsonbody.Value, member, of string) jsonbody.Value {
	v := c.members.Get(of)
	if v.Kind() == jsonbody.Absent || body.Kind() != jsonbody.Object {
		return body
	}
	return body.With(jsonbody.ObjectOf(jsonbody.Member{Name: member, Value: v}))
}

// Changes reports whether the hooks changed a member of the data.
func (c Change) Changes(member string) bool { return c.members.Get(member).Kind() != jsonbody.Absent }

// InvocationData is the data of an invocation: of a command, a component or a modal.
type InvocationData struct {
	ID          snowflake.Interaction `json:"id,omitzero"` // after only
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
	// Metadata is that of the new lobby, or of the member who joins. nil: the request has none. It is known before only.
	Metadata jsontext.Value `json:"metadata,omitzero"`
}

// LobbyMessageData is the data of a message that a member writes in a lobby.
type LobbyMessageData struct {
	ID          snowflake.Message     `json:"id,omitzero"` // after only
	Application snowflake.Application `json:"application_id"`
	Lobby       snowflake.Lobby       `json:"lobby_id"`
	User        snowflake.User        `json:"user_id"`
	Content     string                `json:"content"`
}

// The ways to sign in.
const (
	ByToken    = "token"    // with a user token
	ByProvider = "provider" // at an identity provider of the platform
	ByChoice   = "choice"   // as any user, with dev controls
	AsPlayer   = "player"   // as the provisional user of a player of an application
)

// SignInData is the data of a sign-in.
type SignInData struct {
	User        snowflake.User        `json:"user_id,omitzero"` // 0 before the first sign-in of a player
	Method      string                `json:"method"`
	Application snowflake.Application `json:"application_id,omitzero"` // of a player
	Issuer      string                `json:"issuer,omitzero"`         // the identity provider
	Subject     string                `json:"subject,omitzero"`        // the id there, or the id that an application gave to a player
}

// InstallData is the data of an install that a user consents to.
type InstallData struct {
	Application snowflake.Application `json:"application_id"`
	User        snowflake.User        `json:"user_id"`           // who consents
	Guild       snowflake.Guild       `json:"guild_id,omitzero"` // 0: for the user
	Scopes      []string              `json:"scopes"`
	Permissions string                `json:"permissions,omitzero"` // of the bot
}
