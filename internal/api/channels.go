package api

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) channelRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/channels/{channel_id}", name: "channels.get", doc: "Read a channel.",
			allow: accounts, group: ratelimit.Other, answer: map[int]string{200: "AnyChannel"}, handle: a.getChannel,
		},
		{
			method: http.MethodGet, path: "/users/@me/channels", name: "users.channels",
			doc: "List the channels between the caller and others.", allow: people, group: ratelimit.Other,
			answer: map[int]string{200: "DirectChannels"}, handle: a.listDirects,
		},
		{
			method: http.MethodPost, path: "/users/@me/channels", name: "users.channels.open",
			doc:   "Open the channel between the caller and others; the same one every time.",
			allow: accounts, group: ratelimit.Other, body: "DirectOpen", answer: map[int]string{200: "DirectChannel"}, handle: a.openDirect,
		},
	}
}

func (a *API) getChannel(c *call) error {
	id, err := pathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	s, err := a.Directory.Sight(c.r.Context(), id, c.visitor())
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, channelOf(s))
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

func (a *API) listDirects(c *call) error {
	sights, err := a.Directory.Directs(c.r.Context(), c.principal.User)
	if err != nil {
		return err
	}
	list := make([]wire.Direct, len(sights))
	for i, s := range sights {
		list[i] = wire.DirectOf(s.Channel, s.Others)
	}
	return c.value(http.StatusOK, list)
}

func (a *API) openDirect(c *call) error {
	body, err := c.readJSON()
	if err != nil {
		return err
	}
	var t problem.Tree
	others := readRecipients(&t, body)
	if err := t.Err(); err != nil {
		return err
	}
	who := c.visitor()
	if who.Bot && len(others) > 1 {
		return errNoBots
	}
	s, err := a.Directory.OpenDirect(c.r.Context(), who.User, others)
	if errors.Is(err, directory.ErrUnknownUser) {
		return errRecipient
	}
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.DirectOf(s.Channel, s.Others))
}

func readRecipients(t *problem.Tree, body form.Value) []snowflake.User {
	if body.Kind() == form.Absent {
		body = form.ObjectOf()
	}
	body, ok := form.AsObject(t, body)
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
		id, _ := form.AsID[snowflake.User](t.At("recipient_id"), one)
		return []snowflake.User{id}
	}
	items, _ := form.AsList(t.At("recipients"), list)
	if len(items) > directory.MaxRecipients-1 {
		t.At("recipients").Length(-1, directory.MaxRecipients-1)
		return nil
	}
	var ids []snowflake.User
	for i, item := range items {
		id, _ := form.AsID[snowflake.User](t.At("recipients").Index(i), item)
		ids = append(ids, id)
	}
	return ids
}
