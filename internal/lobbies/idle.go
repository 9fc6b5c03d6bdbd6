package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// maxExpiring is the number of lobbies that are decided on at the same time. They share commits.
	maxExpiring = 32
	// sweepRetry is the pause after a failed sweep.
	sweepRetry = time.Second
	// maxSkew is the largest difference between the clocks of nodes.
	maxSkew = time.Minute
)

// idleShutdown deletes lobbies that were idle for too long.
type idleShutdown struct {
	states   *states
	messages *Messages
	links    *Links
	cleaner  *cleaner
	due      *store.Sweep[snowflake.Lobby]
	alarm    clock.Alarm   // rings when a lobby is due
	started  chan struct{} // closed when the alarm is set
}

// run deletes idle lobbies, old messages and old invites until ctx ends.
func (s *idleShutdown) run(ctx context.Context) {
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

// sweepOf returns a sweep over the lobbies that list returns.
func (s *idleShutdown) sweepOf(list func(r store.Reader, limit int) ([]store.DueLobby, error)) *store.Sweep[snowflake.Lobby] {
	return &store.Sweep[snowflake.Lobby]{
		Store: s.states.db, Work: store.LobbyWork, Now: s.states.now, Log: s.states.Log, List: list, Handle: s.expire, Concurrency: maxExpiring,
	}
}

// correctFutureTimes decides on the lobbies whose idle time begins in the future; see states.read. Otherwise they would
// be due too late.
func (s *idleShutdown) correctFutureTimes(ctx context.Context) error {
	ahead := s.sweepOf(func(r store.Reader, limit int) ([]store.DueLobby, error) {
		ids, err := r.Lobbies.Ahead(s.states.now().Add(maxSkew), limit)
		list := make([]store.DueLobby, len(ids))
		for i, id := range ids {
			list[i].ID = id
		}
		return list, err
	})
	_, err := ahead.Run(ctx)
	return err
}

// sweep decides on every due lobby and schedules the next sweep.
func (s *idleShutdown) sweep(ctx context.Context) {
	next, err := s.due.Run(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.states.Log.ErrorContext(ctx, "sweep of idle lobbies failed", "err", err)
		next = s.states.now().Add(sweepRetry)
	}
	s.schedule(next)
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
		if s.states.events.anyConnected(ctx, &d.next) {
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
