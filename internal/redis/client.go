// Package redis keeps in Redis the data that several nodes share outside of the store: the counters of rate limits,
// messages between nodes, gateway sessions, and which users are connected. It works with any server that speaks Redis'
// protocol, including clusters and sentinels. Nothing durable is stored there: docs/operations.md describes what
// happens while Redis is not available.
package redis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/redis/rueidis"
)

const (
	// dialTime bounds a connection attempt, callTime a command unless the URL says otherwise. retry is the pause after
	// a failed attempt.
	dialTime = time.Second
	callTime = 500 * time.Millisecond
	retry    = 500 * time.Millisecond
	// connectPoll is the pause before looking again whether Redis is connected.
	connectPoll = 20 * time.Millisecond
)

// errNotConnected means that no connection to Redis exists yet, or that Redis does not answer.
var errNotConnected = errors.New("not connected to redis")

// Client is a connection to Redis. It connects while Run runs. It is safe for concurrent use.
//
// When a command gets no answer, all commands fail at once until a probe in the background gets one (see breaker). So a
// server that hangs costs the callers one timeout together, not one each.
type Client struct {
	option  rueidis.ClientOption
	prefix  string
	clock   clock.Clock
	log     *slog.Logger
	client  atomic.Pointer[rueidis.Client]
	breaker breaker
}

// Open parses the URL of Redis. With several addresses (?addr=HOST:PORT) they belong to a cluster, with
// ?master_set=NAME to sentinels. ?write_timeout=1s bounds a command. All keys begin with prefix, so that several services
// can share a server. Open does not connect.
func Open(url, prefix string, c clock.Clock, log *slog.Logger) (*Client, error) {
	option, err := rueidis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("parse the URL of Redis: %w", err)
	}
	option.DisableCache = true
	option.DisableRetry = true
	if option.Dialer.Timeout == 0 {
		option.Dialer.Timeout = dialTime
	}
	if option.ConnWriteTimeout == 0 {
		option.ConnWriteTimeout = callTime
	}
	option.Dialer.KeepAlive = dialTime
	return &Client{option: option, prefix: prefix, clock: c, log: log, breaker: newBreaker()}, nil
}

// Run connects, retrying until it succeeds, and closes the connection when ctx ends.
func (c *Client) Run(ctx context.Context) error {
	for warned := false; ctx.Err() == nil; clock.Wait(ctx, c.clock, retry) {
		client, err := rueidis.NewClient(c.option)
		if err == nil {
			guarded := rueidis.Client(guardedClient{client, c})
			c.client.Store(&guarded)
			c.log.InfoContext(ctx, "redis connected")
			c.probe(ctx, client)
			client.Close()
			return nil
		}
		if !warned {
			warned = true
			c.log.WarnContext(ctx, "redis not connected", "err", err)
		}
	}
	return nil
}

// callTime returns the longest duration of a command.
func (c *Client) callTime() time.Duration { return c.option.ConnWriteTimeout }

// conn returns the connection. It fails while Redis does not answer.
func (c *Client) conn() (rueidis.Client, error) {
	if client := c.client.Load(); client != nil && !c.breaker.isOpen() {
		return *client, nil
	}
	return nil, errNotConnected
}

// Ping checks that the server answers.
func (c *Client) Ping(ctx context.Context) error {
	client, err := c.conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.callTime())
	defer cancel()
	return client.Do(ctx, client.B().Ping().Build()).Error()
}
