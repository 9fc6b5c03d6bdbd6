package redis

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/redis/rueidis"
)

// breaker is open while Redis does not answer: calls fail at once instead of waiting for their timeout.
type breaker struct {
	open   atomic.Bool
	opened chan struct{} // capacity 1
}

func newBreaker() breaker { return breaker{opened: make(chan struct{}, 1)} }

func (b *breaker) isOpen() bool { return b.open.Load() }

// trip opens the breaker and wakes the probe.
func (b *breaker) trip() {
	if b.open.Swap(true) {
		return
	}
	select {
	case b.opened <- struct{}{}:
	default:
	}
}

// probe closes the breaker, each time that it was opened, as soon as the server answers again. It returns when ctx ends.
func (c *Client) probe(ctx context.Context, client rueidis.Client) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.breaker.opened:
		}
		for warned := false; ctx.Err() == nil; clock.Wait(ctx, c.clock, retry) {
			err := c.ping(ctx, client)
			if err == nil {
				c.breaker.open.Store(false)
				if warned {
					c.log.InfoContext(ctx, "redis answers again")
				}
				break
			}
			if !warned {
				warned = true
				c.log.WarnContext(ctx, "redis does not answer", "err", err)
			}
		}
	}
}

func (c *Client) ping(ctx context.Context, client rueidis.Client) error {
	ctx, cancel := context.WithTimeout(ctx, c.callTime())
	defer cancel()
	return client.Do(ctx, client.B().Ping().Build()).Error()
}

// guardedClient is a connection that opens the breaker when a command gets no answer.
type guardedClient struct {
	rueidis.Client

	owner *Client
}

// Do sends a command.
func (g guardedClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	blocking, began := cmd.IsBlock(), clock.Elapsed(g.owner.clock)
	result := g.Client.Do(ctx, cmd)
	if !blocking {
		g.observe(result, began)
	}
	return result
}

// DoMulti sends commands in one round trip.
func (g guardedClient) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	began := clock.Elapsed(g.owner.clock)
	results := g.Client.DoMulti(ctx, cmds...)
	for _, r := range results {
		g.observe(r, began)
	}
	return results
}

// Nodes returns the servers. Scripts for many keys are loaded with it.
func (g guardedClient) Nodes() map[string]rueidis.Client {
	nodes := g.Client.Nodes()
	for addr, n := range nodes {
		nodes[addr] = guardedClient{n, g.owner}
	}
	return nodes
}

// observe opens the breaker if a command that began at the given time got no answer. A caller that has given up earlier
// than a command may take says nothing about the server.
func (g guardedClient) observe(result rueidis.RedisResult, began time.Duration) {
	err := result.NonRedisError()
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, rueidis.ErrClosing):
	case errors.Is(err, context.DeadlineExceeded) && clock.Elapsed(g.owner.clock)-began < g.owner.callTime()*9/10:
	default:
		g.owner.breaker.trip()
	}
}
