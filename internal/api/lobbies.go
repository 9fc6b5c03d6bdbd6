package api

import (
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) lobbyRoutes() []route {
	const one, member = "/lobbies/{lobby_id}", "/lobbies/{lobby_id}/members/{user_id}"
	return []route{
		{
			method: http.MethodPost, path: "/lobbies", name: "lobbies.create", doc: "Make a lobby.", allow: lobbyApps,
			group: ratelimit.LobbiesCreate, body: "LobbyInput", answer: map[int]string{201: "Lobby"}, handle: a.createLobby,
		},
		{
			method: http.MethodPut, path: "/lobbies", name: "lobbies.join", doc: "Enter the lobby of a secret; it is made when there is none.",
			allow: lobbyClients, group: ratelimit.LobbiesJoin, body: "LobbyJoin", answer: map[int]string{200: "Lobby"}, handle: a.joinLobby,
		},
		{
			method: http.MethodGet, path: one, name: "lobbies.get", doc: "Read a lobby.", allow: lobbyApps,
			group: ratelimit.LobbiesGet, answer: map[int]string{200: "Lobby"}, handle: inLobby(a.getLobby),
		},
		{
			method: http.MethodPatch, path: one, name: "lobbies.edit", doc: "Change a lobby.", allow: lobbyApps,
			group: ratelimit.LobbiesEdit, body: "LobbyInput", answer: map[int]string{200: "Lobby"}, handle: toLobby(a.editLobby),
		},
		{
			method: http.MethodDelete, path: one, name: "lobbies.delete", doc: "Delete a lobby; safe to repeat.", allow: lobbyApps,
			group: ratelimit.LobbiesDelete, answer: map[int]string{204: ""}, handle: inLobby(a.deleteLobby),
		},
		{
			method: http.MethodPut, path: member, name: "lobbies.members.put", doc: "Add a member to a lobby, or change one.", allow: lobbyApps,
			group: ratelimit.MembersAdd, body: "LobbyMemberInput", answer: map[int]string{200: "LobbyMember"}, handle: inLobby(a.putLobbyMember),
		},
		{
			method: http.MethodDelete, path: member, name: "lobbies.members.remove", doc: "Remove a member from a lobby; safe to repeat.",
			allow: lobbyApps, group: ratelimit.MembersRemove, answer: map[int]string{204: ""}, handle: inLobby(a.removeLobbyMember),
		},
		{
			method: http.MethodPost, path: one + "/members/bulk", name: "lobbies.members.bulk", doc: "Add, change and remove many members of a lobby.",
			allow: lobbyApps, group: ratelimit.MembersBulk, body: "LobbyBulk", answer: map[int]string{200: "LobbyMembers"}, handle: inLobby(a.bulkLobbyMembers),
		},
		{
			method: http.MethodDelete, path: one + "/members/@me", name: "lobbies.leave", doc: "Leave a lobby that was made by a secret.",
			allow: lobbyClients, group: ratelimit.LobbiesLeave, answer: map[int]string{204: ""}, handle: inLobby(a.leaveLobby),
		},
		{
			method: http.MethodPatch, path: one + "/channel-linking", name: "lobbies.link", doc: "Link a lobby with a channel, or unlink it.",
			allow: lobbyClients, group: ratelimit.LobbiesLink, body: "LobbyLink", answer: map[int]string{200: "Lobby"}, handle: toLobby(a.linkLobby),
		},
	}
}

// admitToLobbies checks the kind of a token: lobbyApps take an application's bot token, lobbyClients a bearer token with
// the scope for lobbies. A person's own token speaks for no application, so it does not hold here. Elsewhere the letters of
// the word before a token may be large or small; the header of a backend that keeps lobbies begins with Bot.
func (c *call) admitToLobbies(a access) error {
	p := c.principal
	switch {
	case p.Kind == store.UserToken:
		return oauth.ErrUnauthorized
	case a == lobbyApps && p.Kind == store.BotToken && !strings.HasPrefix(c.header("Authorization"), "Bot "):
		return oauth.ErrUnauthorized
	case a == lobbyApps && p.Kind != store.BotToken:
		return errOnlyBots
	case a == lobbyClients && p.Kind != store.BearerToken:
		return errNoBots
	case a == lobbyClients && !p.HasScope(oauth.ScopeLobbies):
		return errScope
	}
	return nil
}

// inLobby makes a handler of one that begins with the lobby of the path.
func inLobby(handle func(c *call, id snowflake.Lobby) error) func(*call) error {
	return func(c *call) error {
		id, err := pathID[snowflake.Lobby](c, "lobby_id")
		if err != nil {
			return err
		}
		return handle(c, id)
	}
}

// toLobby makes a handler of one that begins with the lobby of the path and the object of the body.
func toLobby(handle func(c *call, id snowflake.Lobby, body form.Value) error) func(*call) error {
	return inLobby(func(c *call, id snowflake.Lobby) error {
		body, err := c.readObject()
		if err != nil {
			return err
		}
		return handle(c, id, body)
	})
}

func (a *API) createLobby(c *call) error {
	body, err := c.readObject()
	if err != nil {
		return err
	}
	made, err := a.Lobbies.Create(c.r.Context(), c.principal.Application, body)
	return c.lobby(http.StatusCreated, made, err)
}

func (a *API) joinLobby(c *call) error {
	body, err := c.readObject()
	if err != nil {
		return err
	}
	joined, err := a.Lobbies.Join(c.r.Context(), c.principal.Application, c.principal.User, body)
	return c.lobby(http.StatusOK, joined, err)
}

func (a *API) getLobby(c *call, id snowflake.Lobby) error {
	found, err := a.Lobbies.Lobby(c.r.Context(), c.principal.Application, id)
	return c.lobby(http.StatusOK, found, err)
}

func (a *API) editLobby(c *call, id snowflake.Lobby, body form.Value) error {
	edited, err := a.Lobbies.Edit(c.r.Context(), c.principal.Application, id, body)
	return c.lobby(http.StatusOK, edited, err)
}

func (a *API) linkLobby(c *call, id snowflake.Lobby, body form.Value) error {
	linked, err := a.Lobbies.Link(c.r.Context(), c.principal.Application, id, c.principal.User, body)
	return c.lobby(http.StatusOK, linked, err)
}

func (a *API) deleteLobby(c *call, id snowflake.Lobby) error {
	return c.done(a.Lobbies.Delete(c.r.Context(), c.principal.Application, id))
}

func (a *API) leaveLobby(c *call, id snowflake.Lobby) error {
	return c.done(a.Lobbies.Leave(c.r.Context(), c.principal.Application, id, c.principal.User))
}

func (a *API) putLobbyMember(c *call, id snowflake.Lobby) error {
	user, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	body, err := c.readObject()
	if err != nil {
		return err
	}
	m, err := a.Lobbies.PutMember(c.r.Context(), c.principal.Application, id, user, body)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, m.AppendJSON(nil))
}

func (a *API) removeLobbyMember(c *call, id snowflake.Lobby) error {
	user, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.done(a.Lobbies.RemoveMember(c.r.Context(), c.principal.Application, id, user))
}

func (a *API) bulkLobbyMembers(c *call, id snowflake.Lobby) error {
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.Absent {
		return form.ErrInvalid
	}
	put, err := a.Lobbies.Bulk(c.r.Context(), c.principal.Application, id, body)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, lobby.AppendMembers(nil, put))
}

// lobby answers with a lobby, or with the error there is.
func (c *call) lobby(status int, st *lobbies.State, err error) error {
	if err != nil {
		return err
	}
	body, err := c.api.Lobbies.Body(c.r.Context(), st)
	if err != nil {
		return err
	}
	return c.json(status, body)
}

// done answers without a body, or with the error there is.
func (c *call) done(err error) error {
	if err != nil {
		return err
	}
	return c.empty()
}

// readObject reads a JSON body of which a missing one says as much as an empty object.
func (c *call) readObject() (form.Value, error) {
	body, err := c.readJSON()
	if err == nil && body.Kind() == form.Absent {
		body = form.ObjectOf()
	}
	return body, err
}
