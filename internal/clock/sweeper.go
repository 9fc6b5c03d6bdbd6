package clock

import (
	"context"
	"log/slog"
	"time"
)

// sweepRetry is the pause after a failed sweep.
const sweepRetry = time.Second

// Sweeper does work that falls due: it calls a function at the earliest time that it was set to. It is safe for concurrent use.
type Sweeper struct {
	clock   Clock
	log     *slog.Logger
	name    string
	sweep   func(context.Context) (next time.Time, err error)
	alarm   Alarm
	started chan struct{} // closed when the alarm is set
}

// NewSweeper returns a sweeper. sweep does the work that is due and returns when it is to be called next, zero for never. name names
// the work in the log.
func NewSweeper(c Clock, log *slog.Logger, name string, sweep func(context.Context) (next time.Time, err error)) *Sweeper {
	return &Sweeper{clock: c, log: log, name: name, sweep: sweep, started: make(chan struct{})}
}

// Run does the work until ctx ends. It is called once.
func (s *Sweeper) Run(ctx context.Context) error {
	s.alarm.Start(func() { s.run(ctx) })
	s.CheckDue()
	close(s.started)
	<-ctx.Done()
	s.alarm.Stop()
	return nil
}

// run sweeps and sets the alarm for the next sweep.
func (s *Sweeper) run(ctx context.Context) {
	next, err := s.sweep(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.log.ErrorContext(ctx, "sweep failed", "of", s.name, "err", err)
		next = s.clock.Now().Add(sweepRetry)
	}
	if !next.IsZero() {
		s.Due(next)
	}
}

// WaitUntilRunning waits until Run has begun, or ctx ends. Before that, moving the clock does no work.
func (s *Sweeper) WaitUntilRunning(ctx context.Context) error {
	select {
	case <-s.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CheckDue looks for due work at once, including that of a node that died.
func (s *Sweeper) CheckDue() { s.Due(s.clock.Now()) }

// Due says that there is work at a time.
func (s *Sweeper) Due(at time.Time) { s.alarm.Set(s.clock, at) }
