package gateway_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/gobwas/ws"
)

// lossyClient is a client on a bad network. If nothing arrives on a connection, it leaves the connection open and
// resumes on another one.
type lossyClient struct {
	t         *testing.T
	harness   *harness
	url       string // URL of the gateway or of a link to it
	stream    string
	reconnect func() bool // whether to reconnect though the connection works; nil: never

	session  string
	seq      uint64
	received atomic.Int64 // number of events; the next event contains this number
	resumed  int
	timeout  time.Duration // how long to wait for the next frame
	progress time.Time     // of the last event
}

// TestResumeUnderLoss runs a client on a network that loses, delays and breaks connections while events are published.
// The client gets every event once and in order, with each kind of stream.
func TestResumeUnderLoss(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", "zlib-stream", "zstd-stream"} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s seed %d", stream, seed), func(t *testing.T) {
				t.Parallel()
				s := open(t)
				l := newLink(t, s, seed)
				v := &lossyClient{t: t, harness: s, url: "ws://" + l.ln.Addr().String() + "/gateway/", stream: stream}
				v.receiveAll(15)
				t.Logf("late, halved, swallowed, frozen, cut, reset: %s", l.faultCounts())
			})
		}
	}
}

// TestResumeHalfOpen runs a client that resumes on new connections again and again while the old ones are still open.
// It connects directly: `tools/check loss` runs it on a network that loses packets.
func TestResumeHalfOpen(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", "zlib-stream", "zstd-stream"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			random := rand.New(rand.NewPCG(1, 1))
			v := &lossyClient{t: t, harness: s, url: s.url, stream: stream, reconnect: func() bool { return random.IntN(100) == 0 }}
			v.receiveAll(25)
		})
	}
}

// receiveAll reconnects while events are published, until it has resumed often enough and received everything.
func (v *lossyClient) receiveAll(rounds int) {
	v.t.Helper()
	v.progress = time.Now()
	for v.session == "" {
		v.connectOnce()
	}
	var enough atomic.Bool
	last := make(chan int64, 1)
	go func() { last <- v.feed(&enough) }()
	for v.resumed < rounds {
		v.connectOnce()
	}
	enough.Store(true)
	for total := engines.Receive(v.t, "the publisher", last); v.received.Load() < total; {
		v.connectOnce()
	}
	v.t.Logf("%d events, resumed %d times", v.received.Load(), v.resumed)
}

// feed publishes events until there are enough, and returns how many.
func (v *lossyClient) feed(enough *atomic.Bool) (n int64) {
	for ctx := v.t.Context(); !enough.Load() && ctx.Err() == nil; {
		if n-v.received.Load() > 300 { // well below the number that a session keeps
			clock.Wait(ctx, clock.System{}, time.Millisecond)
			continue
		}
		v.harness.publish(int(n))
		n++
	}
	return n
}

// connectOnce connects, identifies or resumes, and reads until the connection fails.
func (v *lossyClient) connectOnce() {
	v.t.Helper()
	before := v.seq
	v.timeout = max(v.timeout, 100*time.Millisecond)
	if c, err := v.dial(); err == nil {
		for err == nil {
			err = v.step(c)
		}
	}
	if v.seq == before {
		v.timeout = min(2*v.timeout, waitTimeout/4) // the test machine may be slower than the network
		if time.Since(v.progress) > waitTimeout {
			v.t.Fatalf("waited %v for an event after %d, and after %d resumes", waitTimeout, v.seq, v.resumed)
		}
		return
	}
	v.timeout, v.progress = 0, time.Now()
}

// dial connects. It leaves the old connection open, so the service does not notice.
func (v *lossyClient) dial() (*client, error) {
	query := usual
	if v.stream != "" {
		query += "&compress=" + v.stream
	}
	ctx, cancel := context.WithTimeout(v.t.Context(), v.timeout)
	defer cancel()
	conn, early, _, err := ws.Dialer{}.Dial(ctx, v.url+query)
	if err != nil {
		return nil, err
	}
	v.t.Cleanup(func() { _ = conn.Close() })
	c := &client{t: v.t, conn: conn, r: conn}
	if early != nil {
		c.r = io.MultiReader(early, conn)
	}
	c.r = bufio.NewReader(c.r)
	switch v.stream {
	case "zlib-stream":
		c.unpack = unpackWith(v.t, zlibDecoder, []byte{0, 0, 0xff, 0xff})
	case "zstd-stream":
		c.unpack = unpackWith(v.t, zstdDecoder, nil)
	}
	return c, nil
}

// step handles one payload.
func (v *lossyClient) step(c *client) error {
	v.t.Helper()
	if err := c.conn.SetDeadline(time.Now().Add(v.timeout)); err != nil {
		return err
	}
	f, err := c.receive()
	if err != nil {
		return err
	}
	text := f.Payload
	if f.Header.OpCode == ws.OpClose {
		if code := binary.BigEndian.Uint16(text); code != 4000 {
			v.t.Fatalf("closed with %d %s, want nothing but 4000", code, text[2:])
		}
		return io.EOF
	}
	if c.unpack != nil {
		text = c.unpack(text)
	}
	p := c.parse(text)
	switch p.Op {
	case 10:
		return v.identifyOrResume(c)
	case 9:
		v.t.Fatalf("the session was invalidated after event %d", v.received.Load())
	case 0:
		v.checkEvent(c, p)
		if v.reconnect != nil && v.reconnect() {
			return io.EOF
		}
		if v.seq%20 == 0 {
			return write(c, fmt.Sprintf(`{"op":1,"d":%d}`, v.seq))
		}
	}
	return nil
}

// identifyOrResume identifies, or resumes if there is a session.
func (v *lossyClient) identifyOrResume(c *client) error {
	if v.session == "" {
		return write(c, `{"op":2,"d":{"token":"bot-echo","intents":0,"properties":{}}}`)
	}
	v.resumed++
	return write(c, fmt.Sprintf(`{"op":6,"d":{"token":"bot-echo","session_id":%q,"seq":%d}}`, v.session, v.seq))
}

func write(c *client, text string) error {
	return ws.WriteFrame(c.conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(text))))
}

// checkEvent checks that an event is the expected one.
func (v *lossyClient) checkEvent(c *client, p payload) {
	v.t.Helper()
	if *p.S != v.seq+1 {
		v.t.Fatalf("%s has number %d after %d", p.name(), *p.S, v.seq)
	}
	v.seq = *p.S
	switch p.name() {
	case "READY":
		var ready struct {
			ID string `json:"session_id"`
		}
		c.read(p.D, &ready)
		v.session = ready.ID
	case "TEST":
		n, err := strconv.ParseInt(string(p.D), 10, 64)
		if err != nil || n != v.received.Load() {
			v.t.Fatalf("event %s came when %d was next", p.D, v.received.Load())
		}
		v.received.Add(1)
	}
}
