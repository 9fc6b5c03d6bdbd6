package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) voiceRoutes() []api.Route {
	const path = "/guilds/{guild_id}/voice-states"
	route := func(path, name, doc string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: path, Name: name, Doc: doc, Answer: map[int]string{200: "VoiceState"}, Handle: handle,
			Allow: api.Participants, Group: ratelimit.Other,
		}
	}
	return []api.Route{
		route(path+"/@me", "guilds.voice-states.get-own", "Read the voice state of the caller.", h.getOwnVoice),
		route(path+"/{user_id}", "guilds.voice-states.get", "Read the voice state of a member.", h.getVoice),
	}
}

func (h *moderationHandlers) getOwnVoice(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return h.answerVoice(c, guild, viewerOf(c).User)
}

func (h *moderationHandlers) getVoice(c *api.Call) error {
	guild, user, err := memberPath(c)
	if err != nil {
		return err
	}
	return h.answerVoice(c, guild, user)
}

func (h *moderationHandlers) answerVoice(c *api.Call, guild snowflake.Guild, user snowflake.User) error {
	return c.OK(h.guilds.VoiceState(c.Context(), viewerOf(c), guild, user))
}
