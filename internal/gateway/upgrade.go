package gateway

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/bellhop/bellhop/internal/gateway/socket"
)

// Upgrade makes a WebSocket of the connection of a request and serves it. What it returns before that has answered nothing
// yet: socket.ErrNoUpgrade, or socket.ErrFull, also when the gateway does not run.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request) error {
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
	k.url, k.version = g.Address(r), readVersion(query)
	connected, err := k.Upgrade(w, r, query.Get("compress"))
	if err != nil || !connected {
		return err
	}
	if !g.begin(k, refuse(k, query)) { //nolint:contextcheck // it lives as long as the gateway runs, not as long as the request
		k.Abandon() // the service stops
	}
	return nil
}

// begin serves a connection.
func (g *Gateway) begin(k *conn, refused *socket.CloseError) bool {
	k.heard(g.Settings.Identify)
	return g.serve(k, func(ctx context.Context) {
		g.wheel.add(k)
		if refused != nil {
			k.Close(refused)
		}
		k.serve(ctx)
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
func refuse(k *conn, query url.Values) *socket.CloseError {
	if k.version == 0 {
		return socket.ErrVersion
	}
	if e := query.Get("encoding"); e != "" && e != "json" {
		return socket.ErrDecode
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
