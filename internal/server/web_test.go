package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// TestWebBeforeTheService checks the answers before the service is open, that requests after Hold wait, and that the
// service gets them.
func TestWebBeforeTheService(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := Listen(Config{Log: slog.New(slog.DiscardHandler)}, ln)
	client := http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	ask := func(path string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ln.Addr().String()+path, nil)
		if err != nil {
			return err.Error()
		}
		resp, err := client.Do(r)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return fmt.Sprintf("%d %q %s %v", resp.StatusCode, resp.Header.Get("Retry-After"), body, err)
	}
	check := func(path, want string) {
		t.Helper()
		if got := ask(path); got != want {
			t.Errorf("%s: %s\nwant %s", path, got, want)
		}
	}
	const alive = `200 "" {"status":"ok"} <nil>`
	check("/healthz", alive)
	check("/readyz", `503 "1" {"status":"unavailable","reason":"starting"} <nil>`)
	check("/api/v10/gateway", `503 "1" {"message":"503: Service Unavailable","code":0} <nil>`)

	w.Hold()
	check("/healthz", alive)
	held := make(chan string)
	go func() { held <- ask("/readyz") }()
	select {
	case got := <-held:
		t.Errorf("a request after Hold got %s before the service", got)
	case <-time.After(100 * time.Millisecond):
	}

	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() {
		served <- w.serve(ctx, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(rw, r.URL.Path) }))
	}()
	if got, want := <-held, `200 "" /readyz <nil>`; got != want {
		t.Errorf("the request that waited: %s, want %s", got, want)
	}
	check("/healthz", `200 "" /healthz <nil>`)
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestBelowPath checks which path the service sees below a path, and that the path alone leads to the front page, whose URLs are
// relative.
func TestBelowPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ public, path, want, location string }{
		{"https://game.example/play", "/play/docs/", "/docs/", ""},
		{"https://game.example/play/", "/docs/", "/docs/", ""},
		{"https://game.example/play", "/player/x", "/player/x", ""},
		{"https://game.example/play", "/play", "", "/play/"},
		{"https://game.example/play", "", "", "/play/"}, // http.StripPrefix removes all of /play
		{"https://game.example/a/b%20c", "/a/b%20c/docs/", "/docs/", ""},
		{"https://game.example/a/b%20c", "/a/b%20c", "", "/a/b%20c/"},
		{"https://game.example", "/play", "/play", ""},
		{"", "/play", "/play", ""},
	} {
		at, err := url.Parse(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		handler := belowPath(tt.public, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.URL.Path }))
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.URL = at
		handler.ServeHTTP(w, r)
		if location := w.Header().Get("Location"); seen != tt.want || location != tt.location {
			t.Errorf("%s at %q: the service sees %q and Location is %q, want %q and %q", tt.path, tt.public, seen, location, tt.want, tt.location)
		}
	}
}
