package storetest

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
)

// changeLog collects the changes that a subscriber gets.
type changeLog struct {
	mu      sync.Mutex
	changes []*store.Change
}

func subscribed(s store.Store) *changeLog {
	var l changeLog
	s.Subscribe(func(c *store.Change) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changes = append(l.changes, c)
	})
	return &l
}

func (l *changeLog) all() []*store.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.changes)
}

func subscribe(t *testing.T, s store.Store) {
	first, second := subscribed(s), subscribed(s)
	e := at(1, 0)
	e.State = "the next state"
	event := store.Event{Subject: e.Subject, Event: events.Event{Name: "TYPING_START", Data: []byte(`{}`)}}
	commit(t, s, store.Change{
		Expect: []store.Expectation{e}, Check: []store.Expectation{at(2, 0)}, Put: []store.Record{user(1, "a")}, Events: []store.Event{event},
	})
	for _, l := range []*changeLog{first, second} {
		changes := l.all()
		if len(changes) != 1 {
			t.Fatalf("a subscriber got %d changes before Commit returned, want 1", len(changes))
		}
		c := changes[0]
		same(t, "revision of the change", c.Revision, revision(t, s, e.Subject))
		same(t, "expectations of the change", c.Expect, []store.Expectation{e})
		same(t, "records of the change", c.Put, []store.Record{user(1, "a")})
		same(t, "events of the change", c.Events, []store.Event{event})
	}
	decide(t, s, func(tx *store.Tx) error {
		_, err := tx.Directory.User(1)
		return err
	})
	if n := len(first.all()); n != 1 {
		t.Errorf("a subscriber got %d changes after a decision that changed nothing, want 1", n)
	}
}

func subscribeFailed(t *testing.T, s store.Store) {
	l := subscribed(s)
	put(t, s, device(1, 7))
	for _, c := range []store.Change{deviceChange(2, 7, 1), {Expect: []store.Expectation{at(1, 5)}, Put: []store.Record{user(1, "a")}}} {
		if err := s.Commit(t.Context(), c); err == nil {
			t.Error("Commit() = nil, want an error")
		}
	}
	if n := len(l.all()); n != 1 {
		t.Errorf("the subscriber got %d changes, want the one that succeeded", n)
	}
}

func subscribeOrder(t *testing.T, s store.Store) {
	const goroutines, rounds, counters = 8, 15, 3
	l := subscribed(s)
	together(goroutines, func(i int) {
		for round := range rounds {
			id := uint64((i+round)%counters + 1)
			err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
				if err := increment(id)(tx); err != nil {
					return err
				}
				n, err := count(tx.Reader, id)
				tx.Announce(store.Event{Subject: userSubject(id), Event: events.Event{Name: strconv.FormatInt(n, 10)}})
				return err
			})
			if err != nil {
				t.Errorf("Decide() = %v", err)
			}
		}
	})
	changes := l.all()
	same(t, "number of changes", len(changes), goroutines*rounds)
	if s.Shared() { // then the order of calls is not part of the contract
		slices.SortFunc(changes, func(a, b *store.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	}
	notified := map[store.Subject]int{}
	for _, c := range changes {
		for _, e := range c.Events {
			notified[e.Subject]++
			if want := strconv.Itoa(notified[e.Subject]); e.Name != want {
				t.Errorf("event %s of %v came as number %s", e.Name, e.Subject, want)
			}
		}
	}
}

func ping(t *testing.T, s store.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v", err)
	}
}

func closeWaits(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"))
	begun, release, done, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		done <- s.Read(t.Context(), func(r store.Reader) error {
			close(begun)
			<-release
			_, err := r.Directory.User(1)
			return err
		})
	}()
	<-begun
	var released atomic.Bool
	go func() {
		err := s.Close()
		if !released.Load() {
			err = errors.Join(err, errors.New("the store was closed while a read was in progress"))
		}
		closed <- err
	}()
	for n := 0; n < 50; { // until Close has begun, and a little longer
		if errors.Is(s.Ping(t.Context()), store.ErrUnavailable) {
			n++
		}
	}
	released.Store(true)
	close(release)
	if err := <-done; err != nil {
		t.Errorf("Read() in progress = %v", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close() = %v", err)
	}
}

func closed(t *testing.T, s store.Store) {
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	_, revisionsErr := s.Revisions(t.Context(), userSubject(1))
	for call, err := range map[string]error{
		"Read()": s.Read(t.Context(), func(store.Reader) error {
			t.Error("a closed store ran a read")
			return nil
		}),
		"Commit()":    s.Commit(t.Context(), store.Change{}),
		"Revisions()": revisionsErr,
		"Ping()":      s.Ping(t.Context()),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s = %v, want %v", call, err, store.ErrUnavailable)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close() = %v", err)
	}
}
