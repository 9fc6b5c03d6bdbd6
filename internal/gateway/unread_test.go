package gateway_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/gobwas/ws"
)

// stallListener accepts connections whose writes can be stopped, as if the client did not read and all buffers were full.
type stallListener struct {
	net.Listener

	conns chan *stalledConn // accepted connections, in order
}

func (l *stallListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &stalledConn{Conn: conn, attempted: make(chan struct{}, 1), closed: make(chan struct{})}
	l.conns <- c
	return c, nil
}

// stalledConn is a connection whose writes can be stopped until it is closed.
type stalledConn struct {
	net.Conn

	mu        sync.Mutex
	stalled   bool
	attempted chan struct{} // a write has begun that waits
	closed    chan struct{}
	once      sync.Once
}

func (c *stalledConn) stall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stalled = true
}

func (c *stalledConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	stalled := c.stalled
	c.mu.Unlock()
	if stalled {
		select {
		case c.attempted <- struct{}{}:
		default:
		}
		<-c.closed
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

func (c *stalledConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// TestUnreadClose checks that a client that sends a close frame and does not read does not delay the events of others.
func TestUnreadClose(t *testing.T) {
	t.Parallel()
	s := open(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stalls := &stallListener{l, make(chan *stalledConn, 8)}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.Upgrade(w, r, netip.MustParseAddrPort(r.RemoteAddr).Addr()); err != nil && !errors.Is(err, socket.ErrFull) {
			t.Error(err)
		}
	}))
	_ = srv.Listener.Close() // replaced
	srv.Listener = stalls
	srv.Start()
	t.Cleanup(func() {
		s.stop()
		srv.Close()
	})
	s.url = "ws" + strings.TrimPrefix(srv.URL, "http") + "/gateway/"
	reading, _ := s.login(t, "user-bob", 0)
	reading.beat()
	engines.Receive(t, "the connection of bob", stalls.conns)
	unread, _ := s.login(t, "user-ada", 0)
	unread.beat()
	conn := engines.Receive(t, "the connection of ada", stalls.conns)
	t.Cleanup(func() { _ = conn.Close() })
	conn.stall()
	unread.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(4000, "")))
	select {
	case <-conn.attempted:
	case <-time.After(waitTimeout):
		t.Fatal("the service does not answer the close frame")
	}
	for range 2 { // the first one may reach this session before the other
		s.bus.Deliver(events.Event{Name: "TYPING_START", Data: []byte(`{}`), To: events.Audience{Guild: lab}})
		reading.want("TYPING_START")
	}
	select {
	case <-conn.closed: // the service gives the connection up
	case <-time.After(waitTimeout):
		t.Fatal("the connection of a client that does not read its close frame stays open")
	}
}
