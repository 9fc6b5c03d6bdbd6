package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// wheel holds what falls due, in slots of a second. What is put off meanwhile is only moved when its slot comes up, so
// that a heartbeat costs no more than noting when it came.
type wheel struct {
	mu    sync.Mutex
	slots [128]map[timed]struct{}
	at    int64 // seconds: all slots before are done
}

// timed is something that falls due.
type timed interface {
	dueAt() int64 // in nanoseconds since 1970; it may be put off, but not brought forward by more than its slot
	run()         // when it is due
}

func newWheel(now time.Time) *wheel {
	w := &wheel{at: now.Unix()}
	for i := range w.slots {
		w.slots[i] = map[timed]struct{}{}
	}
	return w
}

// add puts something on the wheel.
func (w *wheel) add(t timed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(t)
}

// put puts something into the slot after its moment, or the last that there is. The wheel is locked.
func (w *wheel) put(t timed) {
	second := t.dueAt()/int64(time.Second) + 1
	second = min(max(second, w.at), w.at+int64(len(w.slots))-1)
	w.slots[second%int64(len(w.slots))][t] = struct{}{}
}

// drop takes something off the wheel that is due no more.
func (w *wheel) drop(t timed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, slot := range w.slots {
		delete(slot, t)
	}
}

// run turns the wheel until ctx ends.
func (w *wheel) run(ctx context.Context, c clock.Clock) {
	for ctx.Err() == nil {
		clock.Wait(ctx, c, time.Second)
		w.turn(c.Now())
	}
}

// turn runs what has fallen due by now.
func (w *wheel) turn(now time.Time) {
	for _, t := range w.due(now) {
		t.run()
	}
}

func (w *wheel) due(now time.Time) []timed {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := now.Unix()
	var list, later []timed
	for n := 0; w.at <= end && n < len(w.slots); n++ {
		slot := w.slots[w.at%int64(len(w.slots))]
		for t := range slot {
			if t.dueAt() <= now.UnixNano() {
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
		w.put(t)
	}
	return list
}
