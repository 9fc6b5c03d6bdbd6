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

const (
	// batchSize bounds how many records are removed in one commit.
	batchSize = 256
	// sweepInterval is the interval at which Run removes expired records.
	sweepInterval = time.Minute
)

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
	return s.remove(ctx, func(r store.Reader) ([]store.Key, error) {
		keys, err := r.Grants.Outdated(s.now(), batchSize)
		if err != nil {
			return nil, err
		}
		hashes, err := r.Credentials.Expired(s.now(), batchSize)
		for _, h := range hashes {
			keys = append(keys, store.CredentialKey(h))
		}
		return keys, err
	})
}

// UserDeleted implements directory.Dependent. It removes the grants, sessions and accounts of a deleted user.
func (s *Server) UserDeleted(ctx context.Context, id snowflake.User) error {
	return s.remove(ctx, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfUser(id, batchSize) })
}

// ApplicationDeleted implements directory.Dependent. It removes the grants of a deleted application.
func (s *Server) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	return s.remove(ctx, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfApplication(id, batchSize) })
}

// GuildDeleted implements directory.Dependent. It does nothing: no grant belongs to a guild.
func (s *Server) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It does nothing: no grant belongs to a channel.
func (s *Server) ChannelDeleted(context.Context, store.Channel) error { return nil }

// remove removes the records that list returns, in batches, until none is left. list returns fewer than batchSize keys
// only when there are no more.
func (s *Server) remove(ctx context.Context, list func(store.Reader) ([]store.Key, error)) error {
	for {
		n := 0
		err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
			keys, err := list(tx.Reader)
			n = min(len(keys), batchSize)
			tx.Delete(keys[:n]...)
			return err
		})
		if err != nil || n < batchSize {
			return err
		}
	}
}
