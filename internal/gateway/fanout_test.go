package gateway_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/gobwas/ws"
)

// BenchmarkFanout delivers an event to many sessions of a guild, each with its own connection. An operation is an
// event.
func BenchmarkFanout(b *testing.B) {
	for _, sessions := range []int{1, 1000} {
		b.Run(strconv.Itoa(sessions), func(b *testing.B) {
			s := open(b)
			var received atomic.Int64
			for range sessions {
				s.listen(b, &received)
			}
			e := events.Event{Name: "TYPING_START", Data: bytes.Repeat([]byte(" "), 256), To: events.Audience{Guild: lab}}
			b.ReportAllocs()
			b.ResetTimer()
			for n := 1; n <= b.N; n++ {
				s.bus.Deliver(e)
				if n%100 == 0 || n == b.N { // fewer than the write queue holds
					for received.Load() < int64(n)*int64(sessions) {
						runtime.Gosched()
					}
				}
			}
		})
	}
}

// listen begins a session and counts the events after READY and GUILD_CREATE.
func (s *harness) listen(b *testing.B, received *atomic.Int64) {
	b.Helper()
	d := ws.Dialer{Timeout: waitTimeout}
	conn, early, _, err := d.Dial(b.Context(), s.url+usual)
	if err != nil {
		b.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
		b.Fatal(err)
	}
	var from io.Reader = conn
	if early != nil {
		from = io.MultiReader(early, conn)
	}
	r := bufio.NewReader(from)
	text := []byte(`{"op":2,"d":{"token":"bot-echo","intents":0,"properties":{}}}`)
	if err := ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame(text))); err != nil {
		b.Fatal(err)
	}
	for range 2 { // HELLO, READY
		if err := skip(r); err != nil {
			b.Fatal(err)
		}
	}
	beat := []byte(`{"op":1,"d":null}`) // answered after the session is ready
	if err := ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewTextFrame(beat))); err != nil {
		b.Fatal(err)
	}
	if err := skip(r); err != nil {
		b.Fatal(err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		b.Fatal(err)
	}
	var reader sync.WaitGroup
	reader.Go(func() {
		for skip(r) == nil {
			received.Add(1)
		}
	})
	b.Cleanup(func() {
		_ = conn.Close()
		reader.Wait()
	})
}

// skip reads one frame without allocating.
func skip(r *bufio.Reader) error {
	head, err := r.Peek(2)
	if err != nil {
		return err
	}
	length, size := int(head[1]), 2
	if length >= 126 {
		size = 4
		if length == 127 {
			size = 10
		}
		if head, err = r.Peek(size); err != nil {
			return err
		}
		length = int(binary.BigEndian.Uint16(head[size-2:])) // longer frames do not occur here
	}
	_, err = r.Discard(size + length)
	return err
}
