// Package load sends requests to an HTTP server and measures the latency of its responses.
//
// It shares the machine with the measured server, so it must be cheap: requests are prepared bytes, responses are parsed only
// to find their end, and each connection has one goroutine, one buffer and one histogram. A connection sends its next
// request when it has the response to the last one. The package supports HTTP/1.1 with keep-alive, without redirects,
// compression or TLS.
package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// grace is the time that a run waits at its end for responses to the last requests.
const grace = 10 * time.Second

// Source returns a function that returns the requests of one connection. Connections are numbered from 0. Each call returns the
// bytes of a whole request, valid until the next call, or nil if there are no more. The functions of different connections
// are called concurrently.
type Source func(connection int) func() []byte

// Repeat returns a source that repeats one request.
func Repeat(request []byte) Source {
	return func(int) func() []byte { return func() []byte { return request } }
}

// Target is a server under load.
type Target struct {
	// Addr is the host and port of the server.
	Addr string
	// Connections is the number of concurrent requests.
	Connections int
	// Requests is the source of the requests.
	Requests Source
}

// Result is the result of a run.
type Result struct {
	// Requests is the number of responses within the run.
	Requests uint64
	// Bytes is the total size of the bodies of those responses.
	Bytes uint64
	// Elapsed is the length of the run.
	Elapsed time.Duration
	// Latency is the time from the first byte of a request to the last byte of its response.
	Latency *Histogram
	// CPU is the CPU time of the server, if the caller knows it.
	CPU time.Duration
}

// Rate returns the responses per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// RefusedError means that responses had a status other than 2xx.
type RefusedError struct {
	// Count is the number of these responses. Status and Body are from one of them.
	Count  uint64
	Status int
	Body   string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d requests were rejected, one with status %d: %s", e.Count, e.Status, e.Body)
}

// Run loads the target for d, or until its sources end. It fails if the target cannot be reached, closes a connection early,
// violates HTTP, or responds with a status other than 2xx. Responses after d are awaited and not counted.
func (t Target) Run(ctx context.Context, d time.Duration) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, d+grace)
	defer cancel()
	return t.run(ctx, d)
}

// Drain sends all requests of the sources. Only ctx limits its time.
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
		defer c.close()
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

// connection is a connection to the target and its results.
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

// redial opens a new connection. It is closed when ctx ends.
func (c *connection) redial(ctx context.Context) error {
	c.close()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	c.conn = conn
	c.release = context.AfterFunc(ctx, func() { _ = conn.Close() }) // pending reads and writes fail
	c.answers = newReader(conn)
	return nil
}

func (c *connection) close() {
	if c.conn == nil {
		return
	}
	c.release()
	_ = c.conn.Close() // all requests have a response or have failed
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

// count records a response. A late response counts only if its status is not 2xx.
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

// Paced returns a source that sends the given number of requests per second over all its connections together.
func Paced(perSecond, connections int, requestFor func(i int) []byte) Source {
	return func(connection int) func() []byte {
		every := time.Second * time.Duration(connections) / time.Duration(perSecond)
		var next time.Time
		i := connection
		return func() []byte {
			now := time.Now()
			if next.IsZero() || now.Sub(next) > time.Second { // first request of a round
				next = now.Add(every * time.Duration(connection) / time.Duration(connections))
			}
			time.Sleep(next.Sub(now))
			next = next.Add(every)
			i += connections
			return requestFor(i)
		}
	}
}
