package lobbies

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepAtOnce is how many lobbies a sweep asks for and looks at together.
	sweepAtOnce = 256
	// retryAfter is how long the sweep waits after the store has failed.
	retryAfter = time.Second
)

// errStuck says that a lobby is still due after it was looked at: somebody else has changed its record.
var errStuck = errors.New("a lobby stays due")

// Run shuts lobbies down where nobody has been for too long, and removes messages and invites that have been kept for
// long enough, until ctx ends. When it returns nothing of that is under way.
func (s *Lobbies) Run(ctx context.Context) error {
	s.cleaning.Start(func() { s.clean(ctx) })
	s.cleaning.Set(s.Clock, s.now())
	s.alarm.Start(func() { s.sweep(ctx) })
	s.alarm.Set(s.Clock, s.now())
	<-ctx.Done()
	s.alarm.Stop()
	s.cleaning.Stop()
	return nil
}

// Look looks for lobbies that are due, also those of nodes that have died.
func (s *Lobbies) Look() { s.alarm.Set(s.Clock, s.now()) }

// soon makes sure that a lobby is looked at when it is due.
func (s *Lobbies) soon(due time.Time) {
	if !due.IsZero() {
		s.alarm.Set(s.Clock, due)
	}
}

// sweep looks at every lobby that is due and sets the alarm for the next.
func (s *Lobbies) sweep(ctx context.Context) {
	var last store.DueLobby // that was due first
	for ctx.Err() == nil {
		due, next, err := s.due(ctx)
		switch {
		case err != nil:
		case len(due) == 0:
			s.soon(next)
			return
		case due[0] == last:
			s.Forget()
			err = errStuck
		default:
			last = due[0]
			err = s.lookAt(ctx, due)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "sweep of idle lobbies failed", "err", err)
			s.soon(s.now().Add(retryAfter))
			return
		}
	}
}

// due returns lobbies that are due, and when the next one is; zero: never.
func (s *Lobbies) due(ctx context.Context) (due []store.DueLobby, next time.Time, err error) {
	err = s.Store.View(ctx, func(r store.Reader) (err error) {
		due, err = r.DueLobbies(sweepAtOnce)
		return err
	})
	now := s.now()
	if i := slices.IndexFunc(due, func(d store.DueLobby) bool { return d.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// lookAt decides on lobbies that are due. They are looked at together, so that they share commits.
func (s *Lobbies) lookAt(ctx context.Context, due []store.DueLobby) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range due {
		g.Go(func() error { return s.expire(ctx, d.ID) })
	}
	return g.Wait()
}

// expire deletes a lobby when its time is over, and otherwise notes when to look again.
func (s *Lobbies) expire(ctx context.Context, id snowflake.Lobby) error {
	st, err := s.cache.Get(ctx, id)
	if err != nil || st.gone {
		return except(err, ErrUnknownLobby)
	}
	_, err = s.update(ctx, st.Application, id, func(u *unit, base *State) (change, error) {
		now := s.now()
		c := change{next: base.Lobby.Lobby}
		if s.occupied(&c.next) {
			c.next.IdleSince = now
		}
		if err := unlinkLost(u, &c.next, now); err != nil {
			return c, err
		}
		due := s.lookAgain(&c.next, now)
		if !due.After(now) {
			return change{gone: true}, nil
		}
		c.due = &due
		return c, nil
	})
	return except(err, ErrUnknownLobby)
}

// lookAgain returns when to look whether a lobby has been idle for too long. One that is linked is looked at from time to
// time, for its channel may be gone.
func (s *Lobbies) lookAgain(l *lobby.Lobby, now time.Time) time.Time {
	if deadline := l.Deadline(s.started); !deadline.IsZero() {
		return deadline
	}
	return now.Add(l.IdleTimeout)
}
