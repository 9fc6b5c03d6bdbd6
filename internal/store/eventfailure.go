package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// EventFailures says that the last event webhooks of an application failed. It does not exist while they succeed.
type EventFailures struct {
	Application snowflake.Application
	Count       int // in a row
	At          time.Time
	Why         string // of the last one
}

func (f EventFailures) subjects() []Subject { return []Subject{EventFailuresSubject(f.Application)} }

func (f EventFailures) write(w *writes) {
	w.put(eventFailuresTable, key(f.Application), int64(f.Count), micros(f.At), f.Why)
}

// EventFailuresKey names the failures of an application.
func EventFailuresKey(app snowflake.Application) Key {
	return Key{ends: []Subject{EventFailuresSubject(app)}, rows: []rowKey{{eventFailuresTable, []string{"application_id"}, []any{key(app)}}}}
}

// EventFailures returns the failures of the last event webhooks of an application.
func (q OutboxQueries) EventFailures(app snowflake.Application) (EventFailures, error) {
	q.read(EventFailuresSubject(app))
	row, err := q.row(eventFailuresTable, key(app))
	if err != nil {
		return EventFailures{}, err
	}
	return EventFailures{app, int(row.int(1)), fromMicros(row.int(2)), row.text(3)}, nil
}
