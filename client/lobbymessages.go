package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// LobbyMessage is what somebody said in a lobby, or in the channel that it is linked with.
type LobbyMessage struct {
	ID          snowflake.Message     `json:"id"`
	Lobby       snowflake.Lobby       `json:"lobby_id"`
	Channel     snowflake.Channel     `json:"channel_id"`     // that of the lobby when it is not linked
	Application snowflake.Application `json:"application_id"` // 0: it was written in the linked channel
	Author      struct {
		ID       snowflake.User `json:"id"`
		Username string         `json:"username"`
	} `json:"author"`
	Content    string            `json:"content"`
	Metadata   map[string]string `json:"metadata"`
	Moderation map[string]string `json:"moderation_metadata"`
	// Rest holds the other members as they came.
	Rest jsontext.Value `json:",unknown"`
}

// LinkLobby links a lobby with a text channel in the name of a member who may do so; 0 unlinks it.
func (c *Client) LinkLobby(ctx context.Context, id snowflake.Lobby, channel snowflake.Channel) (Lobby, error) {
	body := struct {
		Channel snowflake.Channel `json:"channel_id,omitzero"`
	}{channel}
	var l Lobby
	err := c.write(ctx, http.MethodPatch, lobbyPath(id)+"/channel-linking", body, &l)
	return l, err
}

// SendLobbyMessage says something in a lobby in the name of a member. Metadata reaches those who are there and is not kept.
func (c *Client) SendLobbyMessage(
	ctx context.Context, id snowflake.Lobby, content string, metadata map[string]string,
) (LobbyMessage, error) {
	body := struct {
		Content  string            `json:"content"`
		Metadata map[string]string `json:"metadata,omitzero"`
	}{content, metadata}
	var m LobbyMessage
	err := c.write(ctx, http.MethodPost, lobbyPath(id)+"/messages", body, &m)
	return m, err
}

// LobbyMessages returns what was said in a lobby in the last 72 hours, the newest first, at most limit (1 to 200) of it.
func (c *Client) LobbyMessages(ctx context.Context, id snowflake.Lobby, limit int) ([]LobbyMessage, error) {
	var list []LobbyMessage
	_, err := c.call(ctx, Request{
		Method: http.MethodGet, Path: lobbyPath(id) + "/messages", Query: url.Values{"limit": {strconv.Itoa(limit)}},
	}, &list)
	return list, err
}

// ModerateLobbyMessage replaces what the application notes about a message of one of its lobbies.
func (c *Client) ModerateLobbyMessage(ctx context.Context, id snowflake.Lobby, message snowflake.Message, note map[string]string) error {
	if note == nil {
		note = map[string]string{}
	}
	return c.write(ctx, http.MethodPut, lobbyPath(id)+"/messages/"+message.String()+"/moderation-metadata", note, nil)
}

// InviteFromLobby makes a code that brings a member into the guild of the channel that a lobby is linked with: it serves
// that user once, within an hour. For 0 it is the person in whose name the client speaks.
func (c *Client) InviteFromLobby(ctx context.Context, id snowflake.Lobby, user snowflake.User) (string, error) {
	path := lobbyPath(id) + "/members/@me"
	if user != 0 {
		path = lobbyMemberPath(id, user)
	}
	var made struct {
		Code string `json:"code"`
	}
	err := c.write(ctx, http.MethodPost, path+"/invites", nil, &made)
	return made.Code, err
}

// AcceptInvite enters the guild that an invite leads to, with the person's own token.
func (c *Client) AcceptInvite(ctx context.Context, code string) error {
	return c.write(ctx, http.MethodPost, "/invites/"+url.PathEscape(code), nil, nil)
}
