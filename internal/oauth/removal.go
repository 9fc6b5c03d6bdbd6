package oauth

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*Server)(nil)

// sweepInterval is the interval at which Run removes expired records.
const sweepInterval = time.Minute

// Run removes expired codes, devices, sessions and credentials from the store until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		clock.Wait(ctx, s.Wall, sweepInterval)
		if err := store.Exclusively(ctx, s.Store, store.GrantCleanWork, 0, s.sweep); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "sweep failed", "err", err)
		}
	}
	return nil
}

// sweep removes expired records.
func (s *Server) sweep(ctx context.Context) error {
	return s.remove(ctx, func(r store.Reader, limit int) ([]store.Key, error) {
		keys, err := r.Grants.Outdated(s.now(), limit)
		if err != nil {
			return nil, err
		}
		hashes, err := r.Credentials.Expired(s.now(), limit)
		for _, h := range hashes {
			keys = append(keys, store.CredentialKey(h))
		}
		return keys, err
	})
}

// UserDeleted implements directory.Dependent. It removes the grants, sessions and accounts of a deleted user.
func (s *Server) UserDeleted(ctx context.Context, id snowflake.User) error {
	return s.remove(ctx, func(r store.Reader, limit int) ([]store.Key, error) { return r.Grants.OfUser(id, limit) })
}

// ApplicationDeleted implements directory.Dependent. It removes the grants of a deleted application.
func (s *Server) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	return s.remove(ctx, func(r store.Reader, limit int) ([]store.Key, error) { return r.Grants.OfApplication(id, limit) })
}

// GuildDeleted implements directory.Dependent. It does nothing: no grant belongs to a guild.
func (s *Server) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It does nothing: no grant belongs to a channel.
func (s *Server) ChannelDeleted(context.Context, store.Channel) error { return nil }

// remove removes the records that list returns, in batches, until none is left. list returns fewer keys than its limit only when
// there are no more.
func (s *Server) remove(ctx context.Context, list func(store.Reader, int) ([]store.Key, error)) error {
	return store.RemoveAll(ctx, s.Store, func(tx *store.Tx, limit int) (int, error) {
		keys, err := list(tx.Reader, limit)
		keys = keys[:min(len(keys), limit)]
		tx.Delete(keys...)
		return len(keys), err
	})
}
