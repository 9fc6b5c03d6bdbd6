package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// lobbyHandlers serve lobbies with their members, messages and invites.
type lobbyHandlers struct {
	lobbies   *lobbies.Lobbies
	directory *directory.Directory
}

func (h *lobbyHandlers) routes() []api.Route {
	const one, member = "/lobbies/{lobby_id}", "/lobbies/{lobby_id}/members/{user_id}"
	return []api.Route{
		{
			Method: http.MethodPost, Path: "/lobbies", Name: "lobbies.create", Doc: "Create a lobby.", Allow: api.LobbyApps,
			Group: ratelimit.LobbiesCreate, Body: "LobbyInput", Answer: map[int]string{201: "Lobby"}, Handle: h.create, Decides: true,
		},
		h.searchRoute(),
		{
			Method: http.MethodPut, Path: "/lobbies", Name: "lobbies.join", Doc: "Join the lobby of a secret, or create it.",
			Allow: api.LobbyClients, Group: ratelimit.LobbiesJoin, Body: "LobbyJoin", Answer: map[int]string{200: "Lobby"}, Handle: h.join,
		},
		{
			Method: http.MethodGet, Path: one, Name: "lobbies.get", Doc: "Read a lobby.", Allow: api.LobbyApps,
			Group: ratelimit.LobbiesGet, Answer: map[int]string{200: "Lobby"}, Handle: h.get,
		},
		{
			Method: http.MethodPatch, Path: one, Name: "lobbies.edit", Doc: "Change a lobby.", Allow: api.LobbyApps,
			Group: ratelimit.LobbiesEdit, Body: "LobbyInput", Answer: map[int]string{200: "Lobby"}, Handle: h.edit, Decides: true,
		},
		{
			Method: http.MethodDelete, Path: one, Name: "lobbies.delete", Doc: "Delete a lobby. It is safe to repeat.", Allow: api.LobbyApps,
			Group: ratelimit.LobbiesDelete, Answer: map[int]string{204: ""}, Handle: h.delete, Decides: true,
		},
		{
			Method: http.MethodPut, Path: member, Name: "lobbies.members.put", Doc: "Add a member to a lobby, or change the member.",
			Allow: api.LobbyApps, Group: ratelimit.MembersAdd, Body: "LobbyMemberInput", Answer: map[int]string{200: "LobbyMember"}, Handle: h.putMember, Decides: true,
		},
		{
			Method: http.MethodDelete, Path: member, Name: "lobbies.members.remove", Doc: "Remove a member from a lobby. It is safe to repeat.",
			Allow: api.LobbyApps, Group: ratelimit.MembersRemove, Answer: map[int]string{204: ""}, Handle: h.removeMember, Decides: true,
		},
		{
			Method: http.MethodPost, Path: one + "/members/bulk", Name: "lobbies.members.bulk", Doc: "Add, change and remove many members of a lobby.",
			Allow: api.LobbyApps, Group: ratelimit.MembersBulk, Body: "LobbyBulk", Answer: map[int]string{200: "LobbyMembers"}, Handle: h.bulkMembers, Decides: true,
		},
		{
			Method: http.MethodDelete, Path: one + "/members/@me", Name: "lobbies.leave", Doc: "Leave a lobby that was created by a secret.",
			Allow: api.LobbyClients, Group: ratelimit.LobbiesLeave, Answer: map[int]string{204: ""}, Handle: h.leave, Decides: true,
		},
		{
			Method: http.MethodPatch, Path: one + "/channel-linking", Name: "lobbies.link", Doc: "Link a lobby to a channel, or unlink it.",
			Allow: api.LobbyClients, Group: ratelimit.LobbiesLink, Body: "LobbyLink", Answer: map[int]string{200: "Lobby"}, Handle: h.link,
		},
	}
}

// lobbyID returns the lobby of the path.
func lobbyID(c *api.Call) (snowflake.Lobby, error) {
	return api.PathID[snowflake.Lobby](c, "lobby_id")
}

// lobbyBody returns the lobby of the path and the object in the body.
func lobbyBody(c *api.Call) (snowflake.Lobby, jsonbody.Value, error) {
	id, err := lobbyID(c)
	if err != nil {
		return 0, jsonbody.Value{}, err
	}
	body, err := c.ReadObject()
	return id, body, err
}

// lobbyMember returns the lobby and the user of the path.
func lobbyMember(c *api.Call) (snowflake.Lobby, snowflake.User, error) {
	id, err := lobbyID(c)
	if err != nil {
		return 0, 0, err
	}
	user, err := api.PathID[snowflake.User](c, "user_id")
	return id, user, err
}

func (h *lobbyHandlers) create(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	made, err := h.lobbies.Create(c.Context(), c.Principal.Application, body)
	return h.answer(c, http.StatusCreated, made, err)
}

func (h *lobbyHandlers) join(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	joined, err := h.lobbies.Join(c.Context(), c.Principal.Application, c.Principal.User, body)
	return h.answer(c, http.StatusOK, joined, err)
}

func (h *lobbyHandlers) get(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	found, err := h.lobbies.Lobby(c.Context(), c.Principal.Application, id)
	return h.answer(c, http.StatusOK, found, err)
}

func (h *lobbyHandlers) edit(c *api.Call) error {
	id, body, err := lobbyBody(c)
	if err != nil {
		return err
	}
	edited, err := h.lobbies.Edit(c.Context(), c.Principal.Application, id, body)
	return h.answer(c, http.StatusOK, edited, err)
}

func (h *lobbyHandlers) link(c *api.Call) error {
	id, body, err := lobbyBody(c)
	if err != nil {
		return err
	}
	linked, err := h.lobbies.Links.Set(c.Context(), c.Principal.Application, id, c.Principal.User, body)
	return h.answer(c, http.StatusOK, linked, err)
}

func (h *lobbyHandlers) delete(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.lobbies.Delete(c.Context(), c.Principal.Application, id))
}

func (h *lobbyHandlers) leave(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.lobbies.Members.Leave(c.Context(), c.Principal.Application, id, c.Principal.User))
}

func (h *lobbyHandlers) putMember(c *api.Call) error {
	id, user, err := lobbyMember(c)
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	m, err := h.lobbies.Members.Put(c.Context(), c.Principal.Application, id, user, body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, m.AppendJSON(nil))
}

func (h *lobbyHandlers) removeMember(c *api.Call) error {
	id, user, err := lobbyMember(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.lobbies.Members.Remove(c.Context(), c.Principal.Application, id, user))
}

func (h *lobbyHandlers) bulkMembers(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		return jsonbody.ErrInvalid
	}
	put, err := h.lobbies.Members.Bulk(c.Context(), c.Principal.Application, id, body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, lobby.AppendMembers(nil, put))
}

// answer answers with a lobby, or returns err.
func (h *lobbyHandlers) answer(c *api.Call, status int, st *lobbies.State, err error) error {
	if err != nil {
		return err
	}
	body, err := h.lobbies.Body(c.Context(), st)
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}
