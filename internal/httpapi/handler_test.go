package httpapi_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// bells is a table of routes that no service stands behind.
func bells() []httpapi.Route {
	at := func(method, path string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{Method: method, Path: path, Name: method + path, Doc: "Ring.", Answer: map[int]string{200: "Health"}, Handle: handle}
	}
	shown := at(http.MethodGet, "/site", func(c *httpapi.Call) error { return c.Empty() })
	shown.Root, shown.Slashed = true, true
	return []httpapi.Route{
		shown,
		at(http.MethodGet, "/bells/{bell_id}", func(c *httpapi.Call) error {
			id, err := httpapi.PathID[snowflake.Guild](c, "bell_id")
			if err != nil {
				return err
			}
			return c.Value(http.StatusOK, id)
		}),
		at(http.MethodDelete, "/bells/{bell_id}", func(c *httpapi.Call) error { return c.Done(nil) }),
		at(http.MethodPost, "/bells", func(c *httpapi.Call) error {
			_, err := c.ReadBody(4)
			return c.Done(err)
		}),
		at(http.MethodGet, "/broken", func(*httpapi.Call) error { panic("the clapper fell off") }),
		at(http.MethodGet, "/failed", func(*httpapi.Call) error { return errors.New("rope of sensitive length") }),
		at(http.MethodGet, "/away", func(*httpapi.Call) error { return store.ErrUnavailable }),
	}
}

// framed returns the table within a frame, and what the frame logs.
func framed() (http.Handler, *bytes.Buffer) {
	var lines bytes.Buffer
	policy := ratelimit.Off()
	f := &httpapi.Frame{
		Clock: clock.System{}, Metrics: metrics.New("test"), Log: slog.New(slog.NewTextHandler(&lines, nil)), Version: "test",
		Limits: httpapi.Limits{
			Edge: ratelimit.NewEdge(policy.Edge, time.Now()), Gate: ratelimit.NewGate(policy.Gate), Guard: ratelimit.Guard{Policy: &policy},
		},
	}
	return f.Serve(bells()), &lines
}

func TestFrame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, method, path, sent string
		status                   int
		body                     string
		header, value            string
	}{
		{"a result is JSON", "GET", "/api/v10/bells/7", "", 200, `"7"`, "Content-Type", "application/json"},
		{"every base serves", "GET", "/v9/bells/7", "", 200, `"7"`, "Via", "1.1 bellhop"},
		{"doubled slashes are one", "GET", "/api/v10//bells///7", "", 200, `"7"`, "", ""},
		{"a path with dots names nothing", "GET", "/api/v10/bells/../bells/7", "", 404, `{"message":"404: Not Found","code":0}`, "Location", ""},
		{"another version is told", "GET", "/api/v8/bells/7", "", 400, `{"message":"Invalid API version","code":50041}`, "", ""},
		{"another version of nothing is nothing", "GET", "/api/v8/whistles", "", 404, `{"message":"404: Not Found","code":0}`, "", ""},
		{"another method hears which there are", "PUT", "/api/bells/7", "", 405, `{"message":"405: Method Not Allowed","code":0}`, "Allow", "GET, DELETE"},
		{"a route of the root has no base", "GET", "/api/v10/site", "", 404, `{"message":"404: Not Found","code":0}`, "", ""},
		{"a slashed route is served with a slash", "GET", "/site/", "", 204, "", "Via", "1.1 bellhop"},
		{"a finding has its path", "GET", "/api/bells/x", "", 400, `{"message":"Invalid Form Body","code":50035,"errors":{"bell_id":`, "", ""},
		{"a body has room up to its limit", "POST", "/api/bells", "ding", 204, "", "", ""},
		{"a larger one is not read", "POST", "/api/bells", "dingdong", 413, `{"message":"Request entity too large","code":40005}`, "Connection", "close"},
		{"who meets a bug is answered", "GET", "/api/broken", "", 500, `{"message":"500: Internal Server Error","code":0}`, "", ""},
		{"what is internal stays so", "GET", "/api/failed", "", 500, `{"message":"500: Internal Server Error","code":0}`, "", ""},
		{"what comes back says when", "GET", "/api/away", "", 503, `{"message":"503: Service Unavailable","code":0}`, "Retry-After", "1"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			h, _ := framed()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader(tt.sent)))
			if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.body) || tt.body == "" && w.Body.Len() > 0 {
				t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, w.Code, w.Body, tt.status, tt.body)
			}
			if got := w.Header().Get(tt.header); tt.header != "" && got != tt.value {
				t.Errorf("%s: %q, want %q", tt.header, got, tt.value)
			}
		})
	}
}

// TestFrameNotes holds what is left of a request: one line for each, one more for what the operator has to see, numbers
// under the pattern of its route, and the route in the description.
func TestFrameNotes(t *testing.T) {
	t.Parallel()
	h, lines := framed()
	ask := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Body.String()
	}
	for path, logged := range map[string][]string{
		"/api/bells/7":   {`msg=request method=GET route=/bells/{bell_id} id=`},
		"/api/nowhere":   {`msg=request method=GET route=none id=`},
		"/api/v9/broken": {`msg=panic id=`, `value="the clapper fell off" stack=`, `msg=request method=GET route=/broken id=`},
		"/api/failed":    {`msg="request failed" id=`, `route=/failed err="rope of sensitive length"`, `msg=request method=GET route=/failed id=`},
	} {
		lines.Reset()
		ask(path)
		for _, want := range logged {
			if !strings.Contains(lines.String(), want) {
				t.Errorf("%s logs %s, want %s", path, lines, want)
			}
		}
	}
	numbers := ask("/metrics")
	for _, want := range []string{`route="/bells/{bell_id}"`, `route="none"`, "panics_total 1\n"} {
		if !strings.Contains(numbers, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if text := ask("/openapi.json"); !strings.Contains(text, `"/api/v10/bells/{bell_id}":{"delete":{`) || !strings.Contains(text, `"/healthz":{"get":{`) {
		t.Error("the description lacks a route")
	}
}
