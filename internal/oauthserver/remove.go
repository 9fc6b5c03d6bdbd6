package oauthserver

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*Grants)(nil)

const (
	// pieceSize bounds how many records are removed in one commit.
	pieceSize = 256
	// sweepInterval is how often Run looks for expired records.
	sweepInterval = time.Minute
)

// Run removes expired codes, devices, sessions and credentials from the store until ctx ends.
func (g *Grants) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, sweepInterval) // by the system's clock: that of the service may be moved by years
		if err := g.sweep(ctx); err != nil && ctx.Err() == nil {
			g.Log.ErrorContext(ctx, "sweep failed", "err", err)
		}
	}
	return nil
}

// sweep removes everything that has expired.
func (g *Grants) sweep(ctx context.Context) error {
	return g.remove(ctx, func(r store.Reader) ([]store.Key, error) {
		keys, err := r.Grants.Outdated(g.now(), pieceSize)
		if err != nil {
			return nil, err
		}
		hashes, err := r.Credentials.Expired(g.now(), pieceSize)
		for _, h := range hashes {
			keys = append(keys, store.CredentialKey(h))
		}
		return keys, err
	})
}

// UserDeleted implements directory.Dependent. It removes what a deleted user has granted, and the user's sessions and
// accounts.
func (g *Grants) UserDeleted(ctx context.Context, id snowflake.User) error {
	return g.remove(ctx, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfUser(id, pieceSize) })
}

// ApplicationDeleted implements directory.Dependent. It removes what users have granted to a deleted application.
func (g *Grants) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	return g.remove(ctx, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfApplication(id, pieceSize) })
}

// GuildDeleted implements directory.Dependent. It does nothing: no grant belongs to a guild.
func (g *Grants) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It does nothing: no grant belongs to a channel.
func (g *Grants) ChannelDeleted(context.Context, store.Channel) error { return nil }

// remove removes the records that list returns, one piece after the other, until none is left. list returns at least
// pieceSize keys when there are so many.
func (g *Grants) remove(ctx context.Context, list func(store.Reader) ([]store.Key, error)) error {
	for {
		n := 0
		err := store.Decide(ctx, g.Store, func(tx *store.Tx) error {
			keys, err := list(tx.Reader)
			n = min(len(keys), pieceSize)
			tx.Delete(keys[:n]...)
			return err
		})
		if err != nil || n < pieceSize {
			return err
		}
	}
}
