package api

import (
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rest"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) lobbyRoutes() []rest.Route {
	const one, member = "/lobbies/{lobby_id}", "/lobbies/{lobby_id}/members/{user_id}"
	return []rest.Route{
		{
			Method: http.MethodPost, Path: "/lobbies", Name: "lobbies.create", Doc: "Make a lobby.", Allow: rest.LobbyApps,
			Group: ratelimit.LobbiesCreate, Body: "LobbyInput", Answer: map[int]string{201: "Lobby"}, Handle: a.createLobby,
		},
		{
			Method: http.MethodPut, Path: "/lobbies", Name: "lobbies.join", Doc: "Enter the lobby of a secret; it is made when there is none.",
			Allow: rest.LobbyClients, Group: ratelimit.LobbiesJoin, Body: "LobbyJoin", Answer: map[int]string{200: "Lobby"}, Handle: a.joinLobby,
		},
		{
			Method: http.MethodGet, Path: one, Name: "lobbies.get", Doc: "Read a lobby.", Allow: rest.LobbyApps,
			Group: ratelimit.LobbiesGet, Answer: map[int]string{200: "Lobby"}, Handle: inLobby(a.getLobby),
		},
		{
			Method: http.MethodPatch, Path: one, Name: "lobbies.edit", Doc: "Change a lobby.", Allow: rest.LobbyApps,
			Group: ratelimit.LobbiesEdit, Body: "LobbyInput", Answer: map[int]string{200: "Lobby"}, Handle: toLobby(a.editLobby),
		},
		{
			Method: http.MethodDelete, Path: one, Name: "lobbies.delete", Doc: "Delete a lobby; safe to repeat.", Allow: rest.LobbyApps,
			Group: ratelimit.LobbiesDelete, Answer: map[int]string{204: ""}, Handle: inLobby(a.deleteLobby),
		},
		{
			Method: http.MethodPut, Path: member, Name: "lobbies.members.put", Doc: "Add a member to a lobby, or change one.", Allow: rest.LobbyApps,
			Group: ratelimit.MembersAdd, Body: "LobbyMemberInput", Answer: map[int]string{200: "LobbyMember"}, Handle: inLobby(a.putLobbyMember),
		},
		{
			Method: http.MethodDelete, Path: member, Name: "lobbies.members.remove", Doc: "Remove a member from a lobby; safe to repeat.",
			Allow: rest.LobbyApps, Group: ratelimit.MembersRemove, Answer: map[int]string{204: ""}, Handle: inLobby(a.removeLobbyMember),
		},
		{
			Method: http.MethodPost, Path: one + "/members/bulk", Name: "lobbies.members.bulk", Doc: "Add, change and remove many members of a lobby.",
			Allow: rest.LobbyApps, Group: ratelimit.MembersBulk, Body: "LobbyBulk", Answer: map[int]string{200: "LobbyMembers"}, Handle: inLobby(a.bulkLobbyMembers),
		},
		{
			Method: http.MethodDelete, Path: one + "/members/@me", Name: "lobbies.leave", Doc: "Leave a lobby that was made by a secret.",
			Allow: rest.LobbyClients, Group: ratelimit.LobbiesLeave, Answer: map[int]string{204: ""}, Handle: inLobby(a.leaveLobby),
		},
		{
			Method: http.MethodPatch, Path: one + "/channel-linking", Name: "lobbies.link", Doc: "Link a lobby with a channel, or unlink it.",
			Allow: rest.LobbyClients, Group: ratelimit.LobbiesLink, Body: "LobbyLink", Answer: map[int]string{200: "Lobby"}, Handle: toLobby(a.linkLobby),
		},
	}
}

// inLobby makes a handler of one that begins with the lobby of the path.
func inLobby(handle func(c *rest.Call, id snowflake.Lobby) error) func(*rest.Call) error {
	return func(c *rest.Call) error {
		id, err := rest.PathID[snowflake.Lobby](c, "lobby_id")
		if err != nil {
			return err
		}
		return handle(c, id)
	}
}

// toLobby makes a handler of one that begins with the lobby of the path and the object of the body.
func toLobby(handle func(c *rest.Call, id snowflake.Lobby, body form.Value) error) func(*rest.Call) error {
	return inLobby(func(c *rest.Call, id snowflake.Lobby) error {
		body, err := c.ReadObject()
		if err != nil {
			return err
		}
		return handle(c, id, body)
	})
}

func (a *API) createLobby(c *rest.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	made, err := a.Lobbies.Create(c.Context(), c.Principal.Application, body)
	return a.lobby(c, http.StatusCreated, made, err)
}

func (a *API) joinLobby(c *rest.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	joined, err := a.Lobbies.Join(c.Context(), c.Principal.Application, c.Principal.User, body)
	return a.lobby(c, http.StatusOK, joined, err)
}

func (a *API) getLobby(c *rest.Call, id snowflake.Lobby) error {
	found, err := a.Lobbies.Lobby(c.Context(), c.Principal.Application, id)
	return a.lobby(c, http.StatusOK, found, err)
}

func (a *API) editLobby(c *rest.Call, id snowflake.Lobby, body form.Value) error {
	edited, err := a.Lobbies.Edit(c.Context(), c.Principal.Application, id, body)
	return a.lobby(c, http.StatusOK, edited, err)
}

func (a *API) linkLobby(c *rest.Call, id snowflake.Lobby, body form.Value) error {
	linked, err := a.Lobbies.Link(c.Context(), c.Principal.Application, id, c.Principal.User, body)
	return a.lobby(c, http.StatusOK, linked, err)
}

func (a *API) deleteLobby(c *rest.Call, id snowflake.Lobby) error {
	return c.Done(a.Lobbies.Delete(c.Context(), c.Principal.Application, id))
}

func (a *API) leaveLobby(c *rest.Call, id snowflake.Lobby) error {
	return c.Done(a.Lobbies.Leave(c.Context(), c.Principal.Application, id, c.Principal.User))
}

func (a *API) putLobbyMember(c *rest.Call, id snowflake.Lobby) error {
	user, err := rest.PathID[snowflake.User](c, "user_id")
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

func (a *API) removeLobbyMember(c *rest.Call, id snowflake.Lobby) error {
	user, err := rest.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.Done(a.Lobbies.RemoveMember(c.Context(), c.Principal.Application, id, user))
}

func (a *API) bulkLobbyMembers(c *rest.Call, id snowflake.Lobby) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == form.Absent {
		return form.ErrInvalid
	}
	put, err := a.Lobbies.Bulk(c.Context(), c.Principal.Application, id, body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, lobby.AppendMembers(nil, put))
}

// lobby answers with a lobby, or with the error there is.
func (a *API) lobby(c *rest.Call, status int, st *lobbies.State, err error) error {
	if err != nil {
		return err
	}
	body, err := a.Lobbies.Body(c.Context(), st)
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}
