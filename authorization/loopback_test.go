package authorization_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/authorization"
)

// atListener starts a sign-in, runs probe against its listener and then lets the user consent. The sign-in must succeed
// whatever probe did.
func atListener(t *testing.T, probe func(back *url.URL)) {
	t.Helper()
	client := start(t).client(func(_ context.Context, page string) error {
		back, err := consent(page)
		if err != nil {
			return err
		}
		probe(back)
		callback(t, back, http.StatusOK, unchanged)
		return nil
	})
	args, _ := communication()
	if _, err := client.Authorize(t.Context(), args); err != nil {
		t.Errorf("Authorize() error = %v", err)
	}
}

func TestLoopbackAddress(t *testing.T) {
	t.Parallel()
	atListener(t, func(back *url.URL) {
		if back.Hostname() != "127.0.0.1" || back.Port() == "" || back.Path != "/callback" {
			t.Errorf("redirect URI = %s, want http://127.0.0.1:PORT/callback", back)
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", "[::1]:"+back.Port())
		if err == nil {
			closing(t, conn)
			t.Error("the listener answers beyond 127.0.0.1")
		}
	})
}

// Requests other than the callback get an error status and do not end the sign-in.
func TestLoopbackStrangers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		change func(*http.Request)
	}{
		{"another path", 404, func(r *http.Request) { r.URL.Path = "/favicon.ico" }},
		{"a longer path", 404, func(r *http.Request) { r.URL.Path = "/callback/" }},
		{"POST", 405, func(r *http.Request) { r.Method = http.MethodPost }},
		{"HEAD, as link previews do", 405, func(r *http.Request) { r.Method = http.MethodHead }},
		{"another host name", 421, func(r *http.Request) { r.Host = "rebound.example" }},
		{"localhost", 421, func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }},
		{"malformed query", 400, func(r *http.Request) { r.URL.RawQuery += "&x=%zz" }},
		{"header too large", 431, func(r *http.Request) { r.Header.Set("X-Large", strings.Repeat("x", 64<<10)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			atListener(t, func(back *url.URL) {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, back.String(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				tt.change(req)
				got, err := browse(req)
				if err != nil {
					t.Error(err)
					return
				}
				if got.status != tt.status {
					t.Errorf("status = %d, want %d", got.status, tt.status)
				}
			})
		})
	}
}

// The page is fixed, forbids scripts and embedded content, and contains nothing from the request.
func TestLoopbackPage(t *testing.T) {
	t.Parallel()
	const marker = "<script>reflected</script>"
	for _, tt := range []struct {
		name   string
		status int
		text   string
		edit   func(url.Values)
	}{
		{"granted", 200, "You are signed in.", func(q url.Values) { q.Set("code", marker) }},
		{"refused", 200, "You are not signed in.", func(q url.Values) { q.Set("error", marker); q.Set("error_description", marker) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := start(t).client(func(_ context.Context, page string) error {
				back, err := consent(page)
				if err != nil {
					return err
				}
				q := back.Query()
				tt.edit(q)
				q.Set("x", marker)
				back.RawQuery = q.Encode()
				got, err := visit(back.String())
				if err != nil {
					return err
				}
				checkPage(t, got, tt.status, tt.text)
				return nil
			})
			args, _ := communication()
			_, _ = client.Authorize(t.Context(), args) // other tests check the result
		})
	}
	t.Run("wrong state", func(t *testing.T) {
		t.Parallel()
		atListener(t, func(back *url.URL) {
			got, err := visit("http://" + back.Host + "/callback?state=" + url.QueryEscape(marker))
			if err != nil {
				t.Error(err)
				return
			}
			checkPage(t, got, 400, "does not belong to the sign-in")
		})
	})
}

func checkPage(t *testing.T, got response, status int, text string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, text) {
		t.Errorf("page = %d %s, want %d with %q", got.status, got.body, status, text)
	}
	if strings.Contains(got.body, "reflected") || len(got.body) > 1024 {
		t.Errorf("page repeats the request or is large: %s", got.body)
	}
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"Cache-Control":           "no-store",
		"Referrer-Policy":         "no-referrer",
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	} {
		if value := got.header.Get(name); value != want {
			t.Errorf("%s = %q, want %q", name, value, want)
		}
	}
}

// Browsers open connections that they never use. Authorize returns although such a connection is open.
func TestLoopbackIdleConnection(t *testing.T) {
	t.Parallel()
	client := start(t).client(func(ctx context.Context, page string) error {
		back, err := consent(page)
		if err != nil {
			return err
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp4", back.Host)
		if err != nil {
			return err
		}
		t.Cleanup(func() { closing(t, conn) })
		callback(t, back, http.StatusOK, unchanged)
		return nil
	})
	args, _ := communication()
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	wantClosed(t, grant.RedirectURI)
}

func TestLoopbackPortsAreFresh(t *testing.T) {
	t.Parallel()
	first, second := newClient(), newClient()
	args := authorization.NewArgs()
	args.SetScopes("openid")
	var outer, inner string
	second.OpenBrowser = func(_ context.Context, page string) error {
		inner = query(t, page).Get("redirect_uri")
		return errStop
	}
	first.OpenBrowser = func(ctx context.Context, page string) error {
		outer = query(t, page).Get("redirect_uri")
		_, err := second.Authorize(ctx, args)
		return err
	}
	if _, err := first.Authorize(t.Context(), args); !errors.Is(err, errStop) {
		t.Fatalf("Authorize() error = %v, want that of the opener", err)
	}
	if outer == inner {
		t.Errorf("two sign-ins at once share %s", outer)
	}
}
