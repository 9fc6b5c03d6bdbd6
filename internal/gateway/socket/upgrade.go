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

// ErrFull means that the gateway accepts no more clients.
var ErrFull = errors.New("the gateway accepts no more clients")

// ErrNoUpgrade means that a request does not ask for a WebSocket.
var ErrNoUpgrade = errors.New("not a WebSocket request")

// Upgrade upgrades a request to a WebSocket, with the named compression if it is supported. If it returns false, the
// client has got an error.
func (k *Socket) Upgrade(w http.ResponseWriter, r *http.Request, compress string) (connected bool) {
	k.codec = newCodec(compress)
	conn, buffered, _, err := ws.HTTPUpgrader{}.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			_ = conn.Close() // the client has got an error
		}
		return false // the upgrader has answered
	}
	k.conn, k.from = conn, conn
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Peek(n) // the bytes are buffered
		k.from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	limitWriteBuffer(conn)
	_ = conn.SetDeadline(time.Time{}) // it fails on a closed connection, and so does the first read
	return true
}

// Abandon closes a connection that is not served.
func (k *Socket) Abandon() {
	_ = k.conn.Close() // the connection is given up
}

// limitWriteBuffer bounds what the operating system buffers for a client that does not read.
func limitWriteBuffer(conn net.Conn) {
	for conn != nil {
		switch c := conn.(type) {
		case interface{ SetWriteBuffer(bytes int) error }:
			_ = c.SetWriteBuffer(kernelBuffer) // the limit is optional
			return
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return
		}
	}
}
