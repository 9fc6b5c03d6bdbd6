package session

import (
	"context"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// resumeQueues lets clients that resume the same session do so one after another, and knows which sessions are being
// restored here. The zero value is ready.
type resumeQueues struct {
	mu       sync.Mutex
	last     map[string]chan struct{} // by session id: closed when the last client in the queue is done
	arriving map[string]struct{}      // sessions that this node has claimed and is restoring
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

func (q *resumeQueues) isArriving(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, coming := q.arriving[id]
	return coming
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
