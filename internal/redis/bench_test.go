package redis_test

import (
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// eventNode is a node that reads the event log.
type eventNode struct {
	db        *postgres.DB
	bus       events.Bus
	heard     *events.Subscription
	revisions [64]atomic.Uint64 // of users
}

// joinLog starts a node with hints.
func joinLog(b *testing.B, url string) *eventNode {
	b.Helper()
	db, err := postgres.Open(b.Context(), url, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	n := &eventNode{db: db}
	db.Subscribe(func(c *store.Change) { n.revisions[c.Expect[0].Subject.A].Store(c.Revision) })
	l := postgres.NewEventLog(db, &n.bus, slog.New(slog.DiscardHandler))
	h := redis.NewHints(open(b, server.Get(b).URL()), strconv.FormatInt(time.Now().UnixNano(), 10))
	l.Hint, h.Heard, h.Joined = h.Send, l.Heard, l.Repeat
	run(b, h.Run)
	run(b, l.Run)
	<-l.Begun()
	n.heard = n.bus.Subscribe(1 << 16)
	return n
}

// write commits a change of a user with an event.
func (n *eventNode) write(b *testing.B, id snowflake.User) {
	s := store.UserSubject(id)
	err := n.db.Commit(b.Context(), store.Change{
		Expect: []store.Expectation{{Subject: s, Revision: n.revisions[id].Load()}},
		Put:    []store.Record{store.User{ID: id, Username: "name"}},
		Events: []store.Event{{Subject: s, Event: events.Event{Name: "X", Data: []byte("{}"), To: events.Audience{Users: []snowflake.User{id}}}}},
	})
	if err != nil {
		b.Error(err)
	}
}

// receive reads n events that have a name.
func (n *eventNode) receive(b *testing.B, count int) {
	b.Helper()
	for late := time.After(30 * time.Second); count > 0; {
		select {
		case e, ok := <-n.heard.Events():
			if !ok {
				b.Fatal(n.heard.Err())
			}
			if e.Name != "" {
				count--
			}
		case <-late:
			b.Fatalf("%d events are missing", count)
		}
	}
}

// BenchmarkEventLog commits changes with an event at one node, and waits until another node has the events: for each change,
// and for many changes of 32 writers. PostgreSQL waits for the disk.
func BenchmarkEventLog(b *testing.B) {
	pg, err := engines.StartPostgres(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := pg.Stop(); err != nil {
			b.Error(err)
		}
	})
	url, err := pg.Database(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	writer, reader := joinLog(b, url), joinLog(b, url)
	b.Run("one writer", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			writer.write(b, 1)
			reader.receive(b, 1)
			took = append(took, time.Since(began))
			writer.receive(b, 1)
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	})
	b.Run("32 writers", func(b *testing.B) {
		var ids atomic.Uint64
		b.SetParallelism(16)
		b.RunParallel(func(p *testing.PB) {
			for id := snowflake.User(ids.Add(1)%63 + 1); p.Next(); {
				writer.write(b, id)
			}
		})
		reader.receive(b, b.N)
		writer.receive(b, b.N)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
	})
}
