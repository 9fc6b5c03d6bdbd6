package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// cleanInterval is the shortest time between two runs of the cleaner. Reads hide expired messages and invites until
	// then.
	cleanInterval = 10 * time.Minute
	// batchSize is the highest number of records of a lobby that one commit changes, so that other writes do not wait for long.
	batchSize = 256
)

// cleaner removes expired messages and invites.
type cleaner struct {
	states *states
	alarm  clock.Alarm
}

// start starts the cleaner. Stopping its alarm ends it.
func (s *cleaner) start(ctx context.Context) {
	s.alarm.Start(func() { s.clean(ctx) })
	s.alarm.Set(s.states.Clock, s.states.now())
}

// schedule schedules a run for records that expire after the given time.
func (s *cleaner) schedule(life time.Duration) {
	s.alarm.Set(s.states.Clock, s.states.now().Add(max(life, cleanInterval)))
}

// clean removes expired records and schedules the next run.
func (s *cleaner) clean(ctx context.Context) {
	next, err := s.cleanAll(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.states.Log.ErrorContext(ctx, "expired messages and invites not removed", "err", err)
		next = s.states.now()
	}
	if !next.IsZero() {
		s.alarm.Set(s.states.Clock, later(next, s.states.now().Add(cleanInterval)))
	}
}

// cleanAll removes all expired records and returns when the next one expires (zero: never).
func (s *cleaner) cleanAll(ctx context.Context) (next time.Time, err error) {
	err = store.Exclusively(ctx, s.states.db, store.LobbyCleanWork, 0, func(ctx context.Context) error {
		err := removeAll(ctx, s.states.db, func(r store.Reader, limit int) ([]store.Key, error) {
			ids, err := r.Lobbies.OldMessages(s.states.oldestMessage(), limit)
			return messageKeys(ids), err
		})
		if err != nil {
			return err
		}
		return removeAll(ctx, s.states.db, func(r store.Reader, limit int) ([]store.Key, error) {
			return r.Lobbies.ExpiredInvites(s.states.now(), limit)
		})
	})
	if err != nil {
		return next, err
	}
	err = s.states.db.Read(ctx, func(r store.Reader) error {
		if next, err = r.Lobbies.OldestInvite(); err != nil {
			return err
		}
		oldest, err := r.Lobbies.OldestMessage()
		if expires := oldest.Time().Add(lobby.MessageLife); oldest != 0 && (next.IsZero() || expires.Before(next)) {
			next = expires
		}
		return err
	})
	return next, err
}

// removeAll removes the records that keys returns, batch by batch.
func removeAll(ctx context.Context, db store.Store, keys func(store.Reader, int) ([]store.Key, error)) error {
	return store.RemoveAll(ctx, db, func(tx *store.Tx, limit int) (int, error) {
		list, err := keys(tx.Reader, limit)
		tx.Delete(list...)
		return len(list), err
	})
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
