// Package redis carries over Redis, or any server that speaks its protocol, cluster and sentinels included, what several
// nodes share beside the store: the windows of rate limits, messages between nodes, events with their history, gateway
// sessions, and who is connected. Nothing durable is kept in it: while it is away everything goes on, as docs/operations.md
// says.
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
	// dialTime is how long a connection may take to come about, callTime how long the server may take for a command, retry
	// how long it is left alone after it could not be reached.
	dialTime = time.Second
	callTime = 500 * time.Millisecond
	retry    = 500 * time.Millisecond
)

// errAway says that the server has not been reached yet.
var errAway = errors.New("redis cannot be reached")

// Client is a connection to Redis that comes about when it can. It is safe for concurrent use.
type Client struct {
	option rueidis.ClientOption
	prefix string
	log    *slog.Logger
	client atomic.Pointer[rueidis.Client]
}

// Open reads the address of Redis. With more addresses (?addr=HOST:PORT) they are those of a cluster, with ?master_set=NAME
// those of sentinels. prefix begins the name of everything that is kept there, so that several services can share a server.
func Open(url, prefix string, log *slog.Logger) (*Client, error) {
	option, err := rueidis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("read the address of Redis: %w", err)
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
	return &Client{option: option, prefix: prefix, log: log}, nil
}

// Run reaches the server, however often that takes, and gives it up when ctx ends.
func (c *Client) Run(ctx context.Context) error {
	for told := false; ctx.Err() == nil; clock.Wait(ctx, clock.System{}, retry) {
		client, err := rueidis.NewClient(c.option)
		if err == nil {
			c.client.Store(&client)
			c.log.InfoContext(ctx, "redis reached")
			<-ctx.Done()
			client.Close()
			return nil
		}
		if !told {
			told = true
			c.log.WarnContext(ctx, "redis cannot be reached", "err", err)
		}
	}
	return nil
}

// reach returns the connection.
func (c *Client) reach() (rueidis.Client, error) {
	if client := c.client.Load(); client != nil {
		return *client, nil
	}
	return nil, errAway
}

// Ping reports whether the server answers.
func (c *Client) Ping(ctx context.Context) error {
	client, err := c.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return client.Do(ctx, client.B().Ping().Build()).Error()
}
