package postgres

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

const (
	insertEvent = "INSERT INTO events (kind, a, b, revision, after, created, doc) VALUES (?, ?, ?, ?, ?, ?, ?)"
	markEvents  = "UPDATE events SET published = ?, doc = '' FROM" +
		" UNNEST(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS q (kind, a, b, revision)" +
		" WHERE events.kind = q.kind AND events.a = q.a AND events.b = q.b AND events.revision = q.revision"
	selectEvents      = "SELECT kind, a, b, revision, after, created, published, doc FROM events"
	selectUnpublished = selectEvents + " WHERE published IS NULL AND created < ? ORDER BY created, revision LIMIT ?"
	selectBetween     = selectEvents + " WHERE kind = ? AND a = ? AND b = ? AND revision > ? AND revision <= ? ORDER BY revision"
	trimEvents        = "DELETE FROM events WHERE (kind, a, b, revision) IN (SELECT kind, a, b, revision FROM events" +
		" WHERE created < ? AND published IS NOT NULL ORDER BY created LIMIT ?)"
)

// PublishedEvents marks events as published and removes their content, which may contain the token of an interaction.
// It uses only the subjects and revisions in list.
func (db *DB) PublishedEvents(ctx context.Context, list []store.RecordedEvents) error {
	n := len(list)
	kinds, as, bs, revisions := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, e := range list {
		kinds[i], as[i], bs[i], revisions[i] = int64(e.Subject.Kind), int64(e.Subject.A), int64(e.Subject.B), int64(e.Revision)
	}
	_, err := db.query(ctx, markEvents, []any{db.wall.Now().UnixMicro(), kinds, as, bs, revisions}, nil)
	return err
}

// UnpublishedEvents returns up to limit events that were recorded more than olderThan ago and are not published, oldest
// first. Several nodes may get the same events.
func (db *DB) UnpublishedEvents(ctx context.Context, olderThan time.Duration, limit int) ([]store.RecordedEvents, error) {
	before := db.wall.Now().Add(-olderThan).UnixMicro()
	return db.storedEvents(ctx, selectUnpublished, []any{before, int64(limit)})
}

// EventsBetween returns the events of a subject with revisions above after, up to and including upTo, in order.
func (db *DB) EventsBetween(ctx context.Context, subject store.Subject, after, upTo uint64) ([]store.RecordedEvents, error) {
	return db.storedEvents(ctx, selectBetween, append(subjectArgs(subject), int64(after), int64(upTo)))
}

// TrimEvents removes up to limit published events that were recorded before a time, and returns how many it removed.
func (db *DB) TrimEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := db.query(ctx, trimEvents, []any{before.UnixMicro(), int64(limit)}, nil)
	return int(n), err
}

func (db *DB) storedEvents(ctx context.Context, text string, args []any) ([]store.RecordedEvents, error) {
	if err := db.begin(); err != nil {
		return nil, err
	}
	defer db.calls.Done()
	var list []store.RecordedEvents
	err := db.call(ctx, func(ctx context.Context, c *conn) error {
		list = nil
		_, err := c.query(ctx, []store.Statement{{SQL: text, Args: args}}, func(row store.Row) error {
			var n [6]int64
			for i := range n {
				n[i], _ = row[i].(int64)
			}
			entry, _ := row[7].([]byte)
			list = append(list, store.RecordedEvents{
				Subject:  store.Subject{Kind: store.Kind(n[0]), A: uint64(n[1]), B: uint64(n[2])},
				Revision: uint64(n[3]), After: uint64(n[4]),
				Created: time.UnixMicro(n[5]).UTC(), Published: row[6] != nil, Entry: entry,
			})
			return nil
		})
		return err
	})
	return list, err
}
