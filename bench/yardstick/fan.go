package yardstick

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/gobwas/ws"
)

// FanArgs returns the arguments that make Main serve WebSockets: GET opens one, POST writes the body to all of them in a loop.
func FanArgs(file string) []string { return append(Args(file, ""), "-fan") }

// fan writes a frame to all sockets in a loop.
type fan struct {
	frame []byte

	mu    sync.Mutex
	conns []net.Conn
}

func newFan(body []byte) (*fan, error) {
	var frame bytes.Buffer
	err := ws.WriteFrame(&frame, ws.NewTextFrame(body))
	return &fan{frame: frame.Bytes()}, err
}

// ServeHTTP opens a socket (GET) or writes to all of them.
func (f *fan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet {
		conn, _, _, err := ws.HTTPUpgrader{}.Upgrade(r, w)
		if err == nil {
			f.conns = append(f.conns, conn)
		}
		return
	}
	for _, conn := range f.conns {
		if _, err := conn.Write(f.frame); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func serveFan(ctx context.Context, body []byte, stdout io.Writer) error {
	f, err := newFan(body)
	if err != nil {
		return err
	}
	defer func() {
		for _, conn := range f.conns {
			_ = conn.Close() // the clients have disconnected
		}
	}()
	return serve(ctx, f, stdout)
}
