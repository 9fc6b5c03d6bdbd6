package directory

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ChannelKind describes channels of guilds, threads and direct-message channels.
var ChannelKind = Kind[store.Channel]{
	Name:   "channel",
	Target: channelTarget,
	Key:    store.ChannelKey,
	Read:   func(q store.DirectoryQueries, c store.Channel) (store.Channel, error) { return q.Channel(c.ID) },
	Show: func(c store.Channel) any {
		if c.Guild == 0 {
			return nil // direct messages are private
		}
		return convert.WorldChannel(c)
	},
	Events: channelEvents,
	Deleted: func(c store.Channel, t store.Tombstone) bool {
		return t.Kind == store.KindChannel && t.ID == uint64(c.ID)
	},
}

func channelTarget(c store.Channel) string {
	if c.Guild == 0 {
		return "channel/" + c.ID.String()
	}
	return "guild/" + c.Guild.String() + "/channel/" + c.ID.String()
}

func channelEvents(e *Events, before, after *store.Channel) error {
	c := cmp.Or(after, before)
	name := eventName(before, after, "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE")
	switch {
	case c.Guild == 0:
		return e.addDirect(name, c)
	case world.IsThread(c.Type):
		return threadEvents(e, before, after)
	}
	has, err := e.Messages.OfChannels(c.ID)
	if err != nil {
		return err
	}
	return e.AddToGuild(c.Guild, events.Guilds, name, convert.WireChannel(*c, has[c.ID]))
}

// threadEvents adds the event of a thread, for those who see its parent. THREAD_DELETE holds only its ids and type.
func threadEvents(e *Events, before, after *store.Channel) error {
	t := cmp.Or(after, before)
	to := events.Audience{Guild: t.Guild, Channel: t.Parent, Intents: events.Guilds}
	changed := &events.Change{Guild: t.Guild}
	if after == nil {
		return e.Add(store.GuildSubject(t.Guild), "THREAD_DELETE", struct {
			ID     snowflake.Channel `json:"id"`
			Guild  snowflake.Guild   `json:"guild_id"`
			Parent snowflake.Channel `json:"parent_id"`
			Type   int               `json:"type"`
		}{t.ID, t.Guild, t.Parent, t.Type}, to, changed)
	}
	g, err := e.Directory.Guild(t.Guild)
	if err != nil {
		return err
	}
	members, err := e.Threads.Members(t.ID)
	if err != nil {
		return err
	}
	has, err := e.Messages.Channel(t.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	to.Channel = t.ID
	shown := wire.NewThread{Thread: convert.WireThread(*t, g.Owner, len(members), has), New: before == nil}
	return e.Add(store.GuildSubject(t.Guild), eventName(before, after, "THREAD_CREATE", "THREAD_UPDATE", ""), shown, to, changed)
}

// Channels finds channels of guilds and keeps direct-message channels.
type Channels struct{ *shared }

// Channel returns a channel. The caller does not change it.
func (c *Channels) Channel(ctx context.Context, id snowflake.Channel) (*store.Channel, error) {
	if t := newThreadOf(ctx, id); t != nil {
		return t.channel, nil
	}
	channel, err := load(ctx, &c.cached.channels, id, ErrUnknownChannel)
	if err != nil {
		return nil, err
	}
	gone, err := c.tombstones(ctx)
	if err != nil {
		return nil, err
	}
	if gone.channel(*channel) {
		return nil, ErrUnknownChannel
	}
	return channel, nil
}

// ChannelView is a channel as a viewer sees it.
type ChannelView struct {
	Channel store.Channel
	Guild   *GuildState   // of a channel of a guild
	Others  []*store.User // of a direct-message channel: the recipients without the viewer
}

// Shown returns the API object of a channel that is not a thread, as its viewer sees it.
func (c *Channels) Shown(ctx context.Context, v ChannelView) (any, error) {
	has, err := load(ctx, &c.cached.messages, v.Channel.ID, ErrUnknownChannel)
	if err != nil {
		return nil, err
	}
	if v.Channel.Guild == 0 {
		return convert.WireDirect(v.Channel, v.Others, has.ChannelMessages), nil
	}
	return convert.WireChannel(v.Channel, has.ChannelMessages), nil
}

// ShownDirect returns the API object of a direct-message channel as its viewer sees it.
func (c *Channels) ShownDirect(ctx context.Context, v ChannelView) (wire.Direct, error) {
	shown, err := c.Shown(ctx, v)
	direct, _ := shown.(wire.Direct)
	return direct, err
}

// View returns a channel as a viewer sees it. It returns ErrUnknownChannel when the channel does not exist, and
// ErrHidden when the viewer does not see it.
func (c *Channels) View(ctx context.Context, id snowflake.Channel, viewer Viewer) (ChannelView, error) {
	channel, err := c.Channel(ctx, id)
	if err != nil {
		return ChannelView{}, err
	}
	if channel.Guild == 0 {
		return c.viewDirect(ctx, *channel, viewer.User)
	}
	guilds := Guilds{c.shared}
	v, err := guilds.View(ctx, channel.Guild, viewer)
	if err != nil && !errors.Is(err, ErrUnknownGuild) {
		return ChannelView{}, err
	}
	if err != nil {
		return ChannelView{}, ErrHidden
	}
	sees, err := guilds.sees(ctx, v, id)
	if err != nil {
		return ChannelView{}, err
	}
	if !sees {
		return ChannelView{}, ErrHidden
	}
	return ChannelView{Channel: *channel, Guild: v.Guild}, nil
}

// DeleteChannel removes a channel of a guild: see Tx.DeleteChannel. entries go to the audit log of the guild.
func (g *Guilds) DeleteChannel(
	ctx context.Context, guild snowflake.Guild, id snowflake.Channel, entries ...audit.GuildEntry,
) error {
	return g.Update(ctx, func(tx *Tx) error {
		channel, err := tx.Directory.Channel(id)
		if err != nil {
			return unknown(err, ErrUnknownChannel)
		}
		if channel.Guild != guild || guild == 0 {
			return ErrUnknownChannel
		}
		if _, err := tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownChannel)
		}
		for _, e := range entries {
			tx.RecordInGuild(e)
		}
		return tx.DeleteChannel(channel)
	})
}

// forgetChannel removes a channel from the settings of its guild.
func (tx *Tx) forgetChannel(channel store.Channel) error {
	old, err := tx.Directory.Guild(channel.Guild)
	if err != nil {
		return unknown(err, ErrUnknownGuild)
	}
	g := old
	for _, id := range []*snowflake.Channel{&g.AFKChannel, &g.SystemChannel, &g.RulesChannel, &g.UpdatesChannel, &g.SafetyChannel} {
		if *id == channel.ID {
			*id = 0
		}
	}
	_, err = GuildKind.Replace(tx, old, nil, g)
	return err
}

// DeleteChannel removes a channel of a guild. Its threads go with it, without events. Channels in a category lose their parent.
func (tx *Tx) DeleteChannel(channel store.Channel) error {
	channels, err := tx.Directory.Channels(channel.Guild)
	if err != nil {
		return err
	}
	for _, c := range channels {
		switch {
		case c.Parent != channel.ID:
		case world.IsThread(c.Type):
			tx.Delete(store.ChannelKey(c))
			err = tx.putTombstone(store.Tombstone{Kind: store.KindChannel, ID: uint64(c.ID), Guild: c.Guild})
		default:
			c.Parent = 0
			err = ChannelKind.Put(tx, c)
		}
		if err != nil {
			return err
		}
	}
	if err := removePermissionEntries(tx, channel.Guild, permission.ForChannel, snowflake.Target(channel.ID)); err != nil {
		return err
	}
	if err := tx.forgetChannel(channel); err != nil {
		return err
	}
	ChannelKind.Delete(tx, channel)
	return tx.putTombstone(store.Tombstone{Kind: store.KindChannel, ID: uint64(channel.ID), Guild: channel.Guild})
}
