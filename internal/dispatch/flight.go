package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

// flight is an interaction that this node creates or has created, and that has no answer yet.
type flight struct {
	id     snowflake.Interaction
	app    snowflake.Application
	cancel context.CancelFunc // ends the delivery

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
	under  sync.WaitGroup // creations and deliveries; none is added once closed is set
}

// enter adds a flight. The caller calls under.Done when neither its creation nor its delivery is under way any more.
func (fs *flights) enter(f *flight) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return ErrClosed
	}
	if len(fs.open) >= fs.limits.All || fs.of[f.app] >= fs.limits.PerApplication {
		return ErrBusy
	}
	if fs.open == nil {
		fs.open, fs.of = map[snowflake.Interaction]*flight{}, map[snowflake.Application]int{}
	}
	fs.open[f.id] = f
	fs.of[f.app]++
	fs.under.Add(1)
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

// settle ends a flight and releases the follow-ups that wait for it. It returns nil when there is none any more.
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
	delete(fs.open, f.id)
	if fs.of[f.app]--; fs.of[f.app] == 0 {
		delete(fs.of, f.app)
	}
	close(f.settled)
}

// land ends the flights that were created before a moment: their deadline has passed, and since none of them is due any
// more, they were answered at another node.
func (fs *flights) land(before time.Time) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.open {
		if f.id.Time().Before(before) {
			fs.drop(f)
		}
	}
}

// abandon ends all flights.
func (fs *flights) abandon() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.open {
		fs.drop(f)
		f.cancel()
	}
}

// close lets no flight in any more and waits for the creations and deliveries, which end by their deadlines.
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
func (d *Dispatch) hold(ctx context.Context, id snowflake.Interaction) error {
	f := d.flights.get(id)
	if f == nil {
		return nil
	}
	i, err := d.interactions.Recall(ctx, id)
	if err != nil || !i.Origin.Posted || i.State.Status != interaction.Pending {
		return err
	}
	defer f.held.Add(-1)
	if f.held.Add(1) > maxHeld {
		return nil
	}
	select {
	case <-f.settled:
	case <-ctx.Done():
	}
	return nil
}
