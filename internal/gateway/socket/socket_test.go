package socket_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/gobwas/ws"
)

// waitTimeout is the longest time that a test waits for a frame.
const waitTimeout = 20 * time.Second

// maxPayload is the maximum payload in these tests.
const maxPayload = 64

// commandHandler is a Handler whose payloads are commands.
type commandHandler struct {
	*socket.Socket

	most int // payloads allowed
}

func (c *commandHandler) Allows() bool { c.most--; return c.most >= 0 }

// Handle executes a command.
func (c *commandHandler) Handle(_ context.Context, text []byte) error {
	switch string(text) {
	case "refuse":
		return socket.ErrToken
	case "fail":
		return errors.New("out of order")
	case "panic":
		panic("out of order")
	}
	c.SendText(append([]byte(nil), text...))
	return nil
}

// testServer serves sockets.
type testServer struct {
	pool *socket.Pool
	url  string
	over chan bool // results of Serve
}

func open(t *testing.T, bounds socket.Bounds, greet func(*socket.Socket)) *testServer {
	t.Helper()
	h := &testServer{pool: socket.NewPool(bounds, clock.System{}, metrics.New("test"), slog.New(slog.DiscardHandler)), over: make(chan bool, 1)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := &socket.Socket{Pool: h.pool}
		if !k.Upgrade(w, r, r.URL.Query().Get("compress")) {
			return
		}
		if greet != nil {
			greet(k)
		}
		h.over <- k.Serve(r.Context(), &commandHandler{Socket: k, most: 3})
	}))
	t.Cleanup(func() {
		srv.Close()
		h.pool.Wait()
	})
	h.url = "ws" + strings.TrimPrefix(srv.URL, "http") + "/"
	return h
}

// client is a connection, read after the bytes that came with the upgrade.
type client struct {
	net.Conn

	from io.Reader
}

// Read reads what the service sends.
func (c *client) Read(p []byte) (int, error) { return c.from.Read(p) }

func (h *testServer) dial(t *testing.T) *client {
	t.Helper()
	conn, early, _, err := ws.Dialer{Timeout: waitTimeout}.Dial(t.Context(), h.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
		t.Fatal(err)
	}
	c := &client{conn, conn}
	if early != nil {
		c.from = io.MultiReader(early, conn)
	}
	return c
}

func send(t *testing.T, c *client, f ws.Frame) {
	t.Helper()
	if err := ws.WriteFrame(c, ws.MaskFrame(f)); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c *client) ws.Frame {
	t.Helper()
	f, err := ws.ReadFrame(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestServe checks the answers to payloads and the close codes for invalid ones.
func TestServe(t *testing.T) {
	t.Parallel()
	text := func(s string) []byte { return ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame([]byte(s)))) }
	for _, tt := range []struct {
		name string
		give []byte
		want string // answer
		code uint16
	}{
		{"a payload", text("hello"), "hello", 0},
		{"a payload of the most bytes", text(strings.Repeat("x", maxPayload)), strings.Repeat("x", maxPayload), 0},
		{"a payload that is too long", text(strings.Repeat("x", maxPayload+1)), "", 4002},
		{"too many payloads", []byte(strings.Repeat(string(text("hello")), 4)), "hellohellohello", 4008},
		{"a payload that is refused", text("refuse"), "", 4004},
		{"a payload that fails", text("fail"), "", 4000},
		{"a payload that panics", text("panic"), "", 4000},
		{"a frame without a mask", ws.MustCompileFrame(ws.NewTextFrame([]byte("hello"))), "", 1002},
		{"a frame longer than can be", []byte{0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, "", 1002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := open(t, socket.Bounds{MaxPayload: maxPayload}, nil).dial(t)
			if _, err := conn.Write(tt.give); err != nil {
				t.Fatal(err)
			}
			said := ""
			for said != tt.want || tt.code != 0 {
				f := receive(t, conn)
				if f.Header.OpCode == ws.OpClose {
					if code := binary.BigEndian.Uint16(f.Payload); code != tt.code {
						t.Errorf("closed with %d, want %d", code, tt.code)
					}
					break
				}
				said += string(f.Payload)
			}
			if said != tt.want {
				t.Errorf("answered %q, want %q", said, tt.want)
			}
		})
	}
}

// TestServeEnded checks which clients have ended their session.
func TestServeEnded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *client)
		want bool
	}{
		{"normal closure", func(t *testing.T, c *client) { send(t, c, ws.NewCloseFrame(ws.NewCloseFrameBody(1000, ""))) }, true},
		{"going away", func(t *testing.T, c *client) { send(t, c, ws.NewCloseFrame(ws.NewCloseFrameBody(1001, ""))) }, true},
		{"another code", func(t *testing.T, c *client) { send(t, c, ws.NewCloseFrame(ws.NewCloseFrameBody(4000, ""))) }, false},
		{"no code", func(t *testing.T, c *client) { send(t, c, ws.NewCloseFrame(nil)) }, false},
		{"no word", func(_ *testing.T, c *client) { _ = c.Close() }, false},
		{"the echo of a close", func(t *testing.T, c *client) {
			send(t, c, ws.NewTextFrame([]byte("refuse")))
			receive(t, c)
			send(t, c, ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "")))
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, socket.Bounds{MaxPayload: maxPayload}, nil)
			tt.end(t, h.dial(t))
			if got := engines.Receive(t, "the end of Serve", h.over); got != tt.want {
				t.Errorf("Serve() = %v, want %v", got, tt.want)
			}
		})
	}
}

// TestSend checks the order and the sequence numbers of events, and that a slow client is disconnected.
func TestSend(t *testing.T) {
	t.Parallel()
	t.Run("events and other frames", func(t *testing.T) {
		t.Parallel()
		conn := open(t, socket.Bounds{MaxPayload: maxPayload}, func(k *socket.Socket) {
			k.Send(socket.NewFrame("A", []byte(`1`)), 7)
			k.SendAgain([]socket.Frame{socket.NewFrame("B", []byte(`2`)), socket.NewFrame("C", []byte(`3`))}, 8)
			if err := k.WaitDrained(); err != nil {
				t.Error(err)
			}
			k.SendText([]byte(`note`))
		}).dial(t)
		for _, want := range []string{`{"op":0,"t":"A","d":1,"s":7}`, `{"op":0,"t":"B","d":2,"s":8}`, `{"op":0,"t":"C","d":3,"s":9}`, `note`} {
			if got := string(receive(t, conn).Payload); got != want {
				t.Errorf("received %s, want %s", got, want)
			}
		}
	})
	t.Run("a client that does not read", func(t *testing.T) {
		t.Parallel()
		large := socket.NewFrame("A", make([]byte, 1<<20))
		h := open(t, socket.Bounds{MaxPayload: maxPayload}, func(k *socket.Socket) {
			for seq := range uint64(300) {
				k.Send(large, seq)
			}
			if err := k.WaitDrained(); !errors.Is(err, socket.ErrDisconnected) {
				t.Errorf("WaitDrained() = %v, want ErrDisconnected", err)
			}
			k.CloseNow()
		})
		h.dial(t)
		if engines.Receive(t, "the end of Serve", h.over) {
			t.Error("Serve() = true, want false")
		}
	})
}

// TestStreams checks the type of frames with and without a compressed stream.
func TestStreams(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]ws.OpCode{
		"": ws.OpText, "?compress=lz4": ws.OpText, "?compress=zlib-stream": ws.OpBinary, "?compress=zstd-stream": ws.OpBinary,
	} {
		h := open(t, socket.Bounds{MaxPayload: maxPayload, MaxContexts: 1}, nil)
		h.url += query
		conn := h.dial(t)
		send(t, conn, ws.NewTextFrame([]byte("hello")))
		if f := receive(t, conn); f.Header.OpCode != want {
			t.Errorf("%q: a frame of type %d, want %d", query, f.Header.OpCode, want)
		}
		_ = conn.Close()
		engines.Receive(t, "the end of Serve", h.over)
	}
}
