package postgres

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
)

const (
	// maxUnrecorded bounds the events that wait to be recorded, maxBatch how many are recorded at a time.
	maxUnrecorded = 1 << 14
	maxBatch      = 256
	// keepEvents is the time for which events stay in the log. It is longer than the age that the published position of
	// a session can have when the session is resumed.
	keepEvents = 5 * time.Minute
	// removeEvery is the interval at which a node removes older events: removeAtOnce at a time, with pauses.
	removeEvery  = 5 * time.Second
	removeAtOnce = 2000
	removePause  = 20 * time.Millisecond
)

// publish queues an event that belongs to no change. It does not block. An event that finds no room is replaced by one
// that says that events were lost.
func (l *EventLog) publish(e events.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.unrecorded); n >= maxUnrecorded {
		if l.unrecorded[n-1].Lost {
			return
		}
		e = events.Event{Lost: true} // for all events that do not fit
	}
	l.unrecorded = append(l.unrecorded, e)
	signal(l.added)
}

// record records the events that belong to no change. Those of one moment share a transaction. The transaction waits for
// the disk: otherwise, after a crash of the server, later transactions could get numbers that readers have passed.
func (l *EventLog) record(ctx context.Context) {
	for ctx.Err() == nil {
		b := l.nextBatch()
		if len(b.entries) == 0 {
			select {
			case <-l.added:
			case <-ctx.Done():
			}
			continue
		}
		for warned := false; ctx.Err() == nil; clock.Wait(ctx, l.db.wall, readInterval) {
			err := l.db.recordBatch(ctx, b)
			if err == nil {
				break
			}
			if !warned {
				l.log.WarnContext(ctx, "events not recorded, trying again", "err", err)
			}
			warned = true
		}
		l.mu.Lock()
		l.unrecorded = slices.Delete(l.unrecorded, 0, len(b.entries))
		l.mu.Unlock()
		l.announce(b.parts)
	}
}

// eventBatch is events that are recorded together.
type eventBatch struct {
	number  int64 // stands in place of a revision
	entries [][]byte
	literal [][]byte           // the partitions of each entry, for PostgreSQL
	parts   []events.Partition // of all entries
	sent    bool               // the server may have recorded them
}

// nextBatch returns the events to record next.
func (l *EventLog) nextBatch() *eventBatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &eventBatch{number: -1 - rand.Int64()} // revisions are positive
	var list []*events.Event
	for i := range l.unrecorded[:min(len(l.unrecorded), maxBatch)] {
		list = append(list, &l.unrecorded[i])
		b.parts = append(b.parts, l.unrecorded[i].Partitions()...)
	}
	b.entries, b.literal = entriesOf(list)
	return b
}

// recordBatch records a batch once, also when it is called again after an error.
func (db *DB) recordBatch(ctx context.Context, b *eventBatch) error {
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	return db.call(ctx, func(ctx context.Context, on *conn) error {
		insert := store.Statement{SQL: insertAll, Args: []any{b.number, b.entries, b.literal}}
		if b.sent {
			insert = store.Statement{SQL: insertMissing, Args: []any{b.number, b.entries, b.literal, b.number}}
		}
		sent, err := on.exec(ctx, []store.Statement{{SQL: lockBatch, Args: []any{b.number}}, insert})
		b.sent = b.sent || sent
		return err
	})
}

// removeOld removes old events, and what is noted about old changes of lobbies, until ctx ends.
func (l *EventLog) removeOld(ctx context.Context) {
	for ctx.Err() == nil {
		clock.Wait(ctx, l.db.wall, removeEvery)
		l.removeChanges(ctx)
		for removed := l.removed.Load(); removed != nil && ctx.Err() == nil; clock.Wait(ctx, l.db.wall, removePause) {
			next, n, err := l.db.removeEvents(ctx, l.Keep, *removed, removeAtOnce)
			if err != nil && ctx.Err() == nil {
				l.log.WarnContext(ctx, "old events not removed", "err", err)
			}
			if n < removeAtOnce {
				break
			}
			removed = &next
		}
	}
}

// removeChanges removes what is noted about old changes of lobbies.
func (l *EventLog) removeChanges(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := l.db.removeChanges(ctx)
		if err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "old changes of lobbies not removed", "err", err)
		}
		if n < removeAtOnce {
			return
		}
		clock.Wait(ctx, l.db.wall, removePause)
	}
}
