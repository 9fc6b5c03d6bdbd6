package channelhook

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// withFollowers are the types of channels that can follow an announcement channel.
var withFollowers = []int{world.TextChannel, world.AnnouncementChannel}

// Follow makes the channel that the body names follow an announcement channel: a new webhook repeats the published messages there.
func (s *Webhooks) Follow(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, body jsonbody.Value,
) (wire.FollowedChannel, error) {
	h := store.Webhook{ID: snowflake.Webhook(s.IDs.Next()), Type: Follower, User: viewer.User, SourceChannel: id}
	var done messages.Announcement
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		source, err := s.enterSource(ctx, viewer, id)
		if err != nil {
			return c, err
		}
		if h.Channel, err = channel.ReadFollow(body); err != nil {
			return c, err
		}
		target, err := s.enter(ctx, viewer, h.Channel, permission.OpFollow)
		if err != nil {
			return c, err
		}
		if !slices.Contains(withFollowers, target.Channel.Type) {
			return c, apierror.WrongChannelType
		}
		h.Guild, h.SourceGuild = target.Channel.Guild, source.Channel.Guild
		h.Name = followerName(source)
		if err := s.add(ctx, &c, h); err != nil {
			return c, err
		}
		if err := s.record(ctx, &c, permission.OpFollow, viewer.User, nil, &h); err != nil {
			return c, err
		}
		notice := messages.SystemMessage(target.Channel, viewer, message.ChannelFollowAdd)
		notice.Source = &store.Reference{Channel: id, Guild: h.SourceGuild}
		if done, err = s.Messages.PutSystem(ctx, &c, notice, h.Name); err == nil {
			err = done.Err
		}
		return c, err
	})
	if err != nil {
		return wire.FollowedChannel{}, err
	}
	s.Messages.Announced(ctx, &done)
	return wire.FollowedChannel{ChannelID: id, WebhookID: h.ID}, nil
}

// enterSource returns an announcement channel that a viewer sees.
func (s *Webhooks) enterSource(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	place, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	if err := place.Allow(permission.OpViewChannel, false); err != nil {
		return nil, err
	}
	if place.Channel.Type != world.AnnouncementChannel {
		return nil, apierror.WrongChannelType
	}
	return place, nil
}

// followerName returns the name of a webhook that repeats the messages of a channel.
func followerName(source *directory.Place) string {
	name := []rune(source.Guild.Name + " #" + source.Channel.Name)
	return string(name[:min(len(name), message.MaxWebhookName)])
}
