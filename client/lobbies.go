package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Lobby is a lobby as the service shows it.
type Lobby struct {
	ID          snowflake.Lobby       `json:"id"`
	Application snowflake.Application `json:"application_id"`
	Metadata    map[string]string     `json:"metadata"`
	Flags       lobby.Flags           `json:"flags"`
	Members     []LobbyMember         `json:"members"`
	// LinkedChannel is the channel that the lobby is linked with; nil: none.
	LinkedChannel jsontext.Value `json:"linked_channel,omitzero"`
	WebhooksURL   string         `json:"override_event_webhooks_url,omitzero"`
}

// Member returns a member, or nil when the user is none.
func (l *Lobby) Member(id snowflake.User) *LobbyMember {
	for i := range l.Members {
		if l.Members[i].ID == id {
			return &l.Members[i]
		}
	}
	return nil
}

// LobbyMember is a user in a lobby. In requests what is zero is left out.
type LobbyMember struct {
	ID             snowflake.User    `json:"id,omitzero"`
	Metadata       map[string]string `json:"metadata,omitzero"`
	Flags          lobby.MemberFlags `json:"flags,omitzero"`
	AdditionalName string            `json:"additional_name,omitzero"`
}

// LobbyInput is what a request says about a lobby. What is nil or zero is left out; an empty list or map is sent.
type LobbyInput struct {
	Metadata           map[string]string `json:"metadata,omitzero"`
	Members            []LobbyMember     `json:"members,omitzero"`
	IdleTimeoutSeconds int               `json:"idle_timeout_seconds,omitzero"`
	Flags              lobby.Flags       `json:"flags,omitzero"`
	WebhooksURL        string            `json:"override_event_webhooks_url,omitzero"`
}

// LobbyBulk is what one of many says about a user: a member is put, or removed.
type LobbyBulk struct {
	LobbyMember

	Remove bool `json:"remove_member,omitzero"`
}

// LobbyJoin is what somebody says who enters the lobby of a secret. What is nil or zero is left out.
type LobbyJoin struct {
	Secret             string            `json:"secret"`
	Metadata           map[string]string `json:"lobby_metadata,omitzero"`
	MemberMetadata     map[string]string `json:"member_metadata,omitzero"`
	IdleTimeoutSeconds int               `json:"idle_timeout_seconds,omitzero"`
	Flags              lobby.Flags       `json:"flags,omitzero"`
}

func lobbyPath(id snowflake.Lobby) string { return "/lobbies/" + id.String() }

func lobbyMemberPath(id snowflake.Lobby, user snowflake.User) string {
	return lobbyPath(id) + "/members/" + user.String()
}

// CreateLobby makes a lobby.
func (c *Client) CreateLobby(ctx context.Context, in LobbyInput) (Lobby, error) {
	var l Lobby
	err := c.write(ctx, http.MethodPost, "/lobbies", in, &l)
	return l, err
}

// Lobby reads a lobby.
func (c *Client) Lobby(ctx context.Context, id snowflake.Lobby) (Lobby, error) {
	var l Lobby
	err := c.get(ctx, lobbyPath(id), &l)
	return l, err
}

// EditLobby changes a lobby. A list of members replaces the members there are.
func (c *Client) EditLobby(ctx context.Context, id snowflake.Lobby, in LobbyInput) (Lobby, error) {
	var l Lobby
	err := c.write(ctx, http.MethodPatch, lobbyPath(id), in, &l)
	return l, err
}

// DeleteLobby deletes a lobby. It is safe to repeat.
func (c *Client) DeleteLobby(ctx context.Context, id snowflake.Lobby) error {
	return c.delete(ctx, lobbyPath(id))
}

// PutLobbyMember adds a member to a lobby, or changes the one there is. The ID of m stays out of the request.
func (c *Client) PutLobbyMember(ctx context.Context, id snowflake.Lobby, user snowflake.User, m LobbyMember) (LobbyMember, error) {
	m.ID = 0
	var put LobbyMember
	err := c.write(ctx, http.MethodPut, lobbyMemberPath(id, user), m, &put)
	return put, err
}

// RemoveLobbyMember removes a member from a lobby. Who is no member is no error.
func (c *Client) RemoveLobbyMember(ctx context.Context, id snowflake.Lobby, user snowflake.User) error {
	return c.delete(ctx, lobbyMemberPath(id, user))
}

// BulkLobbyMembers puts and removes many members of a lobby, all of it or nothing, and returns those who were put.
func (c *Client) BulkLobbyMembers(ctx context.Context, id snowflake.Lobby, list []LobbyBulk) ([]LobbyMember, error) {
	var put []LobbyMember
	err := c.write(ctx, http.MethodPost, lobbyPath(id)+"/members/bulk", list, &put)
	return put, err
}

// JoinLobby enters the lobby of a secret in the name of a person; it is made when there is none.
func (c *Client) JoinLobby(ctx context.Context, in LobbyJoin) (Lobby, error) {
	var l Lobby
	err := c.write(ctx, http.MethodPut, "/lobbies", in, &l)
	return l, err
}

// LeaveLobby leaves a lobby that was made by a secret, in the name of a person.
func (c *Client) LeaveLobby(ctx context.Context, id snowflake.Lobby) error {
	return c.delete(ctx, lobbyPath(id)+"/members/@me")
}
