package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) inviteRoutes() []httpapi.Route {
	const member = "/lobbies/{lobby_id}/members/"
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: member + "@me/invites", Name: "lobbies.invites.own",
			Doc:   "Make an invite for oneself to the guild of the channel that a lobby is linked with. It serves once, within an hour.",
			Allow: httpapi.LobbyClients, Group: ratelimit.LobbiesInvite, Answer: map[int]string{200: "InviteCode"}, Handle: inLobby(a.inviteMyself),
		},
		{
			Method: http.MethodPost, Path: member + "{user_id}/invites", Name: "lobbies.invites.make",
			Doc:   "Make an invite for a member to the guild of the channel that a lobby is linked with. It serves once, within an hour.",
			Allow: httpapi.LobbyApps, Group: ratelimit.LobbiesInvite, Answer: map[int]string{200: "InviteCode"}, Handle: inLobby(a.inviteMember),
		},
		{
			Method: http.MethodPost, Path: "/invites/{code}", Name: "invites.accept", Doc: "Enter a guild by an invite that is for the caller.",
			Allow: httpapi.People, Group: ratelimit.Other, Answer: map[int]string{200: "Invite"}, Handle: a.acceptInvite,
		},
	}
}

// inviteCode is how a new invite is shown.
type inviteCode struct {
	Code string `json:"code"`
}

func (a *API) inviteMyself(c *httpapi.Call, id snowflake.Lobby) error {
	return a.invite(c, id, c.Principal.User, lobbies.ErrNotMember)
}

func (a *API) inviteMember(c *httpapi.Call, id snowflake.Lobby) error {
	user, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return a.invite(c, id, user, directory.ErrUnknownMember)
}

// invite answers with a new invite. absent is the error when the user is no member.
func (a *API) invite(c *httpapi.Call, id snowflake.Lobby, user snowflake.User, absent error) error {
	code, err := a.Lobbies.Invite(c.Context(), c.Principal.Application, id, user, absent)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, inviteCode{code})
}

func (a *API) acceptInvite(c *httpapi.Call) error {
	accepted, err := a.Lobbies.Accept(c.Context(), c.Principal.User, c.Request.PathValue("code"))
	if err != nil {
		return err
	}
	guild, err := a.Directory.Guild(c.Context(), accepted.Channel.Guild)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.InviteOf(accepted.Code, wire.Time(accepted.Expires), guild.Guild, accepted.Channel))
}
