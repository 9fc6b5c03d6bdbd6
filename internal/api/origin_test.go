package api_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

// serves reports whether a Host header is served over a connection to 192.0.2.7.
func serves(t testing.TB, o *api.Origins, host string) bool {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Host = host
	local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.7:8080"))
	return o.ServesHost(r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local)))
}

func newOrigins(t testing.TB) *api.Origins {
	t.Helper()
	o, err := api.NewOrigins([]string{"Dev.Example", "[2001:db8::1]:80"}, []string{"https://game.example"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestServesHost(t *testing.T) {
	t.Parallel()
	o := newOrigins(t)
	for _, host := range []string{
		"localhost", "localhost:8080", "LOCALHOST.", "app.localhost:1", "127.0.0.1:8080", "127.9.9.9", "[::1]:8080", "[::1]", "[::ffff:127.0.0.1]",
		"dev.example", "DEV.EXAMPLE:8080", "[2001:db8::1]:8080", "192.0.2.7:8080",
	} {
		if !serves(t, o, host) {
			t.Errorf("Host %q is refused", host)
		}
	}
	for _, host := range []string{
		"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "dev.example.evil.example", "evillocalhost",
		"192.0.2.8", "0x7f000001", "", ":8080", "localhost:x", "[::1", "localhost/evil", "evil@localhost", "[fe80::1%25localhost]",
	} {
		if serves(t, o, host) {
			t.Errorf("Host %q is served", host)
		}
	}
}

func TestNewOriginsRefuses(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "http://dev.example", "a b", "dev.example/x", "*"} {
		if _, err := api.NewOrigins([]string{host}, nil); err == nil {
			t.Errorf("the host %q is accepted", host)
		}
	}
	for _, page := range []string{"", "game.example", "https://game.example/path", "*", "null"} {
		if _, err := api.NewOrigins(nil, []string{page}); err == nil {
			t.Errorf("the origin %q is accepted", page)
		}
	}
}

func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	cfg, _ := testConfig()
	cfg.Origins = newOrigins(t)
	done := func(c *api.Call) error { return c.NoContent(nil) }
	handler := api.New(cfg, []api.Route{
		{Method: http.MethodGet, Path: "/thing", Root: true, Name: "get", Handle: done},
		{Method: http.MethodPost, Path: "/thing", Root: true, Name: "post", Handle: done},
		{Method: http.MethodDelete, Path: "/thing", Root: true, Name: "delete", Handle: done},
	})
	for _, tt := range []struct {
		name, method, headers string
		want                  int
	}{
		{"a program changes something", "POST", "", 204},
		{"a page of the service", "POST", "Origin: http://127.0.0.1:8080; Sec-Fetch-Site: same-origin", 204},
		{"a page of the service in an old browser", "DELETE", "Origin: http://127.0.0.1:8080", 204},
		{"a listed page", "POST", "Origin: https://game.example; Sec-Fetch-Site: cross-site", 204},
		{"a page on another port", "POST", "Origin: http://127.0.0.1:9999; Sec-Fetch-Site: same-site", 403},
		{"a page on another port in an old browser", "POST", "Origin: http://127.0.0.1:9999", 403},
		{"a page of another site", "DELETE", "Origin: https://evil.example; Sec-Fetch-Site: cross-site", 403},
		{"a sandboxed page", "POST", "Origin: null", 403},
		{"a page that hides its origin", "POST", "Sec-Fetch-Site: cross-site", 403},
		{"a page of another site reads", "GET", "Origin: https://evil.example; Sec-Fetch-Site: cross-site", 204},
		{"a page of another site opens a WebSocket", "GET", "Origin: https://evil.example; Upgrade: websocket", 403},
		{"a page of another port opens a WebSocket", "GET", "Origin: http://127.0.0.1:9999; Upgrade: WebSocket", 403},
		{"a page of the service opens a WebSocket", "GET", "Origin: http://127.0.0.1:8080; Upgrade: websocket", 204},
		{"a listed page opens a WebSocket", "GET", "Origin: https://game.example; Upgrade: websocket", 204},
		{"a bot opens a WebSocket", "GET", "Upgrade: websocket", 204},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), tt.method, "/thing", nil)
			r.Host = "127.0.0.1:8080"
			for line := range strings.SplitSeq(tt.headers, "; ") {
				if name, value, ok := strings.Cut(line, ": "); ok {
					r.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
		})
	}
}

// FuzzHost checks that only names and addresses on the list and loopback hosts are served, whatever the Host header is.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{"localhost:1", "[::1]:80", "evil.example", "127.0.0.1.", "a\x00b", "[::1%eth0]", "localhost:", "::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !serves(t, newOrigins(t), host) {
			return
		}
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = h
		}
		name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
		ip, err := netip.ParseAddr(name)
		isName := name == "dev.example" || name == "localhost" || strings.HasSuffix(name, ".localhost")
		isAddress := err == nil && (ip.Unmap().IsLoopback() || ip.String() == "192.0.2.7" || ip.Unmap().String() == "192.0.2.7" || ip.String() == "2001:db8::1")
		if !isName && !isAddress {
			t.Errorf("the service answers under %q", host)
		}
	})
}

// FuzzOrigin sends any Origin and Sec-Fetch-Site header. A request that changes something is served only for the service's
// own origin, for a listed one, or without both headers.
func FuzzOrigin(f *testing.F) {
	cfg, _ := testConfig()
	cfg.Origins = newOrigins(f)
	handler := api.New(cfg, []api.Route{{
		Method: http.MethodPost, Path: "/thing", Root: true, Name: "post", Handle: func(c *api.Call) error { return c.NoContent(nil) },
	}})
	for _, seed := range [][2]string{
		{"http://127.0.0.1:8080", ""},
		{"https://game.example", "cross-site"},
		{"null", ""},
		{"", "none"},
		{"http://127.0.0.1:8080@evil.example", ""},
		{"http://evil.example#127.0.0.1:8080", ""},
		{"http://[::1", ""},
		{"\x00", "same-origin"},
		{"//127.0.0.1:8080", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, origin, site string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/thing", nil)
		r.Host = "127.0.0.1:8080"
		r.Header = http.Header{"Origin": {origin}, "Sec-Fetch-Site": {site}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		u, err := url.Parse(origin)
		own := site == "same-origin" || site == "none" || site == "" && (origin == "" || err == nil && u.Host == r.Host)
		if served := w.Code == http.StatusNoContent; served != (own || origin == "https://game.example") {
			t.Errorf("Origin %q, Sec-Fetch-Site %q: served %v", origin, site, served)
		}
	})
}

// TestPaths checks the path of the service and of its cookies.
func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ public, base, cookies string }{
		{"http://game.example/play", "/play", "/play/"},
		{"https://game.example/play", "/play", "/"},
		{"http://game.example/a/b%20c/", "/a/b%20c", "/a/b%20c/"},
		{"http://game.example//other.example", "/other.example", "/other.example/"},
		{"http://game.example/", "", "/"},
		{"http://game.example", "", "/"},
		{"", "", "/"},
		{"%", "", "/"},
	} {
		if base, cookies := api.BasePath(tt.public), api.CookiePath(tt.public); base != tt.base || cookies != tt.cookies {
			t.Errorf("%q: %q with cookies at %q, want %q and %q", tt.public, base, cookies, tt.base, tt.cookies)
		}
	}
}

// TestDevCookieBelowPath checks that the cookie of the dev token is only for the path of the service.
func TestDevCookieBelowPath(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.RemoteAddr = "192.0.2.9:5000"
	r.SetBasicAuth("", "hush")
	w := httptest.NewRecorder()
	gate := &api.DevGate{Token: "hush", Base: "/play"}
	if got := w.Header(); !gate.Passes(w, r) || !strings.Contains(got.Get("Set-Cookie"), "; Path=/play/;") {
		t.Errorf("Set-Cookie: %q, want the path /play/", got.Get("Set-Cookie"))
	}
}
