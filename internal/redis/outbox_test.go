package redis_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// table is an outbox in memory that nodes share.
type table struct {
	mu   sync.Mutex
	rows []store.RecordedEvents
	asks int // calls of EventsBetween
}

var _ redis.Outbox = (*table)(nil)

func (o *table) PublishedEvents(_ context.Context, list []store.RecordedEvents) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		for i := range o.rows {
			if o.rows[i].Subject == p.Subject && o.rows[i].Revision == p.Revision {
				o.rows[i].Published = true
			}
		}
	}
	return nil
}

func (o *table) UnpublishedEvents(_ context.Context, older time.Duration, limit int) ([]store.RecordedEvents, error) {
	return o.filter(limit, func(r *store.RecordedEvents) bool { return !r.Published && time.Since(r.Created) > older }), nil
}

func (o *table) EventsBetween(_ context.Context, s store.Subject, after, upTo uint64) ([]store.RecordedEvents, error) {
	o.mu.Lock()
	o.asks++
	o.mu.Unlock()
	return o.filter(1000, func(r *store.RecordedEvents) bool { return r.Subject == s && r.Revision > after && r.Revision <= upTo }), nil
}

func (o *table) TrimEvents(context.Context, time.Time, int) (int, error) { return 0, nil }

func (o *table) filter(limit int, keep func(*store.RecordedEvents) bool) (list []store.RecordedEvents) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.rows {
		if len(list) < limit && keep(&o.rows[i]) {
			list = append(list, o.rows[i])
		}
	}
	slices.SortFunc(list, func(a, b store.RecordedEvents) int { return cmp.Compare(a.Revision, b.Revision) })
	return list
}

// record records a change of a subject from one revision to another and returns it.
func (o *table) record(s store.Subject, after, revision uint64) *store.Change {
	e := events.Event{Name: strconv.FormatUint(revision, 10), Data: []byte(`{}`)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = append(o.rows, store.RecordedEvents{
		Subject: s, Revision: revision, After: after, Created: time.Now(), Entry: events.AppendEntry(nil, []events.Event{e}),
	})
	return &store.Change{
		Revision: revision, Expect: []store.Expectation{{Subject: s, Revision: after}}, Events: []store.Event{{Subject: s, Event: e}},
	}
}

// listenTo runs a relay with an outbox.
func listenTo(t *testing.T, o *table) *listener {
	t.Helper()
	l := &listener{}
	l.relay = redis.NewRelay(open(t, server.Get(t).URL()), &l.bus, o)
	run(t, l.relay.Run)
	<-l.relay.Begun()
	l.heard = l.bus.Subscribe(1 << 15)
	return l
}

func (l *listener) wantOrder(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, e := range l.next(t, len(want)) {
		got = append(got, e.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
}

func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	lobby := store.LobbySubject(7)

	t.Run("a node that publishes first waits for the events before", func(t *testing.T) {
		t.Parallel()
		o := &table{}
		a, b := listenTo(t, o), listenTo(t, o)
		first, second := o.record(lobby, 0, 1), o.record(lobby, 1, 2)
		b.relay.Committed(second) // the other node publishes later
		a.wantOrder(t, "1", "2")
		a.relay.Committed(first)
		a.relay.Committed(o.record(lobby, 2, 3))
		b.wantOrder(t, "1", "2", "3")
	})

	t.Run("an event is heard once", func(t *testing.T) {
		t.Parallel()
		o := &table{}
		a, b := listenTo(t, o), listenTo(t, o)
		for range 3 {
			a.relay.Committed(o.record(lobby, 0, 1))
		}
		a.relay.Committed(o.record(lobby, 1, 2))
		b.wantOrder(t, "1", "2")
	})

	t.Run("a revision without events is no gap", func(t *testing.T) {
		t.Parallel()
		o := &table{}
		a := listenTo(t, o)
		a.relay.Committed(o.record(lobby, 0, 1))
		a.relay.Committed(o.record(lobby, 5, 6))
		a.wantOrder(t, "1", "6")
	})

	t.Run("events in a row ask for nothing", func(t *testing.T) {
		t.Parallel()
		o := &table{}
		a := listenTo(t, o)
		var want []string
		for n := range uint64(200) {
			a.relay.Committed(o.record(lobby, n, n+1))
			want = append(want, strconv.FormatUint(n+1, 10))
		}
		a.wantOrder(t, want...)
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.asks != 0 {
			t.Errorf("the table was asked %d times for missing events", o.asks)
		}
	})

	t.Run("another node publishes what a dead one left, within two seconds", func(t *testing.T) {
		t.Parallel()
		o := &table{}
		a := listenTo(t, o)
		began := time.Now()
		o.record(lobby, 0, 1) // its node never publishes it
		o.record(lobby, 1, 2)
		a.wantOrder(t, "1", "2")
		if took := time.Since(began); took > 10*time.Second { // 2 s on an idle machine
			t.Errorf("it took %v", took)
		}
		for end := time.Now().Add(20 * time.Second); len(o.filter(10, func(r *store.RecordedEvents) bool { return !r.Published })) > 0; {
			if time.Now().After(end) {
				t.Fatal("the rows are not marked as published")
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// TestRecordedEventsConcurrently lets nodes commit changes of a few subjects and publish them in any order, some twice.
// Every node receives the events of each subject once and in the order of revisions.
func TestRecordedEventsConcurrently(t *testing.T) {
	t.Parallel()
	o := &table{}
	nodes := []*listener{listenTo(t, o), listenTo(t, o), listenTo(t, o)}
	const subjects, changes = 4, 150
	var wg sync.WaitGroup
	for s := range uint64(subjects) {
		var list []*store.Change
		for n := range uint64(changes) {
			list = append(list, o.record(store.LobbySubject(snowflake.Lobby(s+1)), n, n+1))
		}
		rand.Shuffle(len(list), func(i, j int) {
			if i-j < 8 && j-i < 8 {
				list[i], list[j] = list[j], list[i]
			}
		})
		wg.Go(func() {
			for i, c := range list {
				nodes[(i+int(s))%3].relay.Committed(c)
				if i%17 == 0 {
					nodes[i%3].relay.Committed(c)
				}
			}
		})
	}
	wg.Wait()
	for i, l := range nodes {
		var last int
		count := map[int]int{}
		for _, e := range l.next(t, subjects*changes) {
			n, err := strconv.Atoi(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			count[n]++
			last = max(last, n)
			if n < changes && count[n+1] > count[n] {
				t.Fatalf("node %d heard %d before %d", i, n+1, n)
			}
		}
		for n, times := range count {
			if times != subjects {
				t.Errorf("node %d heard revision %d of %d subjects, want %d", i, n, times, subjects)
			}
		}
	}
}
