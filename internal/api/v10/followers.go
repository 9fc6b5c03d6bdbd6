package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// followerHandlers publish messages of announcement channels, and let other channels follow them.
type followerHandlers struct {
	hooks    *channelhook.Webhooks
	messages *messages.Messages
}

func (h *followerHandlers) routes() []api.Route {
	const one = "/channels/{channel_id}"
	return []api.Route{
		{
			Method: http.MethodPost, Path: one + "/messages/{message_id}/crosspost", Name: "channels.messages.crosspost",
			Doc:   "Publish a message of an announcement channel. The channels that follow get copies.",
			Allow: api.Participants, Group: ratelimit.ChannelCrosspost, Answer: map[int]string{200: "Message"}, Handle: h.publish,
		},
		{
			Method: http.MethodPost, Path: one + "/followers", Name: "channels.follow",
			Doc:   "Follow an announcement channel: a new webhook repeats its published messages in another channel.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Body: "Follow", Answer: map[int]string{200: "FollowedChannel"}, Handle: h.follow,
		},
	}
}

func (h *followerHandlers) publish(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	return c.Result(h.messages.Publish(c.Context(), viewerOf(c), channel, id))
}

func (h *followerHandlers) follow(c *api.Call) error {
	channel, body, err := api.PathBody[snowflake.Channel](c, "channel_id", c.ReadJSON)
	if err != nil {
		return err
	}
	return c.OK(h.hooks.Follow(c.Context(), viewerOf(c), channel, body))
}
