package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gobwas/ws"
)

// ErrFull says that the gateway takes no more clients of that kind, or none at all since it does not run.
var ErrFull = errors.New("the gateway takes no more clients")

// ErrNoUpgrade says that a request asks for no WebSocket.
var ErrNoUpgrade = errors.New("no upgrade to a WebSocket")

// Upgrade makes a WebSocket of the connection of a request and serves it. What it returns before that has answered nothing
// yet.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return ErrNoUpgrade
	}
	select {
	case <-g.running:
	case <-r.Context().Done():
		return ErrFull
	}
	query := r.URL.Query()
	codec, err := g.newCodec(query.Get("compress"))
	if err != nil {
		return err
	}
	k := &socket{gateway: g, url: g.Address(r), codec: codec, version: readVersion(query)}
	conn, buffered, _, err := ws.HTTPUpgrader{}.Upgrade(r, w)
	if err != nil {
		k.release()
		if conn != nil {
			_ = conn.Close() // it has been told what it did wrong
		}
		return nil // the upgrader has answered
	}
	k.conn, k.raw = conn, directly(conn)
	from := io.Reader(conn)
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Peek(n) // they are there
		from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	if !g.begin(k, from, refuse(k, query)) { //nolint:contextcheck // it lives as long as the gateway runs, not as long as the request
		k.release()
		_ = conn.Close() // the service stops
	}
	return nil
}

// begin serves a socket.
func (g *Gateway) begin(k *socket, from io.Reader, refused *closing) bool {
	limitBuffer(k.conn)
	if err := k.conn.SetDeadline(time.Time{}); err != nil {
		return false
	}
	k.heard(g.Settings.Identify)
	return g.serve(k, func(ctx context.Context) {
		defer k.release()
		g.wheel.add(k)
		if refused != nil {
			k.close(refused)
		}
		k.serve(ctx, from)
	})
}

// readVersion returns the version of the interface that a client speaks; 0 for one that is not spoken here.
func readVersion(query url.Values) int {
	switch query.Get("v") {
	case "9":
		return 9
	case "10":
		return 10
	}
	return 0
}

// refuse returns why a client cannot be served, nil when it can.
func refuse(k *socket, query url.Values) *closing {
	if k.version == 0 {
		return errVersion
	}
	if e := query.Get("encoding"); e != "" && e != "json" {
		return errDecode
	}
	return nil
}

// Address returns the address at which whoever sent a request reaches the gateway.
func (g *Gateway) Address(r *http.Request) string {
	if g.URL != "" {
		return g.URL
	}
	scheme := "ws"
	if r.TLS != nil {
		scheme = "wss"
	}
	host := r.Host
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && !strings.Contains(host, ":") {
		host = local.String() // some clients leave the port out of what they say they asked
	}
	return scheme + "://" + host + "/gateway/"
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
