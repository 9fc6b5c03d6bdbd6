package session

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// transitTime is the time in which another node must claim a session that was handed over to it.
const transitTime = 2 * time.Second

// resumeQueues lets clients that resume the same session do so one after another, and knows which sessions are being
// restored here and which are on their way to another node. The zero value is ready.
type resumeQueues struct {
	mu       sync.Mutex
	last     map[string]chan struct{} // by session id: closed when the last client in the queue is done
	arriving map[string]struct{}      // sessions that this node has claimed and is restoring
	leaving  map[string]time.Time     // sessions that were handed over, and until when another node may claim them
}

// addLeaving records that a session was handed over.
func (q *resumeQueues) addLeaving(id string, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.leaving == nil {
		q.leaving = map[string]time.Time{}
	}
	maps.DeleteFunc(q.leaving, func(_ string, until time.Time) bool { return until.Before(now) })
	q.leaving[id] = now.Add(transitTime)
}

// addArriving records that a session is being restored here.
func (q *resumeQueues) addArriving(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.arriving == nil {
		q.arriving = map[string]struct{}{}
	}
	q.arriving[id] = struct{}{}
}

// removeArriving records that a session is no longer being restored.
func (q *resumeQueues) removeArriving(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.arriving, id)
}

// isMoving reports whether a session is being restored here or is on its way to another node.
func (q *resumeQueues) isMoving(id string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, arriving := q.arriving[id]
	return arriving || now.Before(q.leaving[id])
}

// do runs fn after all earlier calls for the same session have returned.
func (q *resumeQueues) do(ctx context.Context, id string, fn func() error) error {
	done := make(chan struct{})
	q.mu.Lock()
	before := q.last[id]
	if q.last == nil {
		q.last = map[string]chan struct{}{}
	}
	q.last[id] = done
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.last[id] == done {
			delete(q.last, id)
		}
		close(done)
	}()
	if before != nil {
		select {
		case <-before:
		case <-ctx.Done():
			return socket.ErrDisconnected
		}
	}
	return fn()
}
