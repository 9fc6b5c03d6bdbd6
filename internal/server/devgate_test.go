package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// devRequest is a request to a service with dev controls.
type devRequest struct {
	path, from string
	forwarded  string // X-Forwarded-For
	password   string
	cookie     *http.Cookie
}

// send returns the answer of the handler to a request that was sent to 192.0.2.7.
func (q devRequest) send(t *testing.T, h http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	r, w := httptest.NewRequestWithContext(t.Context(), http.MethodGet, q.path, nil), httptest.NewRecorder()
	r.RemoteAddr, r.Host = q.from, "192.0.2.7:8080"
	local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.7:8080"))
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	if q.forwarded != "" {
		r.Header.Set("X-Forwarded-For", q.forwarded)
	}
	if q.password != "" {
		r.SetBasicAuth("dev", q.password)
	}
	if q.cookie != nil {
		r.AddCookie(q.cookie)
	}
	h.ServeHTTP(w, r)
	return w
}

// openDev opens a service with dev controls and a dev token.
func openDev(t *testing.T, token auth.Secret) http.Handler {
	t.Helper()
	s, err := Open(t.Context(), Config{
		Clock: clock.System{}, Data: t.TempDir(), Volatile: true, World: testWorld(t), Dev: true, DevToken: token, Version: "test",
		Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Off(), Docs: os.DirFS("../.."),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s.handler
}

// TestOtherMachinesNeedTheDevToken checks that the console, the dev controls and the sign-in page need the dev token from
// other machines, and that the rest of the service does not.
func TestOtherMachinesNeedTheDevToken(t *testing.T) {
	t.Parallel()
	const token = "k3pQ9vXw2LmT7rZy"
	h := openDev(t, token)
	guarded := []string{
		"/", "/assets/main.js", "/_dev/clock", "//_dev//clock", "/%5fdev/clock", "/_dev/world", "/_dev/requests", "/oauth2/signin",
	}
	for _, path := range guarded {
		for _, tt := range []struct {
			name string
			q    devRequest
			want int
		}{
			{"loopback", devRequest{from: "127.0.0.1:5000"}, 200},
			{"loopback, IPv6", devRequest{from: "[::1]:5000"}, 200},
			{"the address of the service", devRequest{from: "192.0.2.7:5000"}, 200},
			{"another machine", devRequest{from: "192.0.2.9:5000"}, 401},
			{"another machine that claims to be a proxy", devRequest{from: "192.0.2.9:5000", forwarded: "127.0.0.1"}, 401},
			{"a proxy on this machine", devRequest{from: "127.0.0.1:5000", forwarded: "203.0.113.5"}, 401},
			{"a proxy on this machine, forged", devRequest{from: "127.0.0.1:5000", forwarded: "127.0.0.1, 203.0.113.5"}, 401},
			{"a proxy on this machine for it", devRequest{from: "127.0.0.1:5000", forwarded: "127.0.0.1"}, 200},
			{"a wrong token", devRequest{from: "192.0.2.9:5000", password: "k3pQ9vXw2LmT7rZx"}, 401},
			{"a wrong cookie", devRequest{from: "192.0.2.9:5000", cookie: &http.Cookie{Name: "bellhop-dev", Value: token}}, 401},
			{"the token", devRequest{from: "192.0.2.9:5000", password: token}, 200},
		} {
			tt.q.path = path
			if got := tt.q.send(t, h); got.Code != tt.want {
				t.Errorf("%s from %s: %d, want %d", path, tt.name, got.Code, tt.want)
			} else if asks := strings.HasPrefix(got.Header().Get("WWW-Authenticate"), "Basic "); asks != (tt.want == 401) {
				t.Errorf("%s from %s: asks for a password: %v", path, tt.name, asks)
			}
		}
	}
	for _, path := range []string{"/healthz", "/api/v10/gateway", "/docs/"} {
		if got := (devRequest{path: path, from: "192.0.2.9:5000"}).send(t, h); got.Code != 200 {
			t.Errorf("%s from another machine: %d, want 200", path, got.Code)
		}
	}
}

// TestDevTokenSetsACookie checks that a browser that gave the token needs it no longer.
func TestDevTokenSetsACookie(t *testing.T) {
	t.Parallel()
	const token = "k3pQ9vXw2LmT7rZy"
	h := openDev(t, token)
	got := devRequest{path: "/", from: "192.0.2.9:5000", password: token}.send(t, h)
	cookies := (&http.Response{Header: got.Header()}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(cookies[0].Value, token) {
		t.Fatalf("the cookies are %v", cookies)
	}
	if got := (devRequest{path: "/_dev/clock", from: "192.0.2.9:5000", cookie: cookies[0]}).send(t, h); got.Code != 200 {
		t.Errorf("with the cookie: %d, want 200", got.Code)
	}
}

// TestNoDevToken checks that other machines cannot use the dev controls of a service without a dev token.
func TestNoDevToken(t *testing.T) {
	t.Parallel()
	h := openDev(t, "")
	for _, cookie := range []*http.Cookie{nil, {Name: "bellhop-dev", Value: ""}} {
		if got := (devRequest{path: "/_dev/clock", from: "192.0.2.9:5000", cookie: cookie}).send(t, h); got.Code != 401 {
			t.Errorf("another machine, cookie %v: %d, want 401", cookie, got.Code)
		}
	}
	if got := (devRequest{path: "/_dev/clock", from: "127.0.0.1:5000"}).send(t, h); got.Code != 200 {
		t.Errorf("loopback: %d, want 200", got.Code)
	}
}
