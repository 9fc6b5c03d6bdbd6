package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) inviteRoutes() []route {
	const member = "/lobbies/{lobby_id}/members/"
	return []route{
		{
			method: http.MethodPost, path: member + "@me/invites", name: "lobbies.invites.own",
			doc:   "Make an invite for oneself to the guild of the channel that a lobby is linked with. It serves once, within an hour.",
			allow: lobbyClients, group: ratelimit.LobbiesInvite, answer: map[int]string{200: "InviteCode"}, handle: inLobby(a.inviteMyself),
		},
		{
			method: http.MethodPost, path: member + "{user_id}/invites", name: "lobbies.invites.make",
			doc:   "Make an invite for a member to the guild of the channel that a lobby is linked with. It serves once, within an hour.",
			allow: lobbyApps, group: ratelimit.LobbiesInvite, answer: map[int]string{200: "InviteCode"}, handle: inLobby(a.inviteMember),
		},
		{
			method: http.MethodPost, path: "/invites/{code}", name: "invites.accept", doc: "Enter a guild by an invite that is for the caller.",
			allow: people, group: ratelimit.Other, answer: map[int]string{200: "Invite"}, handle: a.acceptInvite,
		},
	}
}

// inviteCode is how a new invite is shown.
type inviteCode struct {
	Code string `json:"code"`
}

func (a *API) inviteMyself(c *call, id snowflake.Lobby) error {
	return a.invite(c, id, c.principal.User, lobbies.ErrNotMember)
}

func (a *API) inviteMember(c *call, id snowflake.Lobby) error {
	user, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return a.invite(c, id, user, directory.ErrUnknownMember)
}

// invite answers with a new invite. absent is the error when the user is no member.
func (a *API) invite(c *call, id snowflake.Lobby, user snowflake.User, absent error) error {
	code, err := a.Lobbies.Invite(c.r.Context(), c.principal.Application, id, user, absent)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, inviteCode{code})
}

func (a *API) acceptInvite(c *call) error {
	accepted, err := a.Lobbies.Accept(c.r.Context(), c.principal.User, c.r.PathValue("code"))
	if err != nil {
		return err
	}
	guild, err := a.Directory.Guild(c.r.Context(), accepted.Channel.Guild)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.InviteOf(accepted.Code, wire.Time(accepted.Expires), guild.Guild, accepted.Channel))
}
