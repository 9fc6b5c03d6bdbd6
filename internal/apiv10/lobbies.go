package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) lobbyRoutes() []httpapi.Route {
	const one, member = "/lobbies/{lobby_id}", "/lobbies/{lobby_id}/members/{user_id}"
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/lobbies", Name: "lobbies.create", Doc: "Make a lobby.", Allow: httpapi.LobbyApps,
			Group: ratelimit.LobbiesCreate, Body: "LobbyInput", Answer: map[int]string{201: "Lobby"}, Handle: a.createLobby,
		},
		{
			Method: http.MethodPut, Path: "/lobbies", Name: "lobbies.join", Doc: "Enter the lobby of a secret; it is made when there is none.",
			Allow: httpapi.LobbyClients, Group: ratelimit.LobbiesJoin, Body: "LobbyJoin", Answer: map[int]string{200: "Lobby"}, Handle: a.joinLobby,
		},
		{
			Method: http.MethodGet, Path: one, Name: "lobbies.get", Doc: "Read a lobby.", Allow: httpapi.LobbyApps,
			Group: ratelimit.LobbiesGet, Answer: map[int]string{200: "Lobby"}, Handle: inLobby(a.getLobby),
		},
		{
			Method: http.MethodPatch, Path: one, Name: "lobbies.edit", Doc: "Change a lobby.", Allow: httpapi.LobbyApps,
			Group: ratelimit.LobbiesEdit, Body: "LobbyInput", Answer: map[int]string{200: "Lobby"}, Handle: toLobby(a.editLobby),
		},
		{
			Method: http.MethodDelete, Path: one, Name: "lobbies.delete", Doc: "Delete a lobby; safe to repeat.", Allow: httpapi.LobbyApps,
			Group: ratelimit.LobbiesDelete, Answer: map[int]string{204: ""}, Handle: inLobby(a.deleteLobby),
		},
		{
			Method: http.MethodPut, Path: member, Name: "lobbies.members.put", Doc: "Add a member to a lobby, or change one.", Allow: httpapi.LobbyApps,
			Group: ratelimit.MembersAdd, Body: "LobbyMemberInput", Answer: map[int]string{200: "LobbyMember"}, Handle: inLobby(a.putLobbyMember),
		},
		{
			Method: http.MethodDelete, Path: member, Name: "lobbies.members.remove", Doc: "Remove a member from a lobby; safe to repeat.",
			Allow: httpapi.LobbyApps, Group: ratelimit.MembersRemove, Answer: map[int]string{204: ""}, Handle: inLobby(a.removeLobbyMember),
		},
		{
			Method: http.MethodPost, Path: one + "/members/bulk", Name: "lobbies.members.bulk", Doc: "Add, change and remove many members of a lobby.",
			Allow: httpapi.LobbyApps, Group: ratelimit.MembersBulk, Body: "LobbyBulk", Answer: map[int]string{200: "LobbyMembers"}, Handle: inLobby(a.bulkLobbyMembers),
		},
		{
			Method: http.MethodDelete, Path: one + "/members/@me", Name: "lobbies.leave", Doc: "Leave a lobby that was made by a secret.",
			Allow: httpapi.LobbyClients, Group: ratelimit.LobbiesLeave, Answer: map[int]string{204: ""}, Handle: inLobby(a.leaveLobby),
		},
		{
			Method: http.MethodPatch, Path: one + "/channel-linking", Name: "lobbies.link", Doc: "Link a lobby with a channel, or unlink it.",
			Allow: httpapi.LobbyClients, Group: ratelimit.LobbiesLink, Body: "LobbyLink", Answer: map[int]string{200: "Lobby"}, Handle: toLobby(a.linkLobby),
		},
	}
}

// inLobby makes a handler of one that begins with the lobby of the path.
func inLobby(handle func(c *httpapi.Call, id snowflake.Lobby) error) func(*httpapi.Call) error {
	return func(c *httpapi.Call) error {
		id, err := httpapi.PathID[snowflake.Lobby](c, "lobby_id")
		if err != nil {
			return err
		}
		return handle(c, id)
	}
}

// toLobby makes a handler of one that begins with the lobby of the path and the object of the body.
func toLobby(handle func(c *httpapi.Call, id snowflake.Lobby, body jsonbody.Value) error) func(*httpapi.Call) error {
	return inLobby(func(c *httpapi.Call, id snowflake.Lobby) error {
		body, err := c.ReadObject()
		if err != nil {
			return err
		}
		return handle(c, id, body)
	})
}

func (a *API) createLobby(c *httpapi.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	made, err := a.Lobbies.Create(c.Context(), c.Principal.Application, body)
	return a.lobby(c, http.StatusCreated, made, err)
}

func (a *API) joinLobby(c *httpapi.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	joined, err := a.Lobbies.Join(c.Context(), c.Principal.Application, c.Principal.User, body)
	return a.lobby(c, http.StatusOK, joined, err)
}

func (a *API) getLobby(c *httpapi.Call, id snowflake.Lobby) error {
	found, err := a.Lobbies.Lobby(c.Context(), c.Principal.Application, id)
	return a.lobby(c, http.StatusOK, found, err)
}

func (a *API) editLobby(c *httpapi.Call, id snowflake.Lobby, body jsonbody.Value) error {
	edited, err := a.Lobbies.Edit(c.Context(), c.Principal.Application, id, body)
	return a.lobby(c, http.StatusOK, edited, err)
}

func (a *API) linkLobby(c *httpapi.Call, id snowflake.Lobby, body jsonbody.Value) error {
	linked, err := a.Lobbies.Link(c.Context(), c.Principal.Application, id, c.Principal.User, body)
	return a.lobby(c, http.StatusOK, linked, err)
}

func (a *API) deleteLobby(c *httpapi.Call, id snowflake.Lobby) error {
	return c.Done(a.Lobbies.Delete(c.Context(), c.Principal.Application, id))
}

func (a *API) leaveLobby(c *httpapi.Call, id snowflake.Lobby) error {
	return c.Done(a.Lobbies.Leave(c.Context(), c.Principal.Application, id, c.Principal.User))
}

func (a *API) putLobbyMember(c *httpapi.Call, id snowflake.Lobby) error {
	user, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	m, err := a.Lobbies.PutMember(c.Context(), c.Principal.Application, id, user, body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, m.AppendJSON(nil))
}

func (a *API) removeLobbyMember(c *httpapi.Call, id snowflake.Lobby) error {
	user, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.Done(a.Lobbies.RemoveMember(c.Context(), c.Principal.Application, id, user))
}

func (a *API) bulkLobbyMembers(c *httpapi.Call, id snowflake.Lobby) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ErrInvalid
	}
	put, err := a.Lobbies.Bulk(c.Context(), c.Principal.Application, id, body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, lobby.AppendMembers(nil, put))
}

// lobby answers with a lobby, or with the error there is.
func (a *API) lobby(c *httpapi.Call, status int, st *lobbies.State, err error) error {
	if err != nil {
		return err
	}
	body, err := a.Lobbies.Body(c.Context(), st)
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}
