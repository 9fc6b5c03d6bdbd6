package messages

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Publish publishes a message of an announcement channel. It returns the message as JSON. The channels that follow get their
// copies later: see package channelhook.
func (s *Messages) Publish(
	ctx context.Context, viewer directory.Viewer, channel snowflake.Channel, id snowflake.Message,
) (text []byte, err error) {
	var done Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		place, err := s.enter(ctx, viewer, channel)
		if err != nil {
			return c, err
		}
		if place.Channel.Type != world.AnnouncementChannel {
			return c, apierror.WrongChannelType
		}
		_, m, err := s.Open(ctx, viewer, channel, id)
		if err != nil {
			return c, err
		}
		if err := place.Allow(permission.OpCrosspost, m.Author() == viewer.User); err != nil {
			return c, err
		}
		content, err := message.ParseContent(m.Content)
		if err != nil {
			return c, err
		}
		if content, err = content.Published(m.Type); err != nil {
			return c, err
		}
		next := *m
		next.Content = content.Doc()
		if done, err = s.put(ctx, &c, Edited, &next, content, "", true); err != nil {
			return c, err
		}
		if err := s.markOwn(ctx, done.Post, viewer.User); err != nil {
			return c, err
		}
		text = done.Post.AppendJSON(nil)
		return c, done.Err
	})
	if err != nil {
		return nil, err
	}
	s.Announced(ctx, &done)
	return text, nil
}

// addCrosspost adds to a change that the copies of a published message have to change. fresh says that all followers of the channel
// get a copy.
func (s *Messages) addCrosspost(ctx context.Context, c *store.Change, m *store.Message, fresh bool) error {
	before, err := s.crossposts.Load(ctx, m.ID)
	if err != nil {
		return err
	}
	next := store.Crosspost{Message: m.ID, Channel: m.Channel, Fresh: fresh || before.Fresh, Due: s.Clock.Now()}
	c.Put = append(c.Put, next)
	s.crossposts.Next(c, m.ID, &next)
	return nil
}

// addDeletedCrosspost adds to a change that the copies of a deleted message have to change, if the message was published.
func (s *Messages) addDeletedCrosspost(ctx context.Context, c *store.Change, m *store.Message) error {
	if !isPublished(m) {
		return nil
	}
	return s.addCrosspost(ctx, c, m, false)
}

// IsPublished reports whether a message is one of an announcement channel that was published.
func (s *Messages) IsPublished(ctx context.Context, channel snowflake.Channel, id snowflake.Message) (bool, error) {
	where, err := s.Directory.Channels.Channel(ctx, channel)
	if err != nil || where.Type != world.AnnouncementChannel {
		return false, err
	}
	m, err := s.Find(ctx, id)
	return m != nil && m.Channel == channel && isPublished(m), err
}

// isPublished reports whether a message was published.
func isPublished(m *store.Message) bool {
	content, err := message.ParseContent(m.Content)
	return err == nil && content.Flags.Has(message.Crossposted)
}

// Crossposts returns the kind of the published messages whose copies have to change. The state of others is empty.
func Crossposts(c *cache.Cache) cache.Kind[snowflake.Message, store.Crosspost] {
	return cache.Kind[snowflake.Message, store.Crosspost]{
		Cache: c, Subject: store.CrosspostSubject,
		Read: func(r store.Reader, id snowflake.Message) (*store.Crosspost, error) {
			p, err := r.Messages.Crosspost(id)
			return &p, orNone(err)
		},
		Size: func(*store.Crosspost) int { return 64 },
	}
}
