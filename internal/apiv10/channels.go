package apiv10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) channelRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}", Name: "channels.get", Doc: "Read a channel.",
			Allow: httpapi.Accounts, Group: ratelimit.Other, Answer: map[int]string{200: "AnyChannel"}, Handle: a.getChannel,
		},
		{
			Method: http.MethodGet, Path: "/users/@me/channels", Name: "users.channels",
			Doc: "List the channels between the caller and others.", Allow: httpapi.People, Group: ratelimit.Other,
			Answer: map[int]string{200: "DirectChannels"}, Handle: a.listDirects,
		},
		{
			Method: http.MethodPost, Path: "/users/@me/channels", Name: "users.channels.open",
			Doc:   "Open the channel between the caller and others; the same one every time.",
			Allow: httpapi.Accounts, Group: ratelimit.Other, Body: "DirectOpen", Answer: map[int]string{200: "DirectChannel"}, Handle: a.openDirect,
		},
	}
}

func (a *API) getChannel(c *httpapi.Call) error {
	id, err := httpapi.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	s, err := a.Directory.Sight(c.Context(), id, visitorOf(c))
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, channelOf(s))
}

func channelOf(s directory.Sight) any {
	switch {
	case s.Channel.Guild == 0:
		return wire.DirectOf(s.Channel, s.Others)
	case world.IsThread(s.Channel.Type):
		return wire.ThreadOf(s.Channel, s.Place.Owner)
	}
	return wire.ChannelOf(s.Channel)
}

func (a *API) listDirects(c *httpapi.Call) error {
	sights, err := a.Directory.Directs(c.Context(), c.Principal.User)
	if err != nil {
		return err
	}
	list := make([]wire.Direct, len(sights))
	for i, s := range sights {
		list[i] = wire.DirectOf(s.Channel, s.Others)
	}
	return c.Value(http.StatusOK, list)
}

func (a *API) openDirect(c *httpapi.Call) error {
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	others := readRecipients(&t, body)
	if err := t.Err(); err != nil {
		return err
	}
	who := visitorOf(c)
	if who.Bot && len(others) > 1 {
		return httpapi.ErrNoBots
	}
	s, err := a.Directory.OpenDirect(c.Context(), who.User, others)
	if errors.Is(err, directory.ErrUnknownUser) {
		return httpapi.ErrRecipient
	}
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.DirectOf(s.Channel, s.Others))
}

func readRecipients(t *jsonbody.Tree, body jsonbody.Value) []snowflake.User {
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	body, ok := jsonbody.AsObject(t, body)
	if !ok {
		return nil
	}
	list := body.Get("recipients")
	if !list.IsSet() {
		one := body.Get("recipient_id")
		if !one.IsSet() {
			t.At("recipient_id").Required()
			return nil
		}
		id, _ := jsonbody.AsID[snowflake.User](t.At("recipient_id"), one)
		return []snowflake.User{id}
	}
	items, _ := jsonbody.AsList(t.At("recipients"), list)
	if len(items) > directory.MaxRecipients-1 {
		t.At("recipients").Length(-1, directory.MaxRecipients-1)
		return nil
	}
	var ids []snowflake.User
	for i, item := range items {
		id, _ := jsonbody.AsID[snowflake.User](t.At("recipients").Index(i), item)
		ids = append(ids, id)
	}
	return ids
}
