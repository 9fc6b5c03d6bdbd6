package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// messageHandlers serve the messages of channels.
type messageHandlers struct {
	messages *messages.Messages
}

func (h *messageHandlers) routes() []api.Route {
	const all = "/channels/{channel_id}/messages"
	return []api.Route{
		{
			Method: http.MethodGet, Path: all, Name: "channels.messages", Doc: "List the messages of a channel, newest first.",
			Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "Messages"}, Handle: h.listMessages,
			Query: []api.Parameter{
				{Name: "before", Kind: "string", Doc: "Only messages before this id."},
				{Name: "after", Kind: "string", Doc: "Only messages after this id."},
				{Name: "around", Kind: "string", Doc: "Messages around this id."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of messages, 1 to 100; default 50."},
			},
		},
		{
			Method: http.MethodGet, Path: all + "/{message_id}", Name: "channels.messages.get", Doc: "Read a message of a channel.",
			Allow: api.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "Message"}, Handle: h.getMessage,
		},
	}
}

func (h *messageHandlers) listMessages(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	page := messages.Page{
		Before: api.QueryID[snowflake.Message](q, "before"), After: api.QueryID[snowflake.Message](q, "after"),
		Around: api.QueryID[snowflake.Message](q, "around"), Limit: q.Limit(messages.DefaultPage, messages.MaxPage),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Result(h.messages.List(c.Context(), viewerOf(c), channel, page))
}

func (h *messageHandlers) getMessage(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	id, err := api.PathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	return c.Result(h.messages.Message(c.Context(), viewerOf(c), channel, id))
}
