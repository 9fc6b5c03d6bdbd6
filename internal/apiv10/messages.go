package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) historyRoutes() []httpapi.Route {
	const all = "/channels/{channel_id}/messages"
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: all, Name: "channels.messages", Doc: "List the messages of a channel, the newest first.",
			Allow: httpapi.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "Messages"}, Handle: a.listMessages,
			Query: []httpapi.Parameter{
				{Name: "before", Kind: "string", Doc: "Those before the message with this id."},
				{Name: "after", Kind: "string", Doc: "Those after it."},
				{Name: "around", Kind: "string", Doc: "Those around it."},
				{Name: "limit", Kind: "integer", Doc: "How many at the most, 1 to 100; 50 when it is left out."},
			},
		},
		{
			Method: http.MethodGet, Path: all + "/{message_id}", Name: "channels.messages.get", Doc: "Read a message of a channel.",
			Allow: httpapi.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "Message"}, Handle: a.getMessage,
		},
	}
}

func (a *API) listMessages(c *httpapi.Call) error {
	channel, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	page := messages.Page{
		Before: httpapi.QueryID[snowflake.Message](q, "before"), After: httpapi.QueryID[snowflake.Message](q, "after"),
		Around: httpapi.QueryID[snowflake.Message](q, "around"), Limit: q.Limit(messages.DefaultPage, messages.MaxPage),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Found(a.Interactions.Messages().List(c.Context(), visitorOf(c), channel, page))
}

func (a *API) getMessage(c *httpapi.Call) error {
	channel, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	id, err := httpapi.PathID[snowflake.Message](c, "message_id")
	if err != nil {
		return err
	}
	return c.Found(a.Interactions.Messages().One(c.Context(), visitorOf(c), channel, id))
}
