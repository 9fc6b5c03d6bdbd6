package lobbies

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepSize is how many due lobbies a sweep reads at a time.
	sweepSize = 256
	// maxExpiring is how many lobbies are decided on at the same time. Those share commits.
	maxExpiring = 32
	// sweepRetry is the pause after a failed sweep.
	sweepRetry = time.Second
	// maxSkew is how far the clocks of nodes may differ.
	maxSkew = time.Minute
)

// errStillDue means that a lobby is still due after it was decided on.
var errStillDue = errors.New("a lobby is still due after the sweep")

// idleShutdown deletes lobbies that were idle for too long.
type idleShutdown struct {
	states   *states
	messages *Messages
	links    *Links
	cleaner  *cleaner
	alarm    clock.Alarm   // rings when a lobby is due
	started  chan struct{} // closed when the alarm is set
}

// run deletes idle lobbies, old messages and old invites until ctx ends.
func (s *idleShutdown) run(ctx context.Context) error {
	if err := s.correctFutureTimes(ctx); err != nil && ctx.Err() == nil {
		s.states.Log.ErrorContext(ctx, "idle times in the future not corrected", "err", err)
	}
	s.cleaner.start(ctx)
	s.alarm.Start(func() { s.sweep(ctx) })
	s.schedule(s.states.now())
	close(s.started)
	<-ctx.Done()
	s.alarm.Stop()
	s.cleaner.alarm.Stop()
	return nil
}

// schedule schedules a sweep. A zero time means never.
func (s *idleShutdown) schedule(due time.Time) {
	if !due.IsZero() {
		s.alarm.Set(s.states.Clock, due)
	}
}

// committed schedules a sweep for the lobbies that a change writes.
func (s *idleShutdown) committed(c *store.Change) {
	for _, r := range c.Put {
		if l, ok := r.(store.Lobby); ok {
			s.schedule(l.Due)
		}
	}
}

// correctFutureTimes decides on the lobbies whose idle time begins in the future; see states.read. Otherwise they would
// be due too late.
func (s *idleShutdown) correctFutureTimes(ctx context.Context) error {
	for last := snowflake.Lobby(0); ; {
		var ids []snowflake.Lobby
		err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
			ids, err = r.Lobbies.Ahead(s.states.now().Add(maxSkew), sweepSize)
			return err
		})
		if err == nil {
			err = s.expireAll(ctx, ids)
		}
		if err != nil || len(ids) < sweepSize || ids[0] == last {
			return err
		}
		last = ids[0]
	}
}

// sweep decides on every due lobby and schedules the next sweep.
func (s *idleShutdown) sweep(ctx context.Context) {
	var last store.DueLobby // the first lobby of the batch before
	for ctx.Err() == nil {
		due, next, err := s.due(ctx)
		switch {
		case err != nil:
		case len(due) == 0:
			s.schedule(next)
			return
		case due[0] == last:
			err = errStillDue
		default:
			last = due[0]
			err = s.expireShuffled(ctx, due)
		}
		if err != nil && ctx.Err() == nil {
			s.states.Log.ErrorContext(ctx, "sweep of idle lobbies failed", "err", err)
			s.schedule(s.states.now().Add(sweepRetry))
			return
		}
	}
}

// due returns lobbies that are due, and when the next one is due (zero: never).
func (s *idleShutdown) due(ctx context.Context) (due []store.DueLobby, next time.Time, err error) {
	err = s.states.db.Read(ctx, func(r store.Reader) (err error) {
		due, err = r.Lobbies.Due(sweepSize)
		return err
	})
	now := s.states.now()
	if i := slices.IndexFunc(due, func(d store.DueLobby) bool { return d.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// expireShuffled calls expireAll in random order, so that nodes that sweep at the same time rarely meet at the same
// lobby.
func (s *idleShutdown) expireShuffled(ctx context.Context, due []store.DueLobby) error {
	ids := make([]snowflake.Lobby, len(due))
	for i, at := range rand.Perm(len(due)) {
		ids[i] = due[at].ID
	}
	return s.expireAll(ctx, ids)
}

// expireAll calls expire for lobbies, several at the same time.
func (s *idleShutdown) expireAll(ctx context.Context, ids []snowflake.Lobby) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxExpiring)
	for _, id := range ids {
		g.Go(func() error { return s.expire(ctx, id) })
	}
	return g.Wait()
}

// expire deletes a lobby that was idle for too long. Otherwise it sets when to check again. If several nodes do that at
// the same time, the commit of one of them succeeds.
func (s *idleShutdown) expire(ctx context.Context, id snowflake.Lobby) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	var next *State
	err := s.states.Cache.Decide(ctx, s.states.decider(0, id, &next, func(ctx context.Context, base *State) (decision, error) {
		now := s.states.now()
		d := decision{next: base.Lobby.Lobby}
		if s.states.events.anyConnected(&d.next) {
			d.next.IdleSince = now
		}
		if err := s.links.unlinkDeleted(ctx, &d.next, now); err != nil {
			return d, err
		}
		due := dueAt(&d.next, s.states.started, now)
		if !due.After(now) {
			return decision{deleted: true}, nil
		}
		d.due = &due
		return d, nil
	}))
	if err == nil && next == nil {
		s.messages.removeAll(ctx, id)
	}
	return except(err, ErrUnknownLobby)
}
