package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// LobbyMessage is a message in a lobby, or in the channel that the lobby is linked to.
type LobbyMessage struct {
	ID          snowflake.Message     `json:"id"`
	Lobby       snowflake.Lobby       `json:"lobby_id"`
	Channel     snowflake.Channel     `json:"channel_id"`     // the linked channel, or the lobby if there is none
	Application snowflake.Application `json:"application_id"` // 0 if the message was written in the linked channel
	Author      struct {
		ID       snowflake.User `json:"id"`
		Username string         `json:"username"`
	} `json:"author"`
	Content    string            `json:"content"`
	Metadata   map[string]string `json:"metadata"`
	Moderation map[string]string `json:"moderation_metadata"`
	// Rest holds all other members.
	Rest jsontext.Value `json:",embed"`
}

// Link links a lobby to a text channel. Channel 0 removes the link. It needs the token of a member with CanLinkLobby.
func (l Lobbies) Link(ctx context.Context, id snowflake.Lobby, channel snowflake.Channel) (Lobby, error) {
	body := struct {
		Channel snowflake.Channel `json:"channel_id,omitzero"`
	}{channel}
	var lobby Lobby
	err := l.c.write(ctx, http.MethodPatch, lobbyPath(id)+"/channel-linking", body, &lobby)
	return lobby, err
}

// SendMessage sends a message to a lobby as the user of the token. Metadata is part of the event and is not stored.
func (l Lobbies) SendMessage(
	ctx context.Context, id snowflake.Lobby, content string, metadata map[string]string,
) (LobbyMessage, error) {
	body := struct {
		Content  string            `json:"content"`
		Metadata map[string]string `json:"metadata,omitzero"`
	}{content, metadata}
	var m LobbyMessage
	err := l.c.write(ctx, http.MethodPost, lobbyPath(id)+"/messages", body, &m)
	return m, err
}

// Messages returns up to limit (1 to 200) messages of the last 72 hours, newest first.
func (l Lobbies) Messages(ctx context.Context, id snowflake.Lobby, limit int) ([]LobbyMessage, error) {
	var list []LobbyMessage
	_, err := l.c.call(ctx, Request{
		Method: http.MethodGet, Path: lobbyPath(id) + "/messages", Query: url.Values{"limit": {strconv.Itoa(limit)}},
	}, &list)
	return list, err
}

// ModerateMessage replaces the moderation metadata of a message.
func (l Lobbies) ModerateMessage(ctx context.Context, id snowflake.Lobby, message snowflake.Message, note map[string]string) error {
	if note == nil {
		note = map[string]string{}
	}
	return l.c.write(ctx, http.MethodPut, lobbyPath(id)+"/messages/"+message.String()+"/moderation-metadata", note, nil)
}

// Invite creates an invite to the guild of the linked channel, for one member of the lobby. It works once, for that user,
// within an hour. User 0 means the user of the token.
func (l Lobbies) Invite(ctx context.Context, id snowflake.Lobby, user snowflake.User) (string, error) {
	path := lobbyPath(id) + "/members/@me"
	if user != 0 {
		path = lobbyMemberPath(id, user)
	}
	var made struct {
		Code string `json:"code"`
	}
	err := l.c.write(ctx, http.MethodPost, path+"/invites", nil, &made)
	return made.Code, err
}

// AcceptInvite joins the guild of an invite. It needs a user token.
func (c *Client) AcceptInvite(ctx context.Context, code string) error {
	return c.write(ctx, http.MethodPost, "/invites/"+url.PathEscape(code), nil, nil)
}
