package gateway_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/gobwas/ws"
	"github.com/klauspost/compress/zstd"
)

// fed is a reader of the pieces that were added to it.
type fed struct {
	pieces *io.PipeWriter
	text   io.Reader
}

// unpackWith returns a function that decompresses one frame. It uses one decoder for the whole connection.
func unpackWith(t *testing.T, decoder func(io.Reader) (io.Reader, error), ending []byte) func([]byte) []byte {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	var f *fed
	return func(piece []byte) []byte {
		if !bytes.HasSuffix(piece, ending) {
			t.Errorf("a piece ends with % x, want % x", piece[max(len(piece)-4, 0):], ending)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := w.Write(piece); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
		}()
		if f == nil {
			text, err := decoder(r)
			if err != nil {
				t.Fatal(err)
			}
			f = &fed{w, text}
		}
		object := readObject(t, f.text)
		engines.Receive(t, "the writer", done)
		return object
	}
}

// readObject reads exactly one JSON object.
func readObject(t *testing.T, r io.Reader) []byte {
	t.Helper()
	var text []byte
	depth, inString, escaped := 0, false, false
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatalf("after %s: %v", text, err)
		}
		text = append(text, b[0])
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = b[0] == '\\', b[0] != '"'
		case b[0] == '"':
			inString = true
		case b[0] == '{':
			depth++
		case b[0] == '}':
			if depth--; depth == 0 {
				return text
			}
		}
	}
}

func zlibDecoder(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }

func zstdDecoder(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
}

// TestCompressed checks a session with each kind of compressed stream.
func TestCompressed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		decoder  func(io.Reader) (io.Reader, error)
		ending   []byte
		contexts int // 0: the default
	}{
		{"zlib-stream", zlibDecoder, []byte{0, 0, 0xff, 0xff}, 0},
		{"zstd-stream", zstdDecoder, nil, 0},
		{"zlib-stream", zlibDecoder, []byte{0, 0, 0xff, 0xff}, -1},
		{"zstd-stream", zstdDecoder, nil, -1},
	} {
		t.Run(fmt.Sprint(tt.name, tt.contexts), func(t *testing.T) {
			t.Parallel()
			s := open(t, func(c *gateway.Config) { c.Settings.MaxContexts = tt.contexts })
			c := s.dial(t, usual+"&compress="+tt.name)
			c.unpack = unpackWith(t, tt.decoder, tt.ending)
			c.want("op 10")
			c.identify("bot-echo", guildsIntent, `"compress":true`)
			c.want("READY")
			c.want("GUILD_CREATE")
			c.want("GUILD_CREATE")
			c.beat()
			large := `{"text":"` + strings.Repeat("much the same, ", 60_000) + `"}`
			for _, data := range []string{`{"n":1}`, large, `{"n":2}`} {
				s.bus.Publish(events.Event{Name: "TEST", Data: []byte(data), To: events.Audience{Application: echo}})
				if p := c.want("TEST"); string(p.D) != data {
					t.Errorf("received %.40s…, want %.40s…", p.D, data)
				}
			}
			c.send(`{"op":99}`)
			if got := c.closed(); got != 4001 { // close frames are not compressed
				t.Errorf("closed with %d, want 4001", got)
			}
		})
	}
}

// contexts returns the number of connections with memory for compression.
func contexts(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	_, rest, _ := strings.Cut(w.Body.String(), "\nbellhop_gateway_contexts ")
	number, _, _ := strings.Cut(rest, "\n")
	return number
}

// TestContextsNeedIdentify checks that a connection gets memory for compression only when its client identifies, and only
// while there are less than MaxContexts.
func TestContextsNeedIdentify(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	s := open(t, func(c *gateway.Config) { c.Settings.MaxContexts, c.Metrics = 1, m })
	connect := func() *client {
		c := s.dial(t, usual+"&compress=zlib-stream")
		c.unpack = unpackWith(t, zlibDecoder, []byte{0, 0, 0xff, 0xff})
		c.want("op 10")
		c.beat()
		return c
	}
	first, second := connect(), connect()
	if got := contexts(t, m); got != "0" {
		t.Errorf("%s contexts before anyone has identified, want 0", got)
	}
	for _, c := range []*client{first, second} {
		c.identify("bot-echo", 0)
		c.want("READY")
		if got := contexts(t, m); got != "1" {
			t.Errorf("%s contexts, want 1", got)
		}
	}
	first.cut()
	s.waitFor(t, "the end of all compressed streams", func() (bool, string) {
		n := contexts(t, m)
		return n == "0", n + " streams"
	})
	third := connect()
	third.identify("bot-echo", 0)
	third.want("READY")
	if got := contexts(t, m); got != "1" {
		t.Errorf("%s contexts, want 1", got)
	}
}

// TestAnonymousConnectionsAreBounded checks the bound on connections of an address that have not identified.
func TestAnonymousConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) { c.Limits.Policy.Sessions.Anonymous = 2 })
	full := func() bool {
		conn, _, _, err := ws.Dialer{}.Dial(t.Context(), s.url+usual)
		if err == nil {
			_ = conn.Close() // it is not used
		}
		status, ok := errors.AsType[ws.StatusError](err)
		return ok && status == 503
	}
	first, second := s.connect(t, usual), s.connect(t, usual)
	if !full() {
		t.Error("a third anonymous connection is accepted")
	}
	first.identify("bot-echo", 0)
	first.want("READY")
	third := s.connect(t, usual)
	if !full() {
		t.Error("a third anonymous connection is accepted after one has identified")
	}
	second.cut()
	s.waitFor(t, "room for another compressed stream", func() (bool, string) { return !full(), "none" })
	first.cut()
	third.resume("bot-echo", "unknown", 0)
	third.want("op 9")
}
