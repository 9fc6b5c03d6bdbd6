package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
)

const (
	// cleanEvery is how often what has been kept for long enough is removed at the most. Nobody sees it in the meantime.
	cleanEvery = 10 * time.Minute
	// cleanAtOnce is how many records one unit of work removes, so that nobody waits for long.
	cleanAtOnce = 256
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
		err = s.Store.Update(ctx, func(tx store.Tx) error {
			messages, err := tx.DeleteLobbyMessages(s.oldest(), cleanAtOnce)
			if err != nil {
				return err
			}
			invites, err := tx.ExpireInvites(s.now(), cleanAtOnce)
			more = max(messages, invites) == cleanAtOnce
			return err
		})
	}
	if err != nil {
		return next, err
	}
	err = s.Store.View(ctx, func(r store.Reader) error {
		if next, err = r.OldestInvite(); err != nil {
			return err
		}
		oldest, err := r.OldestLobbyMessage()
		if old := oldest.Time().Add(lobby.MessageLife); oldest != 0 && (next.IsZero() || old.Before(next)) {
			next = old
		}
		return err
	})
	return next, err
}

// kept makes sure that what is kept for so long from now on is removed then.
func (s *Lobbies) kept(life time.Duration) {
	s.cleaning.Set(s.Clock, s.now().Add(max(life, cleanEvery)))
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
