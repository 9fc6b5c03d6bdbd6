package resume

import (
	"context"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// queues lets those who want to go on with the same session do so one after another. The zero value is ready.
type queues struct {
	mu     sync.Mutex
	last   map[string]chan struct{} // closed when the last one who wants to is done
	coming map[string]struct{}      // sessions that are this node's already, and on their way
}

// comes notes that a session is on its way here, and arrived that it is no longer.
func (q *queues) comes(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.coming == nil {
		q.coming = map[string]struct{}{}
	}
	q.coming[id] = struct{}{}
}

func (q *queues) arrived(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.coming, id)
}

func (q *queues) isComing(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, coming := q.coming[id]
	return coming
}

// wait does something after all who came before have done the same.
func (q *queues) wait(ctx context.Context, id string, do func() error) error {
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
			return socket.ErrGone
		}
	}
	return do()
}
