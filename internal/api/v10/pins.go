package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// pinHandlers serve the pinned messages of channels.
type pinHandlers struct {
	messages *messages.Messages
}

func (h *pinHandlers) routes() []api.Route {
	const all, old = "/channels/{channel_id}/messages/pins", "/channels/{channel_id}/pins"
	return []api.Route{
		{
			Method: http.MethodGet, Path: all, Name: "channels.pins", Doc: "List the pinned messages of a channel, the newest pin first.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Pins"}, Handle: h.listPins,
			Query: []api.Parameter{
				{Name: "before", Kind: "string", Doc: "Only messages that were pinned before this time, in ISO 8601."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of messages, 1 to 50; default 50."},
			},
		},
		{
			Method: http.MethodPut, Path: all + "/{message_id}", First: true, Name: "channels.pins.create", Doc: "Pin a message.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{204: ""}, Handle: h.pin,
		},
		{
			Method: http.MethodDelete, Path: all + "/{message_id}", First: true, Name: "channels.pins.delete", Doc: "Unpin a message.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{204: ""}, Handle: h.unpin,
		},
		{
			Method: http.MethodGet, Path: old, Name: "channels.pins.old", Doc: "List the newest 50 pinned messages of a channel without their reactions.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Messages"}, Handle: h.listOldPins,
		},
		{
			Method: http.MethodPut, Path: old + "/{message_id}", Name: "channels.pins.old.create", Doc: "Pin a message: the older path.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{204: ""}, Handle: h.pin,
		},
		{
			Method: http.MethodDelete, Path: old + "/{message_id}", Name: "channels.pins.old.delete", Doc: "Unpin a message: the older path.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{204: ""}, Handle: h.unpin,
		},
	}
}

func (h *pinHandlers) listPins(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	page := messages.PinsPage{Before: q.Time("before"), Limit: q.Limit(messages.MaxPinsPage, messages.MaxPinsPage)}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Result(h.messages.Pins(c.Context(), viewerOf(c), channel, page))
}

func (h *pinHandlers) listOldPins(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.Result(h.messages.OldPins(c.Context(), viewerOf(c), channel))
}

func (h *pinHandlers) pin(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.Pin(c.Context(), viewerOf(c), channel, id))
}

func (h *pinHandlers) unpin(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.Unpin(c.Context(), viewerOf(c), channel, id))
}
