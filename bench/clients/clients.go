// Package clients opens many WebSocket clients to one server and waits until all of them have received an event. It uses
// little memory per client.
package clients

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sync/errgroup"
)

const (
	perAddress = 5000             // clients per local IP address; servers limit connections per address
	parallel   = 16               // clients that connect at the same time
	timeout    = 30 * time.Second // for an event to reach all clients
	heartbeat  = 20 * time.Second // between heartbeats
	// minEvent is the smallest payload that counts as an event. Smaller payloads are heartbeats and the like.
	minEvent = 700
)

// Group is a group of clients of one server.
type Group struct {
	conns    []net.Conn
	received atomic.Int64  // events that all clients together received
	want     atomic.Int64  // events to wait for
	size     atomic.Int64  // of the last event
	all      chan struct{} // gets a value when received reaches want; capacity 1

	readers sync.WaitGroup
	stop    chan struct{}
}

// Max returns the number of clients that a process can open: n, or less if the limit on open files is too low. share is the
// part of the limit that clients may use.
func Max(n int, share float64) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return n
	}
	return min(n, int(float64(limit.Max)*share)-500)
}

// Open connects n clients to addr, sends first on each connection if it is not empty, and waits until each client has received
// the given number of events.
func Open(ctx context.Context, addr, path, first string, n, events int) (_ *Group, err error) {
	c := &Group{conns: make([]net.Conn, n), all: make(chan struct{}, 1), stop: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	c.want.Store(int64(n * events))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range n {
		g.Go(func() error { return c.open(within, i, "ws://"+addr+path, first) })
	}
	if err := g.Wait(); err != nil {
		return c, err
	}
	c.readers.Go(c.beat)
	if events == 0 {
		return c, nil
	}
	return c, c.wait(ctx)
}

func (c *Group) open(ctx context.Context, i int, url, first string) error {
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+i/perAddress))}
	d := ws.Dialer{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: from}).DialContext(ctx, network, addr)
	}}
	conn, early, _, err := d.Dial(ctx, url)
	if err != nil {
		return fmt.Errorf("client %d: %w", i, err)
	}
	c.conns[i] = conn
	r := io.Reader(conn)
	if early != nil {
		r = io.MultiReader(early, conn)
	}
	c.readers.Go(func() { c.read(bufio.NewReaderSize(r, 2<<10)) })
	if first == "" {
		return nil
	}
	return ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(first))))
}

// read counts events until the connection ends.
func (c *Group) read(r *bufio.Reader) {
	for {
		h, err := ws.ReadHeader(r)
		if err != nil {
			return
		}
		if _, err := r.Discard(int(h.Length)); err != nil {
			return
		}
		if h.Length < minEvent {
			continue
		}
		c.size.Store(h.Length)
		if c.received.Add(1) == c.want.Load() {
			c.all <- struct{}{}
		}
	}
}

// beat sends heartbeats until Close.
func (c *Group) beat() {
	for {
		select {
		case <-c.stop:
			return
		case <-time.After(heartbeat):
		}
		for _, conn := range c.conns {
			_ = ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(`{"op":1,"d":null}`)))) // Deliver reports a lost client
		}
	}
}

func (c *Group) wait(ctx context.Context) error {
	select {
	case <-c.all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(timeout):
		return fmt.Errorf("clients received %d of %d events", c.received.Load(), c.want.Load())
	}
}

// Deliver calls do, which must cause one event for each client, and returns when all clients have received it.
func (c *Group) Deliver(ctx context.Context, do func() error) error {
	c.received.Store(0)
	c.want.Store(int64(len(c.conns)))
	if err := do(); err != nil {
		return err
	}
	return c.wait(ctx)
}

// Size returns the size of the last event in bytes.
func (c *Group) Size() int { return int(c.size.Load()) }

// Close closes all connections and waits for the goroutines that read them.
func (c *Group) Close() error {
	close(c.stop)
	for _, conn := range c.conns {
		if conn != nil {
			_ = conn.Close() // only read
		}
	}
	c.readers.Wait()
	return nil
}
