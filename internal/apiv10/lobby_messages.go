package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) messageRoutes() []httpapi.Route {
	const all = "/lobbies/{lobby_id}/messages"
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: all, Name: "lobbies.messages.send", Doc: "Say something in a lobby.", Allow: httpapi.LobbyClients,
			Group: ratelimit.MessagesSend, Body: "LobbyMessageInput", Answer: map[int]string{201: "LobbyMessage"}, Handle: toLobby(a.sendLobbyMessage),
		},
		{
			Method: http.MethodGet, Path: all, Name: "lobbies.messages.list", Doc: "List what was said in a lobby, the newest first.",
			Allow: httpapi.LobbyClients, Group: ratelimit.MessagesList, Answer: map[int]string{200: "LobbyMessages"}, Handle: inLobby(a.listLobbyMessages),
			Query: []httpapi.Parameter{{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 200; 50 when it is left out."}},
		},
		{
			Method: http.MethodPut, Path: all + "/{message_id}/moderation-metadata", Name: "lobbies.messages.moderate",
			Doc: "Note something about a message.", Allow: httpapi.LobbyApps, Group: ratelimit.MessagesModerate,
			Body: "ModerationMetadata", Answer: map[int]string{204: ""}, Handle: inLobby(a.moderateLobbyMessage),
		},
	}
}

func (a *API) sendLobbyMessage(c *httpapi.Call, id snowflake.Lobby, body jsonbody.Value) error {
	m, err := a.Lobbies.Send(c.Context(), c.Principal.Application, id, c.Principal.User, body)
	if err != nil {
		return err
	}
	sent, err := a.Lobbies.MessageBody(c.Context(), m)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, sent)
}

func (a *API) listLobbyMessages(c *httpapi.Call, id snowflake.Lobby) error {
	q := c.Query()
	limit := q.Limit(lobby.DefaultMessages, lobby.MaxMessages)
	if err := q.Err(); err != nil {
		return err
	}
	list, err := a.Lobbies.Messages(c.Context(), c.Principal.Application, id, c.Principal.User, limit)
	if err != nil {
		return err
	}
	return c.Found(a.Lobbies.MessagesBody(c.Context(), list))
}

func (a *API) moderateLobbyMessage(c *httpapi.Call, id snowflake.Lobby) error {
	message, err := httpapi.PathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.Done(a.Lobbies.Moderate(c.Context(), c.Principal.Application, id, message, body))
}
