// Package events delivers events from the services to subscribers such as the gateway, and encodes them for other
// nodes. Publishing never blocks: a subscriber that does not keep up is disconnected. The package starts no goroutine.
package events

import (
	"errors"
	"math"
	"sync"
)

// ErrLagging means that a subscription ended because its events were not read in time, or because events were lost.
var ErrLagging = errors.New("subscriber does not keep up")

// Bus delivers events to all subscribers, to each in the order of publication. The zero Bus is ready. It is safe for
// concurrent use and must not be copied.
type Bus struct {
	// Outward sends a published event to all nodes, which then call Deliver. nil means that there is one node. It is
	// set before the first use.
	Outward func(Event)

	mu          sync.Mutex
	subscribers map[*Subscription]struct{}
	at          Position // position of the last event
}

// Subscription is the queue of one subscriber.
type Subscription struct {
	bus   *Bus
	queue chan Event // closed by the bus, under its lock, when the subscription ends
	err   error      // set before queue is closed
}

// Subscribe returns a subscription to all events from now on. It ends with ErrLagging when more than capacity events
// wait in it. The caller closes it. If nodes share a history, the first event only contains the current position.
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

// Publish sends an event to every subscriber on every node. It does not block.
func (b *Bus) Publish(e Event) {
	if b.Outward != nil {
		b.Outward(e)
		return
	}
	b.Deliver(e)
}

// Interrupt ends every subscription because events were lost.
func (b *Bus) Interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = Position{}
	for s := range b.subscribers {
		b.end(s, ErrLagging)
	}
}

// Deliver sends events to the subscribers of this node. It ends the subscriptions that have no room for them.
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

// take adds events to the queue and reports whether there was room for all.
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

// Room returns the number of events that every subscriber has room for.
func (b *Bus) Room() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := math.MaxInt
	for s := range b.subscribers {
		room = min(room, cap(s.queue)-len(s.queue))
	}
	return room
}

// end ends a subscription. The bus is locked.
func (b *Bus) end(s *Subscription, err error) {
	if _, active := b.subscribers[s]; !active {
		return
	}
	delete(b.subscribers, s)
	s.err = err
	close(s.queue)
}

// Events returns the queue. It is closed when the subscription has ended; the events in it can still be read.
func (s *Subscription) Events() <-chan Event { return s.queue }

// Err returns why the queue was closed: ErrLagging, or nil after Close.
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
