package gateway

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// Errors of Upgrade.
var (
	ErrNoUpgrade = socket.ErrNoUpgrade
	ErrFull      = socket.ErrFull
)

// Upgrade upgrades a request to a WebSocket and serves it. It returns ErrNoUpgrade if the request asks for none, and
// ErrFull if the gateway accepts no more clients of the address or does not run; then nothing was answered yet.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request, from netip.Addr) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return socket.ErrNoUpgrade
	}
	select {
	case <-g.running:
	case <-r.Context().Done():
		return socket.ErrFull
	}
	query := r.URL.Query()
	k := g.newConn()
	k.url, k.version, k.from = g.Address(r), readVersion(query), from
	var ok bool
	if k.identified, ok = g.anonymous.add(from, g.Limits.Policy.Sessions.Anonymous); !ok {
		return socket.ErrFull
	}
	if !k.Upgrade(w, r, query.Get("compress")) {
		k.identified()
		return nil
	}
	if !g.begin(k, refusal(k, query)) {
		k.identified()
		k.Abandon() // the service is stopping
	}
	return nil
}

// begin serves a connection.
func (g *Gateway) begin(k *conn, refused *socket.CloseError) bool {
	k.extendDeadline(g.Settings.IdentifyTimeout)
	return g.serve(k, func(ctx context.Context) {
		g.timeouts.add(k)
		if refused != nil {
			k.Close(refused)
		}
		k.serve(ctx)
	})
}

// readVersion returns the API version that a client asks for, or 0 if it is not supported.
func readVersion(query url.Values) int {
	switch query.Get("v") {
	case "9":
		return 9
	case "10":
		return 10
	}
	return 0
}

// refusal returns why a client cannot be served, or nil.
func refusal(k *conn, query url.Values) *socket.CloseError {
	if k.version == 0 {
		return socket.ErrVersion
	}
	if e := query.Get("encoding"); e != "" && e != "json" {
		return socket.ErrDecode
	}
	return nil
}

// Address returns the gateway's address for the client of a request.
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
		host = local.String() // some clients send a Host header without the port
	}
	return scheme + "://" + host + "/gateway/"
}
