package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/optional"
	"github.com/go-json-experiment/json/jsontext"
)

// MemberAction is an action of a person in a guild: one of Join, Leave, Nick, Presence and Voice.
type MemberAction struct {
	As    string                 `json:"as"`    // a user's id or username
	Guild string                 `json:"guild"` // a guild's id or name
	Join  bool                   `json:"join,omitzero"`
	Leave bool                   `json:"leave,omitzero"`
	Nick  optional.Value[string] `json:"nick,omitzero"` // null removes the nickname
	// Presence is a status, such as "idle". It is the presence in all guilds.
	Presence string `json:"presence,omitzero"`
	// Voice is the voice channel that the person joins: its id, or the names of guild and channel. Null leaves it.
	Voice optional.Value[string] `json:"voice,omitzero"`
}

// MemberState is the result of a MemberAction.
type MemberState struct {
	Member jsontext.Value `json:"member"` // null if the person is not a member
}

// Member acts as a person in a guild. An action that the service refuses is an *Error.
func (d Dev) Member(ctx context.Context, a MemberAction) (MemberState, error) {
	var state MemberState
	err := d.c.write(ctx, http.MethodPost, d.path("members"), a, &state)
	return state, err
}
