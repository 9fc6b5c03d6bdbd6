package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// flight is an interaction that this node created and that nobody has answered yet.
type flight struct {
	record store.Interaction // as it was created
	app    *store.Application
	watch  *Watch // may be nil
	began  time.Time
	cancel context.CancelFunc // ends the delivery; nil: there is none

	// ready is closed once the interaction is on disk and announced, or lost, which says that it never will be.
	ready chan struct{}
	lost  bool
	// settled is closed once there is a first answer, or none can come any more.
	settled  chan struct{}
	arriving atomic.Int32 // answers that are being read
	held     atomic.Int32 // follow-ups that wait for the answer
}

// flights are the interactions without an answer. Their number is bounded.
type flights struct {
	limits Limits

	mu     sync.Mutex
	open   map[snowflake.Interaction]*flight
	of     map[snowflake.Application]int
	closed bool
	under  sync.WaitGroup // deliveries; none is added once closed is set
}

// enter takes a flight in. One that is delivered by a goroutine is waited for when the service ends.
func (fs *flights) enter(f *flight, delivery bool) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return ErrClosed
	}
	if len(fs.open) >= fs.limits.All || fs.of[f.record.Application] >= fs.limits.PerApplication {
		return ErrBusy
	}
	if fs.open == nil {
		fs.open, fs.of = map[snowflake.Interaction]*flight{}, map[snowflake.Application]int{}
	}
	fs.open[f.record.ID] = f
	fs.of[f.record.Application]++
	if delivery {
		fs.under.Add(1)
	}
	return nil
}

// get returns the flight of an interaction, or nil.
func (fs *flights) get(id snowflake.Interaction) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.open[id]
}

func (fs *flights) len() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.open)
}

// settle ends a flight and lets go whoever waits for it. It returns nil when there is none any more.
func (fs *flights) settle(id snowflake.Interaction) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, ok := fs.open[id]
	if !ok {
		return nil
	}
	fs.drop(f)
	return f
}

func (fs *flights) drop(f *flight) {
	delete(fs.open, f.record.ID)
	if fs.of[f.record.Application]--; fs.of[f.record.Application] == 0 {
		delete(fs.of, f.record.Application)
	}
	close(f.settled)
}

// land ends the flights that were created before a moment: their deadline has passed, and since none of them is due any
// more, they were answered at another node.
func (fs *flights) land(before time.Time) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.open {
		select {
		case <-f.ready:
			if f.record.State.Created.Before(before) {
				fs.drop(f)
			}
		default: // still on its way to the disk
		}
	}
}

// abandon ends all flights.
func (fs *flights) abandon() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.open {
		fs.drop(f)
		if f.cancel != nil {
			f.cancel()
		}
	}
}

// close lets no flight in any more and waits for the deliveries, which end by their deadlines.
func (fs *flights) close() {
	fs.mu.Lock()
	fs.closed = true
	fs.mu.Unlock()
	fs.under.Wait()
}

// Arriving notes that an answer to an interaction has begun to arrive, so that the deadline leaves time to read it.
// The caller calls the function that it returns when the answer has been given to Callback, or was given up.
func (d *Dispatch) Arriving(id snowflake.Interaction) (done func()) {
	f := d.flights.get(id)
	if f == nil {
		return func() {}
	}
	f.arriving.Add(1)
	return sync.OnceFunc(func() { f.arriving.Add(-1) })
}

// maxHeld is how many follow-ups of one interaction wait for the answer that they follow.
const maxHeld = 16

// hold waits for the first answer of an interaction that may be on its way inline: an app can be faster with a follow-up
// than the service with reading the answer. The deadline ends it at the latest.
func (d *Dispatch) hold(ctx context.Context, id snowflake.Interaction) {
	f := d.flights.get(id)
	if f == nil || !f.record.Origin.Posted {
		return
	}
	defer f.held.Add(-1)
	if f.held.Add(1) > maxHeld {
		return
	}
	select {
	case <-f.settled:
	case <-ctx.Done():
	}
}
