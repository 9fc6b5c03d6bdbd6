package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) historyRoutes() []route {
	const all = "/channels/{channel_id}/messages"
	return []route{
		{
			method: http.MethodGet, path: all, name: "channels.messages", doc: "List the messages of a channel, the newest first.",
			allow: accounts, group: ratelimit.Other, answer: map[int]string{200: "Messages"}, handle: a.listMessages,
			query: []parameter{
				{"before", "string", "Those before the message with this id."},
				{"after", "string", "Those after it."},
				{"around", "string", "Those around it."},
				{"limit", "integer", "How many at the most, 1 to 100; 50 when it is left out."},
			},
		},
		{
			method: http.MethodGet, path: all + "/{message_id}", name: "channels.messages.get", doc: "Read a message of a channel.",
			allow: accounts, group: ratelimit.Other, answer: map[int]string{200: "Message"}, handle: a.getMessage,
		},
	}
}

func (a *API) listMessages(c *call) error {
	channel, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.query()
	page := messages.Page{
		Before: queryID[snowflake.Message](q, "before"), After: queryID[snowflake.Message](q, "after"),
		Around: queryID[snowflake.Message](q, "around"), Limit: q.limit(messages.DefaultPage, messages.MaxPage),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.found(a.Interactions.Messages().List(c.r.Context(), c.visitor(), channel, page))
}

func (a *API) getMessage(c *call) error {
	channel, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	id, err := pathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	return c.found(a.Interactions.Messages().One(c.r.Context(), c.visitor(), channel, id))
}
