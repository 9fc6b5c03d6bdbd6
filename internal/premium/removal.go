package premium

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// UserDeleted removes the entitlements that a deleted user had or bought.
func (p *Premium) UserDeleted(ctx context.Context, user snowflake.User) error {
	return p.removeAll(ctx, func(q store.DirectoryQueries, limit int) ([]store.Entitlement, error) {
		return q.EntitlementsOfUser(user, limit)
	})
}

// ApplicationDeleted removes the entitlements of a deleted application.
func (p *Premium) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	return p.removeAll(ctx, func(q store.DirectoryQueries, limit int) ([]store.Entitlement, error) {
		return q.Entitlements(app, store.EntitlementFilter{Limit: limit})
	})
}

// GuildDeleted removes the entitlements of a deleted guild.
func (p *Premium) GuildDeleted(ctx context.Context, guild snowflake.Guild) error {
	return p.removeAll(ctx, func(q store.DirectoryQueries, limit int) ([]store.Entitlement, error) {
		return q.EntitlementsOfGuild(guild, limit)
	})
}

// ChannelDeleted does nothing: entitlements do not belong to channels.
func (p *Premium) ChannelDeleted(context.Context, store.Channel) error { return nil }

// removeAll removes the entitlements that list returns, batch by batch, with their subscriptions.
func (p *Premium) removeAll(ctx context.Context, list func(store.DirectoryQueries, int) ([]store.Entitlement, error)) error {
	return store.RemoveAll(ctx, p.Store, func(tx *store.Tx, limit int) (int, error) {
		all, err := list(tx.Directory, limit)
		for _, e := range all {
			remove(tx, e)
		}
		return len(all), err
	})
}
