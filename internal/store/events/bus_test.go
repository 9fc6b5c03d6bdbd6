package events_test

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/store/events"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// numbered returns an event with a number as its name.
func numbered(n int) events.Event { return events.Event{Name: strconv.Itoa(n)} }

func number(t *testing.T, e events.Event) int {
	t.Helper()
	n, err := strconv.Atoi(e.Name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// taken returns the remaining events of a subscription that has ended.
func taken(t *testing.T, s *events.Subscription) []int {
	t.Helper()
	var got []int
	for e := range s.Events() {
		got = append(got, number(t, e))
	}
	return got
}

func TestBus(t *testing.T) {
	t.Parallel()

	t.Run("everyone hears everything in order", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		first, second := bus.Subscribe(3), bus.Subscribe(5)
		for n := range 3 {
			bus.Publish(numbered(n))
		}
		first.Close()
		second.Close()
		for _, s := range []*events.Subscription{first, second} {
			if got := taken(t, s); !slices.Equal(got, []int{0, 1, 2}) || s.Err() != nil {
				t.Errorf("heard %v, then %v", got, s.Err())
			}
		}
	})

	t.Run("earlier and later events are not delivered", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		bus.Publish(numbered(0))
		s := bus.Subscribe(3)
		bus.Publish(numbered(1))
		s.Close()
		s.Close()
		bus.Publish(numbered(2))
		if got := taken(t, s); !slices.Equal(got, []int{1}) {
			t.Errorf("heard %v, want what happened in between", got)
		}
	})

	t.Run("a new subscriber gets the position", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		at := events.Position{Transaction: 7, Number: 1}
		bus.Deliver(events.Event{Name: "1", Position: at})
		s := bus.Subscribe(1)
		if e := <-s.Events(); e.Name != "" || e.Position != at {
			t.Errorf("heard %+v", e)
		}
		bus.Interrupt()
		s = bus.Subscribe(1)
		s.Close()
		if got := taken(t, s); len(got) != 0 {
			t.Errorf("received %v after the position was lost", got)
		}
	})

	t.Run("Room is that of the fullest subscription", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		if got := bus.Room(); got < 1<<30 {
			t.Errorf("Room() = %d", got)
		}
		few, many := bus.Subscribe(3), bus.Subscribe(10)
		room := bus.Room()
		bus.Deliver(numbered(0), numbered(1))
		bus.Deliver(numbered(2), numbered(3))
		if left := bus.Room(); room != 4 || left != 0 {
			t.Errorf("there was room for %d and is for %d, want 4 and none", room, left)
		}
		few.Close()
		many.Close()
		if got := taken(t, few); !slices.Equal(got, []int{0, 1, 2, 3}) || !slices.Equal(got, taken(t, many)) || few.Err() != nil {
			t.Errorf("heard %v, then %v", got, few.Err())
		}
	})

	t.Run("a subscriber with too little room gets what fits and is cut off", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		s := bus.Subscribe(1)
		bus.Deliver(numbered(0), numbered(1), numbered(2))
		if got := taken(t, s); !slices.Equal(got, []int{0, 1}) || !errors.Is(s.Err(), events.ErrLagging) {
			t.Errorf("heard %v, then %v", got, s.Err())
		}
	})

	t.Run("a slow subscriber is cut off, others are not", func(t *testing.T) {
		t.Parallel()
		var bus events.Bus
		slow, quick := bus.Subscribe(1), bus.Subscribe(10)
		for n := range 5 {
			bus.Publish(numbered(n)) // Publish does not block without a reader
		}
		if got := taken(t, slow); !slices.Equal(got, []int{0, 1}) || !errors.Is(slow.Err(), events.ErrLagging) {
			t.Errorf("the slow one heard %v, then %v", got, slow.Err())
		}
		slow.Close()
		quick.Close()
		if got := taken(t, quick); len(got) != 5 || quick.Err() != nil {
			t.Errorf("the quick one heard %v, then %v", got, quick.Err())
		}
	})
}

// TestBusConcurrently publishes from many goroutines while subscribers come and go. All subscribers receive events in
// the same order.
func TestBusConcurrently(t *testing.T) {
	t.Parallel()
	const publishers, each = 4, 200
	var bus events.Bus
	first, second := bus.Subscribe(publishers*each), bus.Subscribe(publishers*each)
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			for n := range each {
				bus.Publish(numbered(p*each + n))
			}
		})
		wg.Go(func() {
			for range each {
				passing := bus.Subscribe(1)
				passing.Close()
			}
		})
	}
	wg.Wait()
	first.Close()
	second.Close()
	got := taken(t, first)
	if !slices.Equal(got, taken(t, second)) {
		t.Error("two subscribers heard different orders")
	}
	next := [publishers]int{}
	for _, n := range got {
		if p := n / each; n%each != next[p] {
			t.Fatalf("event %d of publisher %d came when %d was due", n%each, p, next[p])
		}
		next[n/each]++
	}
	if len(got) != publishers*each {
		t.Errorf("heard %d events, want %d", len(got), publishers*each)
	}
}
