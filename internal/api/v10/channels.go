package v10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// channelHandlers serve channels, and direct messages between users.
type channelHandlers struct {
	directory *directory.Directory
	channels  *channels.Channels
	threads   *threads.Threads
}

func (h *channelHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}", Name: "channels.get", Doc: "Read a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "AnyChannel"}, Handle: h.getChannel,
		},
		{
			Method: http.MethodPatch, Path: "/channels/{channel_id}", Name: "channels.edit", Doc: "Edit a channel or a thread.",
			Allow: api.Participants, Group: ratelimit.ChannelsEdit, Reason: true, Body: "ChannelPatch", Answer: map[int]string{200: "AnyChannel"},
			Handle: h.editChannel,
		},
		{
			Method: http.MethodDelete, Path: "/channels/{channel_id}", Name: "channels.delete",
			Doc:   "Delete a channel of a guild or a thread. A direct message channel stays.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{200: "AnyChannel"}, Handle: h.deleteChannel,
		},
		{
			Method: http.MethodPut, Path: "/channels/{channel_id}/permissions/{overwrite_id}", Name: "channels.permissions.set",
			Doc:   "Set the permission overwrite of a role or a member in a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Body: "OverwriteInput", Answer: map[int]string{204: ""}, Handle: h.setOverwrite,
		},
		{
			Method: http.MethodDelete, Path: "/channels/{channel_id}/permissions/{overwrite_id}", Name: "channels.permissions.delete",
			Doc:   "Delete the permission overwrite of a role or a member in a channel.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Answer: map[int]string{204: ""}, Handle: h.deleteOverwrite,
		},
		{
			Method: http.MethodPost, Path: "/guilds/{guild_id}/channels", Name: "guilds.channels.create", Doc: "Create a channel of a guild.",
			Allow: api.Participants, Group: ratelimit.Other, Reason: true, Body: "ChannelInput", Answer: map[int]string{201: "Channel"}, Handle: h.createChannel,
		},
		{
			Method: http.MethodPatch, Path: "/guilds/{guild_id}/channels", Name: "guilds.channels.move",
			Doc:   "Set the positions and categories of channels of a guild.",
			Allow: api.Participants, Group: ratelimit.Other, Body: "ChannelMoves", Answer: map[int]string{204: ""}, Handle: h.moveChannels,
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
		return c.OK(h.directory.Channels.ThreadFor(c.Context(), &view.Channel, viewerOf(c).User))
	}
	return c.OK(h.directory.Channels.Shown(c.Context(), view))
}

// editChannel edits a channel, or a thread by its own rules.
func (h *channelHandlers) editChannel(c *api.Call) error {
	id, body, err := api.PathBody[snowflake.Channel](c, "channel_id", c.ReadObject)
	if err != nil {
		return err
	}
	found, err := h.directory.Channels.Channel(c.Context(), id)
	if err != nil {
		return err
	}
	if renames(found, body) {
		if err := c.Take(ratelimit.ChannelsRename, id); err != nil {
			return err
		}
	}
	if world.IsThread(found.Type) {
		return c.Result(h.threads.Edit(c.Context(), viewerOf(c), id, body))
	}
	return c.OK(h.channels.Edit(c.Context(), viewerOf(c), id, body))
}

// renames reports whether a body changes the name or the topic of a channel.
func renames(found *store.Channel, body jsonbody.Value) bool {
	name, topic := body.Get("name"), body.Get("topic")
	return name.Kind() == jsonbody.String && name.Text() != found.Name || topic.Kind() == jsonbody.String && topic.Text() != found.Topic
}

func (h *channelHandlers) deleteChannel(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	found, err := h.directory.Channels.Channel(c.Context(), id)
	switch {
	case err != nil:
		return err
	case found.Guild == 0:
		return h.getChannel(c)
	case world.IsThread(found.Type):
		return c.Result(h.threads.Delete(c.Context(), viewerOf(c), id))
	}
	return c.OK(h.channels.Delete(c.Context(), viewerOf(c), id))
}

// overwritePath returns the channel and the role or user in the path of a request.
func overwritePath(c *api.Call) (id snowflake.Channel, target snowflake.Target, err error) {
	return api.PathIDs[snowflake.Channel, snowflake.Target](c, "channel_id", "overwrite_id")
}

func (h *channelHandlers) setOverwrite(c *api.Call) error {
	id, target, err := overwritePath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.NoContent(h.channels.SetOverwrite(c.Context(), viewerOf(c), id, target, body))
}

func (h *channelHandlers) deleteOverwrite(c *api.Call) error {
	id, target, err := overwritePath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.channels.DeleteOverwrite(c.Context(), viewerOf(c), id, target))
}

func (h *channelHandlers) createChannel(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.Created(h.channels.Create(c.Context(), viewerOf(c), guild, body))
}

func (h *channelHandlers) moveChannels(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadJSON)
	if err != nil {
		return err
	}
	return c.NoContent(h.channels.Move(c.Context(), viewerOf(c), guild, body))
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
	if !viewer.Bot {
		if err := h.limitOpening(c, others); err != nil {
			return err
		}
	}
	view, err := h.directory.Channels.OpenDirect(c.Context(), viewer.User, others)
	switch {
	case errors.Is(err, directory.ErrUnknownUser):
		return apierror.InvalidRecipient
	case errors.Is(err, directory.ErrNoConversation):
		return apierror.NoConversation
	case err != nil:
		return err
	}
	return c.OK(h.directory.Channels.Shown(c.Context(), view))
}

// limitOpening counts a direct message channel that a person opens for the first time.
func (h *channelHandlers) limitOpening(c *api.Call, others []snowflake.User) error {
	known, err := h.directory.Channels.HasDirect(c.Context(), c.Principal.User, others)
	if err != nil || known {
		return err
	}
	return c.Take(ratelimit.DirectOpen, 0)
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
