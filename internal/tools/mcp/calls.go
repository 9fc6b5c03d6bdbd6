package mcp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// callTimeout bounds one call of a tool.
const callTimeout = 3 * time.Minute

// calls are the calls of tools that run.
type calls struct {
	mu      sync.Mutex
	closed  bool
	last    uint64
	cancels map[uint64]context.CancelFunc
	running sync.WaitGroup
}

var errClosed = errors.New("the server ends")

// begin begins a call, and fails after close. The context ends with the call, after callTimeout, or when the calls are closed. The caller
// must call end.
func (c *calls) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errClosed
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	if c.cancels == nil {
		c.cancels = map[uint64]context.CancelFunc{}
	}
	c.last++
	id := c.last
	c.cancels[id] = cancel
	c.running.Add(1)
	return ctx, func() {
		cancel()
		c.mu.Lock()
		delete(c.cancels, id)
		c.mu.Unlock()
		c.running.Done()
	}, nil
}

// close cancels all calls, and waits until they have ended.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	for _, cancel := range c.cancels {
		cancel()
	}
	c.mu.Unlock()
	c.running.Wait()
}
