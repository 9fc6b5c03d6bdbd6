package messages

import (
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// DeleteOf deletes the messages of authors in a guild that were written at a time or later, with one event for up to MaxPage
// messages of a channel. Each event has its own commit, so that other writes do not wait long.
func (s *Messages) DeleteOf(ctx context.Context, guild snowflake.Guild, authors []snowflake.User, since time.Time) error {
	var channels []store.Channel
	err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
		channels, err = r.Directory.AllChannels(guild)
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range channels {
		if err := s.deleteOfIn(ctx, c.ID, authors, snowflake.Message(audit.IDAt(since))); err != nil {
			return err
		}
	}
	return nil
}

// deleteOfIn deletes the messages of authors in a channel with ids above after.
func (s *Messages) deleteOfIn(
	ctx context.Context, channel snowflake.Channel, authors []snowflake.User, after snowflake.Message,
) error {
	for {
		var page []store.Message
		err := s.Cache.Store().Read(ctx, func(r store.Reader) (err error) {
			page, err = r.Messages.After(channel, after, MaxPage)
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		var ids []snowflake.Message
		for _, m := range page {
			after = m.ID
			if m.Type.Deletable(true) && slices.Contains(authors, m.Author()) {
				ids = append(ids, m.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if err := s.deleteAll(ctx, func(ctx context.Context, c *store.Change) ([]*store.Message, error) {
			return s.removeAll(ctx, c, channel, ids)
		}); err != nil {
			return err
		}
	}
}
