package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *lobbyHandlers) messageRoutes() []api.Route {
	const all = "/lobbies/{lobby_id}/messages"
	return []api.Route{
		{
			Method: http.MethodPost, Path: all, Name: "lobbies.messages.send", Doc: "Send a message to a lobby.", Allow: api.LobbyClients,
			Group: ratelimit.MessagesSend, Body: "LobbyMessageInput", Answer: map[int]string{201: "LobbyMessage"}, Handle: h.sendMessage,
		},
		{
			Method: http.MethodGet, Path: all, Name: "lobbies.messages.list", Doc: "List the messages of a lobby, newest first.",
			Allow: api.LobbyClients, Group: ratelimit.MessagesList, Answer: map[int]string{200: "LobbyMessages"}, Handle: h.listMessages,
			Query: []api.Parameter{{Name: "limit", Kind: "integer", Doc: "Maximum number of messages, 1 to 200; default 50."}},
		},
		{
			Method: http.MethodPut, Path: all + "/{message_id}/moderation-metadata", Name: "lobbies.messages.moderate",
			Doc: "Set the moderation metadata of a message.", Allow: api.LobbyApps, Group: ratelimit.MessagesModerate,
			Body: "ModerationMetadata", Answer: map[int]string{204: ""}, Handle: h.moderateMessage,
		},
	}
}

func (h *lobbyHandlers) sendMessage(c *api.Call) error {
	id, body, err := lobbyBody(c)
	if err != nil {
		return err
	}
	m, err := h.lobbies.Messages.Send(c.Context(), c.Principal.Application, id, c.Principal.User, body)
	if err != nil {
		return err
	}
	sent, err := h.lobbies.Messages.Body(c.Context(), m)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, sent)
}

func (h *lobbyHandlers) listMessages(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	q := c.Query()
	limit := q.Limit(lobby.DefaultMessages, lobby.MaxMessages)
	if err := q.Err(); err != nil {
		return err
	}
	list, err := h.lobbies.Messages.List(c.Context(), c.Principal.Application, id, c.Principal.User, limit)
	if err != nil {
		return err
	}
	return c.Result(h.lobbies.Messages.ListBody(c.Context(), list))
}

func (h *lobbyHandlers) moderateMessage(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	message, body, err := api.PathBody[snowflake.Message](c, "message_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.NoContent(h.lobbies.Messages.Moderate(c.Context(), c.Principal.Application, id, message, body))
}
