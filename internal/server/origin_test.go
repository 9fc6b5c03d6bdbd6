package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// send sends a request with a Host header and other headers, and returns the status.
func send(t *testing.T, method, url, host, body string, headers ...string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestDevServesOnlyItsOwnPages checks that no page of another origin controls a service with dev controls, also under a
// host name that resolves to its address.
func TestDevServesOnlyItsOwnPages(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{
		Data: t.TempDir(), World: testWorld(t), Dev: true, PublicURL: "https://bellhop.example:8443",
		AllowHosts: []string{"box.example"}, AllowOrigins: []string{"http://localhost:5173"},
	})
	const world = `{"users":[{"id":"700000000000000001","username":"ada","token":"stolen"}]}`
	for _, host := range []string{"", "localhost:1", "box.example:8080", "bellhop.example"} {
		if got := send(t, "GET", r.base+"/_dev/clock", host, ""); got != 200 {
			t.Errorf("Host %q: %d, want 200", host, got)
		}
	}
	for _, path := range []string{"/", "/assets/main.js", "/_dev/clock", "/api/v10/gateway", "/healthz", "/gateway"} {
		if got := send(t, "GET", r.base+path, "evil.example", ""); got != 403 {
			t.Errorf("%s with Host evil.example: %d, want 403", path, got)
		}
	}
	evil := []string{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site", "Content-Type", "application/json"}
	for _, call := range []string{
		"POST /_dev/world", "POST /_dev/reset", "POST /_dev/console", "DELETE /_dev/faults", "PUT /admin/v1/world", "POST /api/v10/interactions",
	} {
		method, path, _ := strings.Cut(call, " ")
		if got := send(t, method, r.base+path, "", world, evil...); got != 403 {
			t.Errorf("%s of another origin: %d, want 403", call, got)
		}
	}
	for _, origin := range []string{r.base, "http://localhost:5173", "https://bellhop.example:8443"} {
		if got := send(t, "POST", r.base+"/_dev/reset", "", "", "Origin", origin); got != 204 {
			t.Errorf("POST /_dev/reset of %s: %d, want 204", origin, got)
		}
	}
	gateway := "ws" + strings.TrimPrefix(r.base, "http") + "/gateway?v=10"
	for origin, want := range map[string]bool{"": true, r.base: true, "http://localhost:5173": true, "http://127.0.0.1:1": false, "null": false} {
		dialer := ws.Dialer{}
		if origin != "" {
			dialer.Header = ws.HandshakeHeaderHTTP{"Origin": {origin}}
		}
		conn, _, _, err := dialer.Dial(context.WithoutCancel(t.Context()), gateway)
		if conn != nil {
			_ = conn.Close() // only the handshake counts
		}
		if (err == nil) != want {
			t.Errorf("a WebSocket of %q: %v, want it to be opened: %v", origin, err, want)
		}
	}
	// Without dev controls every host name is served: the service may be behind a proxy, and needs tokens.
	plain := runServer(t, Config{Data: t.TempDir()})
	if got := send(t, "GET", plain.base+"/healthz", "any.example", ""); got != 200 {
		t.Errorf("Host any.example without dev controls: %d, want 200", got)
	}
}
