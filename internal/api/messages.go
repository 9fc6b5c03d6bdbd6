package api

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

func (a *API) messageRoutes() []route {
	const all = "/lobbies/{lobby_id}/messages"
	return []route{
		{
			method: http.MethodPost, path: all, name: "lobbies.messages.send", doc: "Say something in a lobby.", allow: lobbyClients,
			group: ratelimit.MessagesSend, body: "LobbyMessageInput", answer: map[int]string{201: "LobbyMessage"}, handle: a.sendLobbyMessage,
		},
		{
			method: http.MethodGet, path: all, name: "lobbies.messages.list", doc: "List what was said in a lobby, the newest first.",
			allow: lobbyClients, group: ratelimit.MessagesList, answer: map[int]string{200: "LobbyMessages"}, handle: a.listLobbyMessages,
			query: []parameter{{"limit", "integer", "How many at the most, 1 to 200; 50 when it is left out."}},
		},
		{
			method: http.MethodPut, path: all + "/{message_id}/moderation-metadata", name: "lobbies.messages.moderate",
			doc: "Note something about a message.", allow: lobbyApps, group: ratelimit.MessagesModerate,
			body: "ModerationMetadata", answer: map[int]string{204: ""}, handle: a.moderateLobbyMessage,
		},
	}
}

func (a *API) sendLobbyMessage(c *call) error {
	id, err := pathID[snowflake.Lobby](c, "lobby_id")
	if err != nil {
		return err
	}
	body, err := c.readObject()
	if err != nil {
		return err
	}
	m, err := a.Lobbies.Send(c.r.Context(), c.principal.Application, id, c.principal.User, body)
	if err != nil {
		return err
	}
	author, err := c.author(m.Author)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, m.AppendJSON(nil, author))
}

func (a *API) listLobbyMessages(c *call) error {
	id, err := pathID[snowflake.Lobby](c, "lobby_id")
	if err != nil {
		return err
	}
	q := c.query()
	limit := q.limit(lobby.DefaultMessages, lobby.MaxMessages)
	if err := q.Err(); err != nil {
		return err
	}
	list, err := a.Lobbies.Messages(c.r.Context(), c.principal.Application, id, c.principal.User, limit)
	if err != nil {
		return err
	}
	authors := map[snowflake.User][]byte{}
	body := []byte{'['}
	for i := range list {
		m := &list[i]
		if authors[m.Author] == nil {
			if authors[m.Author], err = c.author(m.Author); err != nil {
				return err
			}
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = m.AppendJSON(body, authors[m.Author])
	}
	return c.json(http.StatusOK, append(body, ']'))
}

func (a *API) moderateLobbyMessage(c *call) error {
	id, err := pathID[snowflake.Lobby](c, "lobby_id")
	if err != nil {
		return err
	}
	message, err := pathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	body, err := c.readObject()
	if err != nil {
		return err
	}
	if err := a.Lobbies.Moderate(c.r.Context(), c.principal.Application, id, message, body); err != nil {
		return err
	}
	return c.empty()
}

// author returns who wrote a message, as it goes on the wire. Somebody may be gone whose words are still there.
func (c *call) author(id snowflake.User) ([]byte, error) {
	u, err := c.api.Directory.User(c.r.Context(), id)
	if errors.Is(err, directory.ErrUnknownUser) {
		u, err = &directory.User{User: store.User{ID: id, Username: "deleted_user"}}, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(wire.UserOf(u))
}
