package api_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestBodiesShareABudget checks that the bytes of a body count while it is read, and are free when the request ends.
func TestBodiesShareABudget(t *testing.T) {
	t.Parallel()
	cfg, _ := testConfig()
	cfg.Limits.Bodies = ratelimit.NewBudget(ratelimit.BudgetRule{All: 250, Caller: 100})
	cfg.ReadForm = func(r *http.Request, hold func(int) error) (*api.Form, error) {
		n, err := io.Copy(io.Discard, r.Body)
		if err == nil {
			err = hold(int(n))
		}
		return &api.Form{Close: func() error { return nil }}, err
	}
	var h http.Handler
	send := func(from, path, kind string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, body)
		r.RemoteAddr = from + ":1000"
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	// POST /hold reads a body and calls inside before its request ends.
	var inside func()
	h = api.New(cfg, []api.Route{
		{Method: http.MethodPost, Path: "/hold", Root: true, Name: "hold", Handle: func(c *api.Call) error {
			_, err := c.ReadBody(1000)
			if then := inside; err == nil && then != nil {
				then()
			}
			return c.NoContent(err)
		}},
		{Method: http.MethodPost, Path: "/form", Root: true, Name: "form", Handle: func(c *api.Call) error {
			_, err := c.ReadPayload()
			return c.NoContent(err)
		}},
		{Method: http.MethodPost, Path: "/page", Root: true, Name: "page", Handle: api.Page(func(w http.ResponseWriter, r *http.Request) error {
			_, err := io.ReadAll(r.Body)
			return err
		})},
	})
	text := func(n int) io.Reader { return strings.NewReader(strings.Repeat("x", n)) }
	check := func(rule string, w *httptest.ResponseRecorder, status int, retry string) {
		t.Helper()
		if w.Code != status || w.Header().Get("Retry-After") != retry {
			t.Errorf("%s: %d %v %s, want %d and Retry-After %q", rule, w.Code, w.Header(), w.Body, status, retry)
		}
	}
	const a, b, c = "192.0.2.1", "192.0.2.2", "192.0.2.3"
	check("a body within the share", send(a, "/hold", "", text(100)), 204, "")
	check("a body after another has ended", send(a, "/hold", "", text(100)), 204, "")
	check("a body beyond the share", send(a, "/hold", "", text(101)), 413, "1")
	check("a body without a length beyond the share", send(a, "/hold", "", io.MultiReader(text(101))), 413, "1")
	inside = func() {
		inside = nil
		check("a second body beyond the share", send(a, "/hold", "", text(1)), 413, "1")
		check("a form beyond the share", send(a, "/form", "multipart/form-data; boundary=x", text(1)), 413, "1")
		check("the form of a page beyond the share", send(a, "/page", "", text(1)), 413, "1")
		inside = func() {
			inside = nil
			check("a body beyond the total", send(c, "/hold", "", text(60)), 503, "1")
			check("a body within the total", send(c, "/hold", "", text(50)), 204, "")
		}
		check("another caller", send(b, "/hold", "", text(100)), 204, "")
	}
	check("a body that holds its share", send(a, "/hold", "", text(100)), 204, "")
}

// BenchmarkSmallBody measures a request with a body of 100 bytes, with and without a budget.
func BenchmarkSmallBody(b *testing.B) {
	text := strings.Repeat("x", 100)
	for name, budget := range map[string]*ratelimit.Budget{
		"unbounded": nil, "bounded": ratelimit.NewBudget(ratelimit.BudgetRule{All: 1 << 30, Caller: 1 << 28}),
	} {
		b.Run(name, func(b *testing.B) {
			cfg, _ := testConfig()
			cfg.Log = slog.New(slog.DiscardHandler)
			cfg.Limits.Bodies = budget
			h := api.New(cfg, []api.Route{{Method: http.MethodPost, Path: "/hold", Root: true, Name: "hold", Handle: func(c *api.Call) error {
				_, err := c.ReadBody(1000)
				return c.NoContent(err)
			}}})
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/hold", strings.NewReader(text))
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
