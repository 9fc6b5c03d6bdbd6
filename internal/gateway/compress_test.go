package gateway_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway"
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
		<-done
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
		name    string
		decoder func(io.Reader) (io.Reader, error)
		ending  []byte
	}{
		{"zlib-stream", zlibDecoder, []byte{0, 0, 0xff, 0xff}},
		{"zstd-stream", zstdDecoder, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
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

// TestContextsAreBounded checks the limit of compressed streams.
func TestContextsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) { c.Settings.MaxContexts = 2 })
	first := s.dial(t, usual+"&compress=zlib-stream")
	s.dial(t, usual+"&compress=zstd-stream")
	_, _, _, err := ws.Dialer{}.Dial(t.Context(), s.url+usual+"&compress=zlib-stream")
	if status, ok := errors.AsType[ws.StatusError](err); !ok || status != 503 {
		t.Errorf("one too many: %v, want status 503", err)
	}
	s.connect(t, usual) // connections without compression are not limited
	first.cut()
	s.wait(t, func() bool {
		conn, _, _, err := ws.Dialer{}.Dial(t.Context(), s.url+usual+"&compress=zlib-stream")
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}
