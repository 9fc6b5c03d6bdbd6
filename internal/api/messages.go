package api

import (
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) messageRoutes() []route {
	const all = "/lobbies/{lobby_id}/messages"
	return []route{
		{
			method: http.MethodPost, path: all, name: "lobbies.messages.send", doc: "Say something in a lobby.", allow: lobbyClients,
			group: ratelimit.MessagesSend, body: "LobbyMessageInput", answer: map[int]string{201: "LobbyMessage"}, handle: toLobby(a.sendLobbyMessage),
		},
		{
			method: http.MethodGet, path: all, name: "lobbies.messages.list", doc: "List what was said in a lobby, the newest first.",
			allow: lobbyClients, group: ratelimit.MessagesList, answer: map[int]string{200: "LobbyMessages"}, handle: inLobby(a.listLobbyMessages),
			query: []parameter{{"limit", "integer", "How many at the most, 1 to 200; 50 when it is left out."}},
		},
		{
			method: http.MethodPut, path: all + "/{message_id}/moderation-metadata", name: "lobbies.messages.moderate",
			doc: "Note something about a message.", allow: lobbyApps, group: ratelimit.MessagesModerate,
			body: "ModerationMetadata", answer: map[int]string{204: ""}, handle: inLobby(a.moderateLobbyMessage),
		},
	}
}

func (a *API) sendLobbyMessage(c *call, id snowflake.Lobby, body form.Value) error {
	m, err := a.Lobbies.Send(c.r.Context(), c.principal.Application, id, c.principal.User, body)
	if err != nil {
		return err
	}
	sent, err := a.Lobbies.MessageBody(c.r.Context(), m)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, sent)
}

func (a *API) listLobbyMessages(c *call, id snowflake.Lobby) error {
	q := c.query()
	limit := q.limit(lobby.DefaultMessages, lobby.MaxMessages)
	if err := q.Err(); err != nil {
		return err
	}
	list, err := a.Lobbies.Messages(c.r.Context(), c.principal.Application, id, c.principal.User, limit)
	if err != nil {
		return err
	}
	return c.found(a.Lobbies.MessagesBody(c.r.Context(), list))
}

func (a *API) moderateLobbyMessage(c *call, id snowflake.Lobby) error {
	message, err := pathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	body, err := c.readObject()
	if err != nil {
		return err
	}
	return c.done(a.Lobbies.Moderate(c.r.Context(), c.principal.Application, id, message, body))
}
