package channelhook

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ChannelDeleted deletes the webhooks of a channel, without events.
func (s *Webhooks) ChannelDeleted(ctx context.Context, c store.Channel) error {
	return store.Decide(ctx, s.Cache.Store(), func(tx *store.Tx) error {
		list, err := tx.Webhooks.OfChannel(c.ID)
		for _, h := range list {
			tx.Delete(store.WebhookKey(h))
		}
		return err
	})
}

// UserDeleted does nothing. Webhooks stay when their creator is deleted.
func (s *Webhooks) UserDeleted(context.Context, snowflake.User) error { return nil }

// ApplicationDeleted does nothing. Webhooks stay when their application is deleted.
func (s *Webhooks) ApplicationDeleted(context.Context, snowflake.Application) error { return nil }

// GuildDeleted does nothing. The webhooks of a guild are deleted with its channels.
func (s *Webhooks) GuildDeleted(context.Context, snowflake.Guild) error { return nil }
