package v10

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
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
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Messages"}, Handle: h.listMessages,
			Query: []api.Parameter{
				{Name: "before", Kind: "string", Doc: "Only messages before this id."},
				{Name: "after", Kind: "string", Doc: "Only messages after this id."},
				{Name: "around", Kind: "string", Doc: "Messages around this id."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of messages, 1 to 100; default 50."},
			},
		},
		{
			Method: http.MethodGet, Path: all + "/{message_id}", Name: "channels.messages.get", Doc: "Read a message of a channel.",
			Allow: api.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "Message"}, Handle: h.getMessage,
		},
		{
			Method: http.MethodPost, Path: all, Name: "channels.messages.create", Doc: "Send a message to a channel.",
			Allow: api.Participants, Group: ratelimit.ChannelMessagesWrite, Body: "ChannelMessageInput", Files: true, Answer: map[int]string{200: "Message"},
			Handle: h.createMessage,
		},
		{
			Method: http.MethodPatch, Path: all + "/{message_id}", Name: "channels.messages.edit", Doc: "Edit a message of a channel.",
			Allow: api.Participants, Group: ratelimit.ChannelMessagesWrite, Body: "ChannelMessageInput", Files: true, Answer: map[int]string{200: "Message"},
			Handle: h.editMessage,
		},
		{
			Method: http.MethodDelete, Path: all + "/{message_id}", Name: "channels.messages.delete", Doc: "Delete a message of a channel.",
			Allow: api.Participants, Group: ratelimit.ChannelMessagesDelete, Reason: true, GroupOf: deleteGroup,
			Answer: map[int]string{204: ""}, Handle: h.deleteMessage,
		},
		{
			Method: http.MethodPost, Path: all + "/bulk-delete", Name: "channels.messages.bulk_delete",
			Doc: "Delete 2 to 100 messages of a channel that are under 14 days old.", Allow: api.Bots, Group: ratelimit.ChannelMessagesBulkDelete, Reason: true,
			Body: "BulkDelete", Answer: map[int]string{204: ""}, Handle: h.deleteMessages,
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
	if given := q.Values; given.Has("before") && (given.Has("after") || given.Has("around")) || given.Has("after") && given.Has("around") {
		q.At("limit").Add(jsonbody.Choices, "Only one of before, after and around can be given.")
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Result(h.messages.List(c.Context(), viewerOf(c), channel, page))
}

func (h *messageHandlers) getMessage(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	return c.Result(h.messages.Message(c.Context(), viewerOf(c), channel, id))
}

// channelMessage returns the channel and the message in the path of a request.
func channelMessage(c *api.Call) (channel snowflake.Channel, id snowflake.Message, err error) {
	if channel, err = api.PathID[snowflake.Channel](c, "channel_id"); err == nil {
		id, err = api.PathID[snowflake.Message](c, "message_id")
	}
	return channel, id, err
}

func (h *messageHandlers) createMessage(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	return c.Result(h.messages.Create(c.Context(), viewerOf(c), channel, messages.Request{Body: p.Body, Files: uploads(p.Files)}))
}

func (h *messageHandlers) editMessage(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	if err := h.limitEdit(c, channel, id); err != nil {
		return err
	}
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	return c.Result(h.messages.Edit(c.Context(), viewerOf(c), channel, id, messages.Request{Body: p.Body, Files: uploads(p.Files)}))
}

// limitEdit counts the edit of an old message and of a published one.
func (h *messageHandlers) limitEdit(c *api.Call, channel snowflake.Channel, id snowflake.Message) error {
	if ratelimit.IsOldEdit(id, h.messages.Clock.Now()) {
		if err := c.Take(ratelimit.ChannelMessagesEditOld, channel); err != nil {
			return err
		}
	}
	published, err := h.messages.IsPublished(c.Context(), channel, id)
	if err != nil || !published {
		return err
	}
	return c.Take(ratelimit.ChannelMessagesEditPublished, channel)
}

// deleteGroup returns the rate limit group of the deletion of a message.
func deleteGroup(c *api.Call, now time.Time) ratelimit.Group {
	_, id, _ := channelMessage(c) // reported after the limits
	return ratelimit.DeleteGroup(id, now)
}

func (h *messageHandlers) deleteMessage(c *api.Call) error {
	channel, id, err := channelMessage(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.DeleteOne(c.Context(), viewerOf(c), channel, id))
}

func (h *messageHandlers) deleteMessages(c *api.Call) error {
	channel, body, err := api.PathBody[snowflake.Channel](c, "channel_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.DeleteBulk(c.Context(), viewerOf(c), channel, body))
}
