package lobbies

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepSize is how many due lobbies a sweep reads together, sweepAtOnce how many it decides on at the same time. Those share
	// commits.
	sweepSize   = 256
	sweepAtOnce = 32
	// retryAfter is how long the sweep waits after the store has failed.
	retryAfter = time.Second
	// maxSkew is how far the clocks of nodes may differ.
	maxSkew = time.Minute
)

// errStuck says that a lobby is still due after it was decided on.
var errStuck = errors.New("a lobby stays due")

// Run deletes lobbies that have been idle for too long, and removes old messages and invites, until ctx ends. When it returns
// nothing of that is under way.
func (s *Lobbies) Run(ctx context.Context) error {
	if err := s.retime(ctx); err != nil && ctx.Err() == nil {
		s.Log.ErrorContext(ctx, "idle times in the future were not corrected", "err", err)
	}
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

// retime looks at the lobbies whose idle time begins in the future. They are due too late. See readState.
func (s *Lobbies) retime(ctx context.Context) error {
	for last := snowflake.Lobby(0); ; {
		var ids []snowflake.Lobby
		err := s.db.Read(ctx, func(r store.Reader) (err error) {
			ids, err = r.Lobbies.Ahead(s.now().Add(maxSkew), sweepSize)
			return err
		})
		if err == nil {
			err = s.lookAt(ctx, ids)
		}
		if err != nil || len(ids) < sweepSize || ids[0] == last {
			return err
		}
		last = ids[0]
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
			err = errStuck
		default:
			last = due[0]
			err = s.lookAtDue(ctx, due)
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
	err = s.db.Read(ctx, func(r store.Reader) (err error) {
		due, err = r.Lobbies.Due(sweepSize)
		return err
	})
	now := s.now()
	if i := slices.IndexFunc(due, func(d store.DueLobby) bool { return d.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// lookAtDue looks at due lobbies in random order, so that nodes that sweep at the same time meet rarely.
func (s *Lobbies) lookAtDue(ctx context.Context, due []store.DueLobby) error {
	ids := make([]snowflake.Lobby, len(due))
	for i, at := range rand.Perm(len(due)) {
		ids[i] = due[at].ID
	}
	return s.lookAt(ctx, ids)
}

// lookAt decides on lobbies, several at the same time.
func (s *Lobbies) lookAt(ctx context.Context, ids []snowflake.Lobby) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sweepAtOnce)
	for _, id := range ids {
		g.Go(func() error { return s.expire(ctx, id) })
	}
	return g.Wait()
}

// expire deletes a lobby that has been idle for too long, and otherwise sets when to look again. When several nodes do that at
// the same time, the commit decides.
func (s *Lobbies) expire(ctx context.Context, id snowflake.Lobby) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	var next *State
	err := s.Cache.Decide(ctx, s.on(0, id, &next, func(ctx context.Context, base *State) (change, error) {
		now := s.now()
		c := change{next: base.Lobby.Lobby}
		if s.occupied(&c.next) {
			c.next.IdleSince = now
		}
		if err := s.unlinkLost(ctx, &c.next, now); err != nil {
			return c, err
		}
		due := s.lookAgain(&c.next, now)
		if !due.After(now) {
			return change{gone: true}, nil
		}
		c.due = &due
		return c, nil
	}))
	if err == nil && next == nil {
		s.removeMessages(ctx, id)
	}
	return except(err, ErrUnknownLobby)
}

// lookAgain returns when to look whether a lobby has been idle for too long. A linked lobby is looked at from time to time,
// because its channel may be gone.
func (s *Lobbies) lookAgain(l *lobby.Lobby, now time.Time) time.Time {
	if deadline := l.Deadline(s.started); !deadline.IsZero() {
		return deadline
	}
	return now.Add(l.IdleTimeout)
}
