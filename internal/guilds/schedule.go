package guilds

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Schedule starts and ends the scheduled events that are due.
type Schedule struct {
	*clock.Sweeper

	guilds *Guilds
}

// scheduleConcurrency is the number of due events that are decided at the same time.
const scheduleConcurrency = 8

// NewSchedule returns the schedule of the events of guilds. It must be called before the first commit.
func NewSchedule(g *Guilds, db store.Store, log *slog.Logger) *Schedule {
	s := &Schedule{guilds: g}
	due := &store.Sweep[snowflake.Event]{
		Store: db, Work: store.ScheduledEventWork, Now: g.Clock.Now, Log: log, Handle: s.advance, Concurrency: scheduleConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueRecord[snowflake.Event], error) {
			return r.Directory.DueScheduledEvents(limit)
		},
	}
	s.Sweeper = clock.NewSweeper(g.Clock, log, "scheduled events", due.Run)
	db.Subscribe(s.committed)
	return s
}

// committed tells the sweeper of the events that a change writes.
func (s *Schedule) committed(c *store.Change) {
	for _, r := range c.Put {
		if e, ok := r.(store.ScheduledEvent); ok && !e.Due.IsZero() {
			s.Due(e.Due)
		}
	}
}

// advance starts or ends an event that is due.
func (s *Schedule) advance(ctx context.Context, id snowflake.Event) error {
	return s.guilds.Directory.Update(ctx, func(tx *directory.Tx) error {
		e, err := tx.Directory.ScheduledEvent(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		next := convert.Event(e)
		at, status := next.Due()
		if at.IsZero() || at.After(s.guilds.Clock.Now()) {
			return nil
		}
		next.Status = status
		return putEvent(tx, convert.WithEvent(e, next))
	})
}
