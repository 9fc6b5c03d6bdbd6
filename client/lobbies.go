package client

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// LobbyFlags are the flags of a lobby.
type LobbyFlags uint32

// RequireApplicationAuthorization limits a lobby to users who have authorized the application.
const RequireApplicationAuthorization LobbyFlags = 1 << 0

// LobbyMemberFlags are the flags of a member of a lobby.
type LobbyMemberFlags uint32

// CanLinkLobby lets a member link the lobby to a channel.
const CanLinkLobby LobbyMemberFlags = 1 << 0

// Lobby is a lobby as the service shows it.
type Lobby struct {
	ID          snowflake.Lobby       `json:"id"`
	Application snowflake.Application `json:"application_id"`
	Metadata    map[string]string     `json:"metadata"`
	Flags       LobbyFlags            `json:"flags"`
	Members     []LobbyMember         `json:"members"`
	// LinkedChannel is the channel that the lobby is linked to, or nil.
	LinkedChannel jsontext.Value `json:"linked_channel,omitzero"`
	WebhooksURL   string         `json:"override_event_webhooks_url,omitzero"`
}

// Member returns the member with a user id, or nil.
func (l *Lobby) Member(id snowflake.User) *LobbyMember {
	for i := range l.Members {
		if l.Members[i].ID == id {
			return &l.Members[i]
		}
	}
	return nil
}

// LobbyMember is a user in a lobby. Requests leave out zero fields.
type LobbyMember struct {
	ID             snowflake.User    `json:"id,omitzero"`
	Metadata       map[string]string `json:"metadata,omitzero"`
	Flags          LobbyMemberFlags  `json:"flags,omitzero"`
	AdditionalName string            `json:"additional_name,omitzero"`
}

// LobbyInput is the body of a request that creates or changes a lobby. Nil and zero fields are left out; an empty list or
// map is sent.
type LobbyInput struct {
	Metadata           map[string]string `json:"metadata,omitzero"`
	Members            []LobbyMember     `json:"members,omitzero"`
	IdleTimeoutSeconds int               `json:"idle_timeout_seconds,omitzero"`
	Flags              LobbyFlags        `json:"flags,omitzero"`
	WebhooksURL        string            `json:"override_event_webhooks_url,omitzero"`
}

// LobbyBulk is one entry of EditMembers: it adds or changes a member, or removes one.
type LobbyBulk struct {
	LobbyMember

	Remove bool `json:"remove_member,omitzero"`
}

// LobbyJoin is the body of Join. Nil and zero fields are left out.
type LobbyJoin struct {
	Secret             string            `json:"secret"`
	Metadata           map[string]string `json:"lobby_metadata,omitzero"`
	MemberMetadata     map[string]string `json:"member_metadata,omitzero"`
	IdleTimeoutSeconds int               `json:"idle_timeout_seconds,omitzero"`
	Flags              LobbyFlags        `json:"flags,omitzero"`
}

// Lobbies calls the lobby routes of the service. Client.Lobbies returns one.
type Lobbies struct{ c *Client }

// Lobbies returns the lobby calls of the client.
func (c *Client) Lobbies() Lobbies { return Lobbies{c} }

func lobbyPath(id snowflake.Lobby) string { return "/lobbies/" + id.String() }

func lobbyMemberPath(id snowflake.Lobby, user snowflake.User) string {
	return lobbyPath(id) + "/members/" + user.String()
}

// Create creates a lobby.
func (l Lobbies) Create(ctx context.Context, in LobbyInput) (Lobby, error) {
	var lobby Lobby
	err := l.c.write(ctx, http.MethodPost, "/lobbies", in, &lobby)
	return lobby, err
}

// Get reads a lobby.
func (l Lobbies) Get(ctx context.Context, id snowflake.Lobby) (Lobby, error) {
	var lobby Lobby
	err := l.c.get(ctx, lobbyPath(id), &lobby)
	return lobby, err
}

// Edit changes a lobby. A list of members replaces all members.
func (l Lobbies) Edit(ctx context.Context, id snowflake.Lobby, in LobbyInput) (Lobby, error) {
	var lobby Lobby
	err := l.c.write(ctx, http.MethodPatch, lobbyPath(id), in, &lobby)
	return lobby, err
}

// Delete deletes a lobby. Deleting it again is no error.
func (l Lobbies) Delete(ctx context.Context, id snowflake.Lobby) error {
	return l.c.delete(ctx, lobbyPath(id))
}

// PutMember adds a user to a lobby, or changes the member. It ignores the ID of m.
func (l Lobbies) PutMember(ctx context.Context, id snowflake.Lobby, user snowflake.User, m LobbyMember) (LobbyMember, error) {
	m.ID = 0
	var put LobbyMember
	err := l.c.write(ctx, http.MethodPut, lobbyMemberPath(id, user), m, &put)
	return put, err
}

// RemoveMember removes a user from a lobby. A user who is not a member is no error.
func (l Lobbies) RemoveMember(ctx context.Context, id snowflake.Lobby, user snowflake.User) error {
	return l.c.delete(ctx, lobbyMemberPath(id, user))
}

// EditMembers adds, changes and removes members of a lobby in one request, and returns those it added or changed. If it
// fails, it changes nothing.
func (l Lobbies) EditMembers(ctx context.Context, id snowflake.Lobby, list []LobbyBulk) ([]LobbyMember, error) {
	var put []LobbyMember
	err := l.c.write(ctx, http.MethodPost, lobbyPath(id)+"/members/bulk", list, &put)
	return put, err
}

// Join adds the user of the token to the lobby with a secret. If there is no such lobby, it creates one.
func (l Lobbies) Join(ctx context.Context, in LobbyJoin) (Lobby, error) {
	var lobby Lobby
	err := l.c.write(ctx, http.MethodPut, "/lobbies", in, &lobby)
	return lobby, err
}

// Leave removes the user of the token from a lobby that Join created.
func (l Lobbies) Leave(ctx context.Context, id snowflake.Lobby) error {
	return l.c.delete(ctx, lobbyPath(id)+"/members/@me")
}
