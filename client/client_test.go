package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

// told is a handler that sends its responses in order and repeats the last one.
func told(t *testing.T, answers ...func(w http.ResponseWriter)) (*client.Client, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n := int(asked.Add(1))
		answers[min(n, len(answers))-1](w)
	}))
	t.Cleanup(srv.Close)
	return &client.Client{BaseURL: srv.URL + "/api/v10/", Authorization: "Bot x"}, &asked
}

func limited(header, value, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set(header, value)
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, body)
	}
}

func ok(body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, body) }
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		first   func(http.ResponseWriter)
		maxWait time.Duration
		asked   int32
		wait    time.Duration // of the error, when there is one
	}{
		{"the body says how long", limited("X", "x", `{"message":"slow","retry_after":0.01,"global":false}`), 0, 2, 0},
		{"a header says how long", limited("X-RateLimit-Reset-After", "0.01", ``), 0, 2, 0},
		{"longer than the default maximum", limited("Retry-After", "86400", `{"code":30034}`), 0, 1, 24 * time.Hour},
		{"no wait at all", limited("Retry-After", "1", ``), -1, 1, time.Second},
		{"nothing says how long", limited("X", "x", `<html>`), time.Millisecond, 1, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, asked := told(t, tt.first, ok(`[]`))
			c.MaxWait = tt.maxWait
			_, err := c.Commands(t.Context(), command.Scope{Application: 1})
			if asked.Load() != tt.asked || (err != nil) != (tt.wait != 0) {
				t.Fatalf("asked %d times, %v, want %d times", asked.Load(), err, tt.asked)
			}
			if refused, is := errors.AsType[*client.Error](err); is && refused.RetryAfter != tt.wait {
				t.Errorf("RetryAfter = %v, want %v", refused.RetryAfter, tt.wait)
			}
		})
	}
	t.Run("the context ends the wait", func(t *testing.T) {
		t.Parallel()
		c, _ := told(t, limited("Retry-After", "20", ``))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := c.Commands(ctx, command.Scope{Application: 1}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Commands() = %v, want the context's error", err)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{
			"a tree of faults", `{"message":"Invalid Form Body","code":50035,"errors":{"options":{"1":{"name":{"_errors":[{"code":"BAD","message":"No."}]}}},"name":{"_errors":[{"code":"X","message":"Y"}]}}}`,
			"GET /applications/1/commands: 400 Invalid Form Body (50035); name: Y (X); options.1.name: No. (BAD)",
		},
		{"of OAuth2", `{"error":"invalid_client","error_description":"no such client"}`, "GET /applications/1/commands: 400 invalid_client: no such client"},
		{"whose message repeats the status", `{"message":"400: Bad Request","code":0}`, "GET /applications/1/commands: 400 Bad Request"},
		{"of a proxy", "<html>Bad</html>\n", "GET /applications/1/commands: 400 <html>Bad</html>"},
		{"a long text", strings.Repeat("x", 1000), "GET /applications/1/commands: 400 " + strings.Repeat("x", 200) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := told(t, func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, tt.body)
			})
			_, err := c.Commands(t.Context(), command.Scope{Application: 1})
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if !client.IsStatus(err, 400) || client.IsStatus(err, 404) {
				t.Errorf("IsStatus(%v) is wrong", err)
			}
		})
	}
	t.Run("an answer that is no JSON", func(t *testing.T) {
		t.Parallel()
		c, _ := told(t, ok(`<html>`))
		if _, err := c.Commands(t.Context(), command.Scope{Application: 1}); err == nil || !strings.Contains(err.Error(), "parse the response") {
			t.Errorf("Commands() = %v, want an error about the response", err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		c := &client.Client{BaseURL: "http://127.0.0.1:1"}
		if _, err := c.Application(t.Context()); err == nil {
			t.Error("Application() without a service has no error")
		}
	})
}

func TestRoot(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"http://x:1": "http://x:1", "http://x:1/": "http://x:1", "http://x:1/api/v10": "http://x:1", "https://y/api/v9/": "https://y",
		"http://x/prefix/api": "http://x/prefix",
	} {
		if got := client.Root(give); got != want {
			t.Errorf("Root(%q) = %q, want %q", give, got, want)
		}
	}
}
