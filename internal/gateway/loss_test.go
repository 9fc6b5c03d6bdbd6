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
	"github.com/gobwas/ws"
)

// traveller is a client on a bad network: it gives a connection up on which nothing comes, without a word, and resumes on
// another one.
type traveller struct {
	t      *testing.T
	stage  *stage
	url    string // of the gateway, or of a link to it
	stream string
	moves  func() bool // whether it goes on with another connection though this one stands; nil: never

	session string
	seq     uint64
	heard   atomic.Int64 // events; the next one has this number in it
	resumed int
	patient time.Duration // for how long it waits for the next frame
}

// TestResumeUnderLoss has a client on a network that loses, delays, holds back and breaks, while events happen: none is
// lost, none comes twice, none comes out of order, in each kind of stream.
func TestResumeUnderLoss(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", "zlib-stream", "zstd-stream"} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s seed %d", stream, seed), func(t *testing.T) {
				t.Parallel()
				s := open(t)
				l := newLink(t, s, seed)
				v := &traveller{t: t, stage: s, url: "ws://" + l.ln.Addr().String() + "/gateway/", stream: stream}
				v.hearAll(15)
				t.Logf("late, halved, swallowed, frozen, cut, reset: %s", l.tally())
			})
		}
	}
}

// TestResumeHalfOpen has a client that goes on with other connections again and again while those before still stand. It
// has nothing between it and the service: make loss runs it on a network that loses packets.
func TestResumeHalfOpen(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", "zlib-stream", "zstd-stream"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			random := rand.New(rand.NewPCG(1, 1))
			v := &traveller{t: t, stage: s, url: s.url, stream: stream, moves: func() bool { return random.IntN(100) == 0 }}
			v.hearAll(25)
		})
	}
}

// hearAll travels while events happen, until it has resumed often enough and heard everything.
func (v *traveller) hearAll(rounds int) {
	v.t.Helper()
	for v.session == "" {
		v.travel()
	}
	var enough atomic.Bool
	last := make(chan int64, 1)
	go func() { last <- v.feed(&enough) }()
	for v.resumed < rounds {
		v.travel()
	}
	enough.Store(true)
	for total := <-last; v.heard.Load() < total; {
		v.travel()
	}
	v.t.Logf("%d events, resumed %d times", v.heard.Load(), v.resumed)
}

// feed lets events happen until there are enough, and returns how many did.
func (v *traveller) feed(enough *atomic.Bool) (n int64) {
	for ctx := v.t.Context(); !enough.Load() && ctx.Err() == nil; {
		if n-v.heard.Load() > 300 { // well within what is kept for it
			clock.Wait(ctx, clock.System{}, time.Millisecond)
			continue
		}
		v.stage.publish(int(n))
		n++
	}
	return n
}

// travel connects, says who it is, and listens until the connection is of no more use.
func (v *traveller) travel() {
	v.t.Helper()
	before := v.seq
	v.patient = max(v.patient, 100*time.Millisecond)
	if c, err := v.dial(); err == nil {
		for err == nil {
			err = v.step(c)
		}
	}
	if v.seq == before {
		v.patient = min(2*v.patient, patience) // the machine may be slower than the network
		return
	}
	v.patient = 0
}

// dial connects. What it leaves behind stays open: the service hears nothing of it.
func (v *traveller) dial() (*client, error) {
	query := usual
	if v.stream != "" {
		query += "&compress=" + v.stream
	}
	ctx, cancel := context.WithTimeout(v.t.Context(), v.patient)
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

// step takes one payload and does what it asks for.
func (v *traveller) step(c *client) error {
	v.t.Helper()
	if err := c.conn.SetDeadline(time.Now().Add(v.patient)); err != nil {
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
		return v.introduce(c)
	case 9:
		v.t.Fatalf("the session is gone after event %d", v.heard.Load())
	case 0:
		v.take(c, p)
		if v.moves != nil && v.moves() {
			return io.EOF
		}
		if v.seq%20 == 0 {
			return write(c, fmt.Sprintf(`{"op":1,"d":%d}`, v.seq))
		}
	}
	return nil
}

// introduce identifies, or resumes where there is a session.
func (v *traveller) introduce(c *client) error {
	if v.session == "" {
		return write(c, `{"op":2,"d":{"token":"bot-echo","intents":0,"properties":{}}}`)
	}
	v.resumed++
	return write(c, fmt.Sprintf(`{"op":6,"d":{"token":"bot-echo","session_id":%q,"seq":%d}}`, v.session, v.seq))
}

func write(c *client, text string) error {
	return ws.WriteFrame(c.conn, ws.MaskFrameInPlace(ws.NewTextFrame([]byte(text))))
}

// take holds an event against the one that has to come next.
func (v *traveller) take(c *client, p payload) {
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
		if err != nil || n != v.heard.Load() {
			v.t.Fatalf("event %s came when %d was next", p.D, v.heard.Load())
		}
		v.heard.Add(1)
	}
}
