// Package events carries what happened from the services that made it happen to whoever tells others of it. Nobody who
// publishes waits: a subscriber that does not keep up is cut off. It starts no goroutine and knows nothing of the wire.
package events

import (
	"errors"
	"math"
	"sync"
)

// ErrLagging says that a subscription was cut off because its events were not taken in time.
var ErrLagging = errors.New("subscriber does not keep up")

// Bus hands events to all who have subscribed, to each in the order in which they were published. The zero Bus has no
// subscribers and is ready. It is safe for concurrent use and is not copied.
type Bus struct {
	// Outward takes what is published to wherever nodes share their events, from where Deliver is called. It may be nil: this
	// node is alone. It is set before the first use.
	Outward func(Event)

	mu          sync.Mutex
	subscribers map[*Subscription]struct{}
	at          Position // of what was delivered last
}

// Subscription is one subscriber's queue of events.
type Subscription struct {
	bus   *Bus
	queue chan Event // closed by the bus, under its lock, when the subscription ends
	err   error      // set before queue is closed
}

// Subscribe returns a subscription to everything that is published from now on. At most capacity events wait in it: one
// more cuts it off. The caller closes it. Where nodes share a history it begins with an event that says nothing but how far
// that has come.
func (b *Bus) Subscribe(capacity int) *Subscription {
	s := &Subscription{bus: b, queue: make(chan Event, max(capacity, 1)+1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.at.IsZero() {
		s.queue <- Event{Position: b.at}
	}
	if b.subscribers == nil {
		b.subscribers = map[*Subscription]struct{}{}
	}
	b.subscribers[s] = struct{}{}
	return s
}

// Publish lets every subscriber hear an event, on whichever node. It does not wait.
func (b *Bus) Publish(e Event) {
	if b.Outward != nil {
		b.Outward(e)
		return
	}
	b.Deliver(e)
}

// Interrupt ends every subscription, for events were lost.
func (b *Bus) Interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = Position{}
	for s := range b.subscribers {
		b.end(s, ErrLagging)
	}
}

// Deliver gives events to every subscriber of this node that has room for them and ends the subscriptions of the others.
func (b *Bus) Deliver(list ...Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range list {
		if !list[i].Position.IsZero() {
			b.at = list[i].Position
		}
	}
	for s := range b.subscribers {
		if !s.take(list) {
			b.end(s, ErrLagging)
		}
	}
}

// take puts events into the queue, and reports whether there was room for all.
func (s *Subscription) take(list []Event) bool {
	for i := range list {
		select {
		case s.queue <- list[i]:
		default:
			return false
		}
	}
	return true
}

// Room returns how many events every subscriber has room for.
func (b *Bus) Room() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := math.MaxInt
	for s := range b.subscribers {
		room = min(room, cap(s.queue)-len(s.queue))
	}
	return room
}

// end takes a subscription out. The bus is locked.
func (b *Bus) end(s *Subscription, err error) {
	if _, there := b.subscribers[s]; !there {
		return
	}
	delete(b.subscribers, s)
	s.err = err
	close(s.queue)
}

// Events returns the queue. It is closed when the subscription has ended; what waited in it can still be taken.
func (s *Subscription) Events() <-chan Event { return s.queue }

// Err says, once the queue is closed, why: ErrLagging, or nil after Close.
func (s *Subscription) Err() error {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.err
}

// Close ends the subscription. It can be called more than once.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.bus.end(s, nil)
}
