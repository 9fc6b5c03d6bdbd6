package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// timeouts calls back when a deadline has passed. It keeps timeouts in slots of one second (a timing wheel). A deadline
// that moves is only looked at when its old slot comes up, so that a heartbeat costs one atomic store.
type timeouts struct {
	mu    sync.Mutex
	slots [128]map[timeout]struct{}
	at    int64 // in seconds: earlier slots are done
}

// timeout is something with a deadline.
type timeout interface {
	deadline() int64 // in nanoseconds since 1970; it may move to a later time, but not to an earlier slot
	expire()         // called after the deadline
}

func newTimeouts(now time.Time) *timeouts {
	w := &timeouts{at: now.Unix()}
	for i := range w.slots {
		w.slots[i] = map[timeout]struct{}{}
	}
	return w
}

// add adds a timeout.
func (w *timeouts) add(t timeout) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.schedule(t)
}

// schedule puts a timeout into the slot after its deadline, or into the last slot. The timeouts are locked.
func (w *timeouts) schedule(t timeout) {
	second := t.deadline()/int64(time.Second) + 1
	second = min(max(second, w.at), w.at+int64(len(w.slots))-1)
	w.slots[second%int64(len(w.slots))][t] = struct{}{}
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
		w.expireDue(c.Now())
	}
}

// expireDue calls the timeouts whose deadline has passed.
func (w *timeouts) expireDue(now time.Time) {
	for _, t := range w.due(now) {
		t.expire()
	}
}

// due removes and returns the timeouts whose deadline has passed.
func (w *timeouts) due(now time.Time) []timeout {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := now.Unix()
	var list, later []timeout
	for n := 0; w.at <= end && n < len(w.slots); n++ {
		slot := w.slots[w.at%int64(len(w.slots))]
		for t := range slot {
			if t.deadline() <= now.UnixNano() {
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
