// Package crowd opens many WebSockets to one server and waits until all of them have heard an event. It keeps no more of
// each than it needs to read it.
package clients

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sync/errgroup"
)

const (
	perAddress = 5000             // sockets from one address of this machine; servers bound them
	atOnce     = 16               // that are opened at the same time
	patience   = 30 * time.Second // for what must come
	heartbeat  = 20 * time.Second // between heartbeats
	// event is how large a payload is that counts; what is smaller is part of the conversation.
	event = 700
)

// Crowd is many sockets.
type Crowd struct {
	conns []net.Conn
	heard atomic.Int64
	size  atomic.Int64 // of the last payload that counted
	want  atomic.Int64
	all   chan struct{} // has room for one: want were heard

	readers sync.WaitGroup
	stop    chan struct{}
}

// Most returns how many sockets a process can open beside its other files, at most n; share is the part of them that it
// may use.
func Most(n int, share float64) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return n
	}
	return min(n, int(float64(limit.Max)*share)-500)
}

// Gather opens n sockets to the address, says the same on each, and waits until each has heard so many events.
func Gather(ctx context.Context, addr, path, say string, n, events int) (_ *Crowd, err error) {
	c := &Crowd{conns: make([]net.Conn, n), all: make(chan struct{}, 1), stop: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	c.want.Store(int64(n * events))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return c.open(within, i, "ws://"+addr+path, say) })
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

func (c *Crowd) open(ctx context.Context, i int, url, say string) error {
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+i/perAddress))}
	d := ws.Dialer{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return (&net.Dialer{LocalAddr: from}).DialContext(ctx, network, addr)
	}}
	conn, early, _, err := d.Dial(ctx, url)
	if err != nil {
		return fmt.Errorf("socket %d: %w", i, err)
	}
	c.conns[i] = conn
	r := io.Reader(conn)
	if early != nil {
		r = io.MultiReader(early, conn)
	}
	c.readers.Go(func() { c.read(bufio.NewReaderSize(r, 2<<10)) })
	if say == "" {
		return nil
	}
	return ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(say))))
}

// read counts events until the connection ends.
func (c *Crowd) read(r *bufio.Reader) {
	for {
		h, err := ws.ReadHeader(r)
		if err != nil {
			return
		}
		if _, err := r.Discard(int(h.Length)); err != nil {
			return
		}
		if h.Length < event {
			continue
		}
		c.size.Store(h.Length)
		if c.heard.Add(1) == c.want.Load() {
			c.all <- struct{}{}
		}
	}
}

// beat sends heartbeats until the crowd goes.
func (c *Crowd) beat() {
	for {
		select {
		case <-c.stop:
			return
		case <-time.After(heartbeat):
		}
		for _, conn := range c.conns {
			_ = ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(`{"op":1,"d":null}`)))) // who is gone is missed later
		}
	}
}

func (c *Crowd) wait(ctx context.Context) error {
	select {
	case <-c.all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return errors.New("heard by " + strconv.FormatInt(c.heard.Load(), 10) + " of " + strconv.FormatInt(c.want.Load(), 10))
	}
}

// Hear does something that everybody hears of once, and returns when everybody has.
func (c *Crowd) Hear(ctx context.Context, do func() error) error {
	c.heard.Store(0)
	c.want.Store(int64(len(c.conns)))
	if err := do(); err != nil {
		return err
	}
	return c.wait(ctx)
}

// Size returns how large the last event was.
func (c *Crowd) Size() int { return int(c.size.Load()) }

// Close closes all sockets and waits for whoever reads them.
func (c *Crowd) Close() error {
	close(c.stop)
	for _, conn := range c.conns {
		if conn != nil {
			_ = conn.Close() // nothing more is read of it
		}
	}
	c.readers.Wait()
	return nil
}
