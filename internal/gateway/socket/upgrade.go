package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gobwas/ws"
)

// ErrFull says that no more clients of that kind are taken, or none at all.
var ErrFull = errors.New("the gateway takes no more clients")

// ErrNoUpgrade says that a request asks for no WebSocket.
var ErrNoUpgrade = errors.New("no upgrade to a WebSocket")

// Upgrade makes a WebSocket of the connection of a request, with the compressed stream of the given name if there is such a
// stream. With an error nothing has been answered yet; without a connection the client has been told why.
func (k *Socket) Upgrade(w http.ResponseWriter, r *http.Request, compress string) (connected bool, err error) {
	if k.codec, err = k.Pool.newCodec(compress); err != nil {
		return false, err
	}
	conn, buffered, _, err := ws.HTTPUpgrader{}.Upgrade(r, w)
	if err != nil {
		k.release()
		if conn != nil {
			_ = conn.Close() // it has been told what it did wrong
		}
		return false, nil // the upgrader has answered
	}
	k.conn, k.from = conn, conn
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Peek(n) // they are there
		k.from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	limitBuffer(conn)
	if err := conn.SetDeadline(time.Time{}); err != nil {
		k.Abandon()
		return false, nil //nolint:nilerr // it is gone already: there is nobody to answer
	}
	return true, nil
}

// Abandon drops a connection that is not served.
func (k *Socket) Abandon() {
	k.release()
	_ = k.conn.Close() // there is nobody to tell
}

// limitBuffer bounds what the machine holds for a client that does not read.
func limitBuffer(conn net.Conn) {
	for conn != nil {
		switch c := conn.(type) {
		case interface{ SetWriteBuffer(bytes int) error }:
			_ = c.SetWriteBuffer(kernelBuffer) // it is a wish
			return
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return
		}
	}
}
