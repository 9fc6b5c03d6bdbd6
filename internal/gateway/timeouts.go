package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// timeouts calls back when a deadline has passed. It keeps timeouts in slots of one second (a timing wheel). A deadline
// that moves is only looked at when its old slot comes up, so that a heartbeat costs one atomic store.
//
// Times are those of clock.Elapsed: a machine whose time is set back does not keep silent connections.
type timeouts struct {
	mu    sync.Mutex
	slots [128]map[timeout]struct{}
	at    int64 // in seconds of elapsed time: earlier slots are done
}

// timeout is something with a deadline.
type timeout interface {
	deadline() time.Duration // elapsed time; it may move to a later time, but not to an earlier slot
	expire()                 // called after the deadline
}

func newTimeouts(now time.Duration) *timeouts {
	w := &timeouts{at: seconds(now)}
	for i := range w.slots {
		w.slots[i] = map[timeout]struct{}{}
	}
	return w
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// add adds a timeout.
func (w *timeouts) add(t timeout) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.schedule(t)
}

// schedule puts a timeout into the slot after its deadline, or into the last slot. The timeouts are locked.
func (w *timeouts) schedule(t timeout) {
	second := seconds(t.deadline()) + 1
	second = min(max(second, w.at), w.at+int64(len(w.slots))-1)
	w.slot(second)[t] = struct{}{}
}

// slot returns the slot of a second, which may be negative. The timeouts are locked.
func (w *timeouts) slot(second int64) map[timeout]struct{} {
	return w.slots[uint64(second)%uint64(len(w.slots))]
}

// remove removes a timeout.
func (w *timeouts) remove(t timeout) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, slot := range w.slots {
		delete(slot, t)
	}
}

// run calls expired timeouts until ctx ends.
func (w *timeouts) run(ctx context.Context, c clock.Clock) {
	for ctx.Err() == nil {
		clock.Wait(ctx, c, time.Second)
		w.expireDue(clock.Elapsed(c))
	}
}

// expireDue calls the timeouts whose deadline has passed.
func (w *timeouts) expireDue(now time.Duration) {
	for _, t := range w.due(now) {
		t.expire()
	}
}

// due removes and returns the timeouts whose deadline has passed.
func (w *timeouts) due(now time.Duration) []timeout {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := seconds(now)
	var list, later []timeout
	for n := 0; w.at <= end && n < len(w.slots); n++ {
		slot := w.slot(w.at)
		for t := range slot {
			if t.deadline() <= now {
				list = append(list, t)
			} else {
				later = append(later, t)
			}
		}
		clear(slot)
		w.at++
	}
	w.at = max(w.at, end+1)
	for _, t := range later {
		w.schedule(t)
	}
	return list
}
