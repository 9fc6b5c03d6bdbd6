package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) memberRoutes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodDelete, Path: "/guilds/{guild_id}/members/{user_id}", Name: "guilds.members.kick",
			Doc: "Remove a member from a guild.", Allow: api.Participants, Group: ratelimit.Other, Reason: true,
			Answer: map[int]string{204: ""}, Handle: h.kick,
		},
	}
}

// memberPath returns the guild and the user in the path of a request.
func memberPath(c *api.Call) (guild snowflake.Guild, user snowflake.User, err error) {
	if guild, err = api.PathID[snowflake.Guild](c, "guild_id"); err == nil {
		user, err = api.PathID[snowflake.User](c, "user_id")
	}
	return guild, user, err
}

func (h *moderationHandlers) kick(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.Kick(c.Context(), viewerOf(c), guild, user))
}
