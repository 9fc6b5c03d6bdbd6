package v10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/snowflake"
)

// inviteHandlers serve invites to guilds: those of channels, and those that lobbies make.
type inviteHandlers struct {
	invites   *invites.Invites
	lobbies   *lobbies.Lobbies
	directory *directory.Directory
	guilds    *guilds.Guilds
}

func (h *inviteHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/invites", Name: "channels.invites", Doc: "List the invites to a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Invites"}, Handle: h.listOfChannel,
		},
		{
			Method: http.MethodPost, Path: "/channels/{channel_id}/invites", Name: "channels.invites.create", Doc: "Create an invite to a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Body: "InviteInput", Reason: true, Answer: map[int]string{200: "Invite"},
			Handle: h.create,
		},
		{
			Method: http.MethodGet, Path: "/guilds/{guild_id}/invites", Name: "guilds.invites", Doc: "List the invites to a guild.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Invites"}, Handle: h.listOfGuild,
		},
		{
			Method: http.MethodGet, Path: "/invites/{code}", Name: "invites.get", Doc: "Read an invite.",
			Allow: api.Clients, Group: ratelimit.Other, Query: []api.Parameter{withCounts}, Answer: map[int]string{200: "Invite"}, Handle: h.get,
		},
		{
			Method: http.MethodPost, Path: "/invites/{code}", Name: "invites.accept", Doc: "Join a guild with an invite.",
			Allow: api.People, Group: ratelimit.Other, Answer: map[int]string{200: "Invite"}, Handle: h.accept,
		},
		{
			Method: http.MethodDelete, Path: "/invites/{code}", Name: "invites.delete", Doc: "Delete an invite to a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{200: "Invite"}, Handle: h.delete,
		},
	}
}

func (h *inviteHandlers) listOfChannel(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.OK(h.invites.OfChannel(c.Context(), viewerOf(c), id))
}

func (h *inviteHandlers) listOfGuild(c *api.Call) error {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.OK(h.invites.OfGuild(c.Context(), viewerOf(c), id))
}

func (h *inviteHandlers) create(c *api.Call) error {
	id, body, err := api.PathBody[snowflake.Channel](c, "channel_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.OK(h.invites.Create(c.Context(), viewerOf(c), id, body))
}

func (h *inviteHandlers) get(c *api.Call) error {
	q := c.Query()
	counted := q.Bool("with_counts")
	if err := q.Err(); err != nil {
		return err
	}
	code := c.Request.PathValue("code")
	found, err := h.invites.Get(c.Context(), code)
	if errors.Is(err, apierror.UnknownInvite) {
		return h.ofLobby(c)(h.lobbies.Invites.Get(c.Context(), code))
	}
	if err != nil {
		return err
	}
	if found.Counts, err = countMembers(c, h.guilds, found.GuildID, counted); err != nil {
		return err
	}
	return c.Value(http.StatusOK, found)
}

func (h *inviteHandlers) accept(c *api.Call) error {
	code := c.Request.PathValue("code")
	accepted, err := h.invites.Accept(c.Context(), c.Principal.User, code)
	if errors.Is(err, apierror.UnknownInvite) {
		return h.ofLobby(c)(h.lobbies.Invites.Accept(c.Context(), c.Principal.User, code))
	}
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, accepted)
}

// ofLobby returns a function that answers with the invite of a lobby.
func (h *inviteHandlers) ofLobby(c *api.Call) func(lobbies.Invite, error) error {
	return func(invite lobbies.Invite, err error) error {
		if err != nil {
			return err
		}
		guild, err := h.directory.Guilds.State(c.Context(), invite.Channel.Guild)
		if err != nil {
			return err
		}
		return c.Value(http.StatusOK, convert.WireInvite(invite.Code, invite.Expires, guild.Guild, invite.Channel))
	}
}

func (h *inviteHandlers) delete(c *api.Call) error {
	return c.OK(h.invites.Delete(c.Context(), viewerOf(c), c.Request.PathValue("code")))
}
