package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *lobbyHandlers) inviteRoutes() []api.Route {
	const member = "/lobbies/{lobby_id}/members/"
	return []api.Route{
		{
			Method: http.MethodPost, Path: member + "@me/invites", Name: "lobbies.invites.own",
			Doc:   "Create an invite for the caller to the guild of the lobby's linked channel. It can be used once, within an hour.",
			Allow: api.LobbyClients, Group: ratelimit.LobbiesInvite, Answer: map[int]string{200: "InviteCode"}, Handle: h.inviteMyself,
		},
		{
			Method: http.MethodPost, Path: member + "{user_id}/invites", Name: "lobbies.invites.make",
			Doc:   "Create an invite for a member to the guild of the lobby's linked channel. It can be used once, within an hour.",
			Allow: api.LobbyApps, Group: ratelimit.LobbiesInvite, Answer: map[int]string{200: "InviteCode"}, Handle: h.inviteMember,
		},
	}
}

// inviteCode is the response to a new invite.
type inviteCode struct {
	Code string `json:"code"`
}

func (h *lobbyHandlers) inviteMyself(c *api.Call) error {
	id, err := lobbyID(c)
	if err != nil {
		return err
	}
	return h.invite(c, id, c.Principal.User, lobbies.ErrNotMember)
}

func (h *lobbyHandlers) inviteMember(c *api.Call) error {
	id, user, err := lobbyMember(c)
	if err != nil {
		return err
	}
	return h.invite(c, id, user, directory.ErrUnknownMember)
}

// invite answers with a new invite. absent is the error if the user is not a member of the lobby.
func (h *lobbyHandlers) invite(c *api.Call, id snowflake.Lobby, user snowflake.User, absent error) error {
	code, err := h.lobbies.Invites.Create(c.Context(), c.Principal.Application, id, user, absent)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, inviteCode{code})
}
