// Package audit keeps the audit log: who did what, from where, and what it changed. An entry is part of the change that
// it describes, so the log has an entry exactly if the change was stored. The package also reads and follows the log and
// removes old entries.
package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Log is the audit log. It is safe for concurrent use. All fields but Sealer and Settings are required. A nil *Log records nothing.
type Log struct {
	Store    store.Store
	Clock    clock.Clock
	Wall     clock.Clock // the system's time, also when dev controls move Clock
	IDs      interface{ Next() uint64 }
	Logger   *slog.Logger
	Sealer   Sealer // authenticates the chain of entries; Seal needs it
	Settings Settings

	failures  failures
	followers followers
}

// Settings are the settings of an operator.
type Settings struct {
	Retention  time.Duration // how long entries stay; 0: DefaultRetention
	MaxEntries int           // the oldest entries above this number are removed; 0: DefaultMaxEntries
}

// Defaults of Settings.
const (
	DefaultRetention  = 90 * 24 * time.Hour
	DefaultMaxEntries = 1_000_000
)

// Entry describes what an actor does.
type Entry struct {
	Actor  string // empty: the actor of the context
	Action string // such as "user.update"
	Target string // such as "guild/300/role/301"
	// Before and After are encoded as JSON objects. They must contain no secret. nil: there is no object.
	Before, After any
}

// maxObject bounds the JSON of an object before or after a change. A larger one is replaced by its size.
const maxObject = 32 << 10

// Add adds an entry to a change. It adds none when the objects before and after are the same.
func (l *Log) Add(ctx context.Context, tx *store.Tx, e Entry) error {
	record, changed, err := l.entry(ctx, e)
	if err != nil || !changed {
		return err
	}
	return tx.Put(record)
}

// AddTo adds an entry to a change, like Add.
func (l *Log) AddTo(ctx context.Context, c *store.Change, e Entry) error {
	record, changed, err := l.entry(ctx, e)
	if err == nil && changed {
		c.Put = append(c.Put, record)
	}
	return err
}

// AddAlone stores an entry about something that changes nothing, such as an export. An error is logged.
func (l *Log) AddAlone(ctx context.Context, e Entry) {
	if l == nil {
		return
	}
	err := store.Decide(ctx, l.Store, func(tx *store.Tx) error { return l.Add(ctx, tx, e) })
	if err != nil {
		l.Logger.ErrorContext(ctx, "entry of the audit log not recorded", "action", e.Action, "err", err)
	}
}

// entry returns the record of an entry. It returns false if nothing changed, or if there is no log.
func (l *Log) entry(ctx context.Context, e Entry) (record store.AuditEntry, changed bool, err error) {
	if l == nil {
		return record, false, nil
	}
	before, err := object(e.Before)
	if err != nil {
		return record, false, err
	}
	after, err := object(e.After)
	if err != nil {
		return record, false, err
	}
	if before != nil && bytes.Equal(before, after) {
		return record, false, nil
	}
	record = store.AuditEntry{
		ID: l.IDs.Next(), Time: l.Clock.Now().UTC().Truncate(time.Millisecond), Actor: System, Action: e.Action, Target: e.Target,
		Before: bounded(before), After: bounded(after),
	}
	if a := actorOf(ctx); a != nil {
		record.Actor, record.Via = a.name()
		if a.Address.IsValid() {
			record.Address = a.Address.String()
		}
	}
	if e.Actor != "" {
		record.Actor, record.Via = e.Actor, ""
	}
	return record, true, nil
}

func object(value any) (jsontext.Value, error) {
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode %T for the audit log: %w", value, err)
	}
	return text, nil
}

// bounded returns the object, or its size when it is too large.
func bounded(text jsontext.Value) jsontext.Value {
	if len(text) <= maxObject {
		return text
	}
	return fmt.Appendf(nil, `{"omitted_bytes":%d}`, len(text))
}

// AddFailure records a request that was refused, such as a failed sign-in, in a change of its own. Clients without an
// account can cause failures, so at most maxFailures of them are recorded per minute, and at most maxFailuresOfAddress of one address. The next entry says how many were
// left out. An error is logged only: the request has failed anyway.
func (l *Log) AddFailure(ctx context.Context, e Entry) {
	if l == nil {
		return
	}
	var from netip.Addr
	if a := actorOf(ctx); a != nil && a.Address.IsValid() {
		from = ratelimit.Network(a.Address)
	}
	record, omitted := l.failures.next(from, l.Wall.Now())
	if !record {
		return
	}
	if omitted > 0 {
		e.After = struct {
			Omitted int `json:"omitted_failures"`
		}{omitted}
	}
	err := store.Decide(ctx, l.Store, func(tx *store.Tx) error { return l.Add(ctx, tx, e) })
	if err != nil {
		l.Logger.ErrorContext(ctx, "failure not recorded", "action", e.Action, "err", err)
	}
}

// The highest numbers of failures that one node records per minute.
const (
	maxFailures          = 60
	maxFailuresOfAddress = 20 // so that one address does not hide the failures of others
)

// failures counts the failures of the current minute.
type failures struct {
	mu      sync.Mutex
	minute  time.Time
	count   int
	from    map[netip.Addr]int // of the recorded ones
	omitted int
}

// next reports whether a failure is recorded, and how many failures were left out since the last one. The zero address is
// counted only in total.
func (f *failures) next(from netip.Addr, now time.Time) (record bool, omitted int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(f.minute) {
		f.minute, f.count, f.from = minute, 0, map[netip.Addr]int{}
	}
	if f.count >= maxFailures || from.IsValid() && f.from[from] >= maxFailuresOfAddress {
		f.omitted++
		return false, 0
	}
	f.count++
	f.from[from]++
	omitted, f.omitted = f.omitted, 0
	return true, omitted
}
