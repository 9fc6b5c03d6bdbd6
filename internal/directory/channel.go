package directory

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Channels finds channels of guilds and keeps direct-message channels.
type Channels struct{ *shared }

// Channel returns a channel. The caller does not change it.
func (c *Channels) Channel(ctx context.Context, id snowflake.Channel) (*store.Channel, error) {
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
	if err != nil || !v.Sees(id) {
		return ChannelView{}, ErrHidden
	}
	return ChannelView{Channel: *channel, Guild: v.Guild}, nil
}
