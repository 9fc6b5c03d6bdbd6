package registry

import (
	"context"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// maxBatch is the highest number of records that one commit deletes after an application or guild was deleted. The last
// scope or guild of a batch may exceed it.
const maxBatch = 256

// UserDeleted implements directory.Dependent. It does nothing: no command belongs to a user.
func (*Registry) UserDeleted(context.Context, snowflake.User) error { return nil }

// ChannelDeleted implements directory.Dependent. It does nothing: no command belongs to a channel.
func (*Registry) ChannelDeleted(context.Context, store.Channel) error { return nil }

// ApplicationDeleted implements directory.Dependent. It deletes the commands and permission sets of an application in
// batches and returns when none is left. After an error it can be called again.
func (r *Registry) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	err := r.removeScopes(ctx, func(from store.Reader) ([]command.Scope, error) { return from.Commands.ScopesOf(id) })
	if err != nil {
		return err
	}
	return r.removeSets(ctx, func(from store.Reader) ([]store.OverwriteSet, error) {
		return from.Commands.OverwritesOf(id, maxBatch)
	})
}

// GuildDeleted implements directory.Dependent. It deletes the commands and permission sets of all applications in a
// guild in batches and returns when none is left. After an error it can be called again.
func (r *Registry) GuildDeleted(ctx context.Context, id snowflake.Guild) error {
	err := r.removeScopes(ctx, func(from store.Reader) ([]command.Scope, error) { return from.Commands.ScopesIn(id) })
	if err != nil {
		return err
	}
	return r.removeSets(ctx, func(from store.Reader) ([]store.OverwriteSet, error) {
		sets, err := from.Commands.GuildOverwrites(id)
		return sets[:min(len(sets), maxBatch)], err
	})
}

// removeScopes deletes scopes until list returns none.
func (r *Registry) removeScopes(ctx context.Context, list func(store.Reader) ([]command.Scope, error)) error {
	for {
		var left []command.Scope
		err := r.cache.Store().Read(ctx, func(from store.Reader) (err error) {
			left, err = list(from)
			return err
		})
		if err != nil || len(left) == 0 {
			return err
		}
		for len(left) > 0 {
			n := 0
			err := store.Decide(ctx, r.cache.Store(), func(tx *store.Tx) (err error) {
				n, err = removeBatch(tx, left)
				return err
			})
			if err != nil {
				return err
			}
			left = left[n:]
		}
	}
}

// removeBatch deletes the first scopes of a list, at least one, and returns how many.
func removeBatch(tx *store.Tx, scopes []command.Scope) (n int, err error) {
	records := 0
	for _, s := range scopes {
		commands, err := tx.Commands.Commands(s)
		if err != nil {
			return 0, err
		}
		records += len(commands) + 1
		if n > 0 && records > maxBatch {
			return n, nil
		}
		tx.Delete(store.ScopeKey(s))
		for _, c := range commands {
			tx.End(store.CommandSetsSubject(c.ID))
		}
		n++
	}
	return n, nil
}

// removeSets deletes permission sets until list returns none.
func (r *Registry) removeSets(ctx context.Context, list func(store.Reader) ([]store.OverwriteSet, error)) error {
	for {
		batch := map[setsKey]bool{}
		err := r.cache.Store().Read(ctx, func(from store.Reader) error {
			sets, err := list(from)
			for _, s := range sets {
				batch[setsKey{s.Application, s.Guild}] = true
			}
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		err = store.Decide(ctx, r.cache.Store(), func(tx *store.Tx) error {
			for k := range batch {
				tx.Delete(store.OverwritesKey(k.app, k.guild))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
