package polls

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// sweepConcurrency is the number of due polls that are decided at the same time.
	sweepConcurrency = 16
	// retryAfter is the pause after a failed sweep.
	retryAfter = time.Second
)

// Run ends polls that are due until ctx ends. It is called once.
func (s *Polls) Run(ctx context.Context) error {
	s.alarm.Start(func() { s.sweep(ctx) })
	s.CheckDue()
	close(s.started)
	<-ctx.Done()
	s.alarm.Stop()
	return nil
}

// WaitUntilRunning waits until Run looks for due polls, or ctx ends. Before that, moving the clock ends no poll.
func (s *Polls) WaitUntilRunning(ctx context.Context) error {
	select {
	case <-s.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CheckDue looks for due polls at once, including those that a node that died was to end.
func (s *Polls) CheckDue() { s.alarm.Set(s.Clock, s.Clock.Now()) }

// committed sets the alarm for the polls that a change opens.
func (s *Polls) committed(c *store.Change) {
	for _, r := range c.Put {
		if p, ok := r.(store.OpenPoll); ok {
			s.alarm.Set(s.Clock, p.Due)
		}
	}
}

// sweep ends every due poll and sets the alarm for the next.
func (s *Polls) sweep(ctx context.Context) {
	next, err := s.due.Run(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "sweep of polls failed", "err", err)
		next = s.Clock.Now().Add(retryAfter)
	}
	if !next.IsZero() {
		s.alarm.Set(s.Clock, next)
	}
}

// expire ends the poll of a message that is due.
func (s *Polls) expire(ctx context.Context, id snowflake.Message) error {
	found, err := s.Messages.Find(ctx, id)
	if err != nil || found == nil {
		return err
	}
	var done [2]messages.Announcement
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		done = [2]messages.Announcement{}
		m, err := s.Messages.Load(ctx, found.Channel, id)
		if err != nil || m == nil || m.Poll == nil || m.Poll.Ended || m.Poll.Ends.After(s.Clock.Now()) {
			return c, err
		}
		done, err = s.Messages.PutResult(ctx, &c, *m)
		return c, err
	})
	if err == nil {
		s.announced(ctx, done)
	}
	return err
}
