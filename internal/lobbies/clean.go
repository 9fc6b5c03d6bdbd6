package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// cleanEvery is the shortest time between two runs of the cleaner. Old messages and invites are hidden in the meantime.
	cleanEvery = 10 * time.Minute
	// maxPiece is how many records one commit removes, so that other writes do not wait for long.
	maxPiece = 256
)

// clean removes old messages and invites, and sets the alarm for the next ones.
func (s *Lobbies) clean(ctx context.Context) {
	next, err := s.cleanAll(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "old messages and invites were not removed", "err", err)
		next = s.now()
	}
	if !next.IsZero() {
		s.cleaning.Set(s.Clock, later(next, s.now().Add(cleanEvery)))
	}
}

// cleanAll removes what is old and returns when there is more of it; zero: never.
func (s *Lobbies) cleanAll(ctx context.Context) (next time.Time, err error) {
	for more := true; more && err == nil; {
		more, err = s.cleanPiece(ctx, func(r store.Reader) ([]store.Key, error) {
			ids, err := r.Lobbies.OldMessages(s.oldest(), maxPiece)
			return messageKeys(ids), err
		})
	}
	for more := true; more && err == nil; {
		more, err = s.cleanPiece(ctx, func(r store.Reader) ([]store.Key, error) { return r.Lobbies.ExpiredInvites(s.now(), maxPiece) })
	}
	if err != nil {
		return next, err
	}
	err = s.db.Read(ctx, func(r store.Reader) error {
		if next, err = r.Lobbies.OldestInvite(); err != nil {
			return err
		}
		oldest, err := r.Lobbies.OldestMessage()
		if old := oldest.Time().Add(lobby.MessageLife); oldest != 0 && (next.IsZero() || old.Before(next)) {
			next = old
		}
		return err
	})
	return next, err
}

// cleanPiece removes the records that keys returns, and reports whether there may be more of them.
func (s *Lobbies) cleanPiece(ctx context.Context, keys func(store.Reader) ([]store.Key, error)) (more bool, err error) {
	err = store.Decide(ctx, s.db, func(tx *store.Tx) error {
		list, err := keys(tx.Reader)
		tx.Delete(list...)
		more = len(list) == maxPiece
		return err
	})
	return more, err
}

// kept makes sure that records that are kept for the given time from now on are removed then.
func (s *Lobbies) kept(life time.Duration) {
	s.cleaning.Set(s.Clock, s.now().Add(max(life, cleanEvery)))
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
