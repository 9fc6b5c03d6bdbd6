package registry

import (
	"context"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// maxPiece is how many records a commit removes at most when it removes those of a deleted application or guild. A single
// scope or guild may have a few more.
const maxPiece = 256

// UserDeleted does nothing: no commands belong to a user.
func (*Registry) UserDeleted(context.Context, snowflake.User) error { return nil }

// ChannelDeleted does nothing: no commands belong to a channel.
func (*Registry) ChannelDeleted(context.Context, store.Channel) error { return nil }

// ApplicationDeleted removes the commands and permission sets of a deleted application in small changes. It returns when
// none is left, and can be called again.
func (r *Registry) ApplicationDeleted(ctx context.Context, id snowflake.Application) error {
	err := r.removeScopes(ctx, func(from store.Reader) ([]command.Scope, error) { return from.Commands.ScopesOf(id) })
	if err != nil {
		return err
	}
	return r.removeSets(ctx, func(from store.Reader) ([]store.OverwriteSet, error) {
		return from.Commands.OverwritesOf(id, maxPiece)
	})
}

// GuildDeleted removes the commands and permission sets of all applications in a deleted guild in small changes. It returns
// when none is left, and can be called again.
func (r *Registry) GuildDeleted(ctx context.Context, id snowflake.Guild) error {
	err := r.removeScopes(ctx, func(from store.Reader) ([]command.Scope, error) { return from.Commands.ScopesIn(id) })
	if err != nil {
		return err
	}
	return r.removeSets(ctx, func(from store.Reader) ([]store.OverwriteSet, error) {
		sets, err := from.Commands.GuildOverwrites(id)
		return sets[:min(len(sets), maxPiece)], err
	})
}

// removeScopes removes scopes until list finds none.
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
				n, err = removePiece(tx, left)
				return err
			})
			if err != nil {
				return err
			}
			left = left[n:]
		}
	}
}

// removePiece removes the first scopes of a list, at least one, and returns how many.
func removePiece(tx *store.Tx, scopes []command.Scope) (n int, err error) {
	records := 0
	for _, s := range scopes {
		commands, err := tx.Commands.Commands(s)
		if err != nil {
			return 0, err
		}
		records += len(commands) + 1
		if n > 0 && records > maxPiece {
			return n, nil
		}
		tx.Delete(store.ScopeKey(s))
		n++
	}
	return n, nil
}

// removeSets removes permission sets until list finds none.
func (r *Registry) removeSets(ctx context.Context, list func(store.Reader) ([]store.OverwriteSet, error)) error {
	for {
		piece := map[setsKey]bool{}
		err := r.cache.Store().Read(ctx, func(from store.Reader) error {
			sets, err := list(from)
			for _, s := range sets {
				piece[setsKey{s.Application, s.Guild}] = true
			}
			return err
		})
		if err != nil || len(piece) == 0 {
			return err
		}
		err = store.Decide(ctx, r.cache.Store(), func(tx *store.Tx) error {
			for k := range piece {
				tx.Delete(store.OverwritesKey(k.app, k.guild))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
