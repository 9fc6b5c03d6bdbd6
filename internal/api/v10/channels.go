package v10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// channelHandlers serve channels, and direct messages between users.
type channelHandlers struct {
	directory *directory.Directory
}

func (h *channelHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}", Name: "channels.get", Doc: "Read a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "AnyChannel"}, Handle: h.getChannel,
		},
		{
			Method: http.MethodGet, Path: "/users/@me/channels", Name: "users.channels",
			Doc: "List the direct message channels of the caller.", Allow: api.People, Group: ratelimit.Other,
			Answer: map[int]string{200: "DirectChannels"}, Handle: h.listDirects,
		},
		{
			Method: http.MethodPost, Path: "/users/@me/channels", Name: "users.channels.open",
			Doc:   "Open the direct message channel between the caller and other users. It is created once and then always the same.",
			Allow: api.Participants, Group: ratelimit.Other, Body: "DirectOpen", Answer: map[int]string{200: "DirectChannel"}, Handle: h.openDirect,
		},
	}
}

func (h *channelHandlers) getChannel(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	view, err := h.directory.Channels.View(c.Context(), id, viewerOf(c))
	if err != nil {
		return err
	}
	if world.IsThread(view.Channel.Type) {
		thread, err := h.directory.Channels.ThreadFor(c.Context(), &view.Channel, viewerOf(c).User)
		if err != nil {
			return err
		}
		return c.Value(http.StatusOK, thread)
	}
	shown, err := h.directory.Channels.Shown(c.Context(), view)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, shown)
}

func (h *channelHandlers) listDirects(c *api.Call) error {
	views, err := h.directory.Channels.Directs(c.Context(), c.Principal.User)
	if err != nil {
		return err
	}
	list := make([]wire.Direct, len(views))
	for i, view := range views {
		if list[i], err = h.directory.Channels.ShownDirect(c.Context(), view); err != nil {
			return err
		}
	}
	return c.Value(http.StatusOK, list)
}

func (h *channelHandlers) openDirect(c *api.Call) error {
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	others := readRecipients(&t, body)
	if err := t.Err(); err != nil {
		return err
	}
	viewer := viewerOf(c)
	if viewer.Bot && len(others) > 1 {
		return api.ErrNoBots
	}
	view, err := h.directory.Channels.OpenDirect(c.Context(), viewer.User, others)
	if errors.Is(err, directory.ErrUnknownUser) {
		return errRecipient
	}
	if err != nil {
		return err
	}
	shown, err := h.directory.Channels.Shown(c.Context(), view)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, shown)
}

// readRecipients reads the members recipients or recipient_id of a body.
func readRecipients(t *jsonbody.Tree, body jsonbody.Value) []snowflake.User {
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
