// Package load keeps an HTTP server busy and measures how long its answers take.
//
// It shares the machine with the server it measures, so it is built to be cheap: requests are bytes that stand ready,
// answers are parsed only as far as their end, and each connection has one goroutine, one buffer and one histogram.
// Every connection sends its next request when the last one is answered. It speaks plain HTTP/1.1 with keep-alive;
// it follows no redirect, undoes no compression and knows no TLS.
package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// grace is how long answers may be late when a run is over before they count as lost.
const grace = 10 * time.Second

// Source returns the requests of one connection, numbered from 0. Each call of the function it returns gives the
// bytes of one whole request, valid until the next call, or nil when there is nothing more to send. Functions of
// different connections are called at the same time.
type Source func(connection int) func() []byte

// Repeat returns a source that sends the same request again and again.
func Repeat(request []byte) Source {
	return func(int) func() []byte { return func() []byte { return request } }
}

// Target is a server under load.
type Target struct {
	// Addr is its host and port.
	Addr string
	// Connections is how many requests are under way at any time.
	Connections int
	// Requests are what the connections send.
	Requests Source
}

// Result is what a run saw.
type Result struct {
	// Requests is how many were answered within the run.
	Requests uint64
	// Bytes is the size of the bodies of those answers.
	Bytes uint64
	// Elapsed is the length of the run.
	Elapsed time.Duration
	// Latency is the time from the first byte of a request to the last of its answer.
	Latency *Histogram
	// CPU is the processor time that the target used, for those who can know it.
	CPU time.Duration
}

// Rate returns the answers per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// RefusedError says that requests were answered with another status than 2xx.
type RefusedError struct {
	// Count is how many were refused, Status and Body are those of the first that a connection met.
	Count  uint64
	Status int
	Body   string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d requests refused, one with status %d: %s", e.Count, e.Status, e.Body)
}

// Run loads the target for d, or until its sources are dry. It fails when the target cannot be reached, breaks a
// connection or HTTP, or refuses a request. Answers that come after d are waited for and not counted.
func (t Target) Run(ctx context.Context, d time.Duration) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, d+grace)
	defer cancel()
	return t.run(ctx, d)
}

// Drain sends everything that the sources hold. Only ctx bounds its time.
func (t Target) Drain(ctx context.Context) (Result, error) {
	const forever = 1 << 62
	return t.run(ctx, forever)
}

func (t Target) run(ctx context.Context, d time.Duration) (Result, error) {
	connections := make([]*connection, t.Connections)
	for i := range connections {
		c, err := dial(ctx, t.Addr)
		if err != nil {
			return Result{}, err
		}
		defer c.hangUp()
		c.next = t.Requests(i)
		connections[i] = c
	}

	start := time.Now()
	errs := make([]error, len(connections))
	var wg sync.WaitGroup
	for i, c := range connections {
		wg.Go(func() { errs[i] = c.run(ctx, start, d) })
	}
	wg.Wait()

	result := Result{Elapsed: min(time.Since(start), d), Latency: new(Histogram)}
	var refused *RefusedError
	for _, c := range connections {
		result.Latency.Merge(&c.latency)
		result.Bytes += c.bytes
		refused = refused.join(c.refused)
	}
	result.Requests = result.Latency.Count()
	if refused != nil {
		errs = append(errs, refused)
	}
	if err := errors.Join(errs...); err != nil {
		return Result{}, fmt.Errorf("load %s: %w", t.Addr, err)
	}
	return result, nil
}

// join returns e with the count of other added. Either may be nil.
func (e *RefusedError) join(other *RefusedError) *RefusedError {
	switch {
	case e == nil:
		return other
	case other != nil:
		e.Count += other.Count
	}
	return e
}

// connection is one connection to the target and what it has seen.
type connection struct {
	addr    string
	next    func() []byte
	conn    net.Conn
	release func() bool
	answers *reader

	latency Histogram
	bytes   uint64
	refused *RefusedError
}

func dial(ctx context.Context, addr string) (*connection, error) {
	c := &connection{addr: addr}
	return c, c.redial(ctx)
}

// redial opens the connection anew. The end of ctx ends whatever it waits for.
func (c *connection) redial(ctx context.Context) error {
	c.hangUp()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	c.conn = conn
	c.release = context.AfterFunc(ctx, func() { _ = conn.Close() }) // whoever waits on it gets the error
	c.answers = newReader(conn)
	return nil
}

func (c *connection) hangUp() {
	if c.conn == nil {
		return
	}
	c.release()
	_ = c.conn.Close() // everything sent has been answered, or failed already
	c.conn = nil
}

// run sends requests until d after start.
func (c *connection) run(ctx context.Context, start time.Time, d time.Duration) error {
	for {
		request := c.next()
		if request == nil {
			return nil
		}
		sent := time.Now()
		a, err := c.exchange(request)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
		now := time.Now()
		c.count(a, now.Sub(sent), now.Sub(start) <= d)
		if now.Sub(start) >= d {
			return nil
		}
		if a.close {
			if err := c.redial(ctx); err != nil {
				return err
			}
		}
	}
}

func (c *connection) exchange(request []byte) (answer, error) {
	if _, err := c.conn.Write(request); err != nil {
		return answer{}, err
	}
	a, err := c.answers.next()
	return a, noEOF(err)
}

// count notes an answer. One that came too late counts only when it is a refusal.
func (c *connection) count(a answer, took time.Duration, inTime bool) {
	if !a.ok() {
		c.refused = c.refused.join(&RefusedError{Count: 1, Status: a.status, Body: string(a.excerpt)})
		return
	}
	if inTime {
		c.latency.Add(took)
		c.bytes += uint64(a.body)
	}
}

// Paced returns a source that sends so many requests a second over all its connections.
func Paced(perSecond, connections int, requestFor func(i int) []byte) Source {
	return func(connection int) func() []byte {
		every := time.Second * time.Duration(connections) / time.Duration(perSecond)
		var next time.Time
		i := connection
		return func() []byte {
			now := time.Now()
			if next.IsZero() || now.Sub(next) > time.Second { // the first of a round
				next = now.Add(every * time.Duration(connection) / time.Duration(connections))
			}
			time.Sleep(next.Sub(now))
			next = next.Add(every)
			i += connections
			return requestFor(i)
		}
	}
}
