package api_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var (
	errTaken = errors.New("taken")
	errOwn   = errors.New("answered by a converter")
)

// testRoutes are routes without a service.
func testRoutes() []api.Route {
	route := func(method, path string, handle func(*api.Call) error) api.Route {
		return api.Route{Method: method, Path: path, Name: method + path, Doc: "Test.", Answer: map[int]string{200: "Health"}, Handle: handle}
	}
	fails := func(path string, err error) api.Route {
		return route(http.MethodGet, path, func(*api.Call) error { return err })
	}
	site := route(http.MethodGet, "/site", func(c *api.Call) error { return c.NoContent(nil) })
	site.Root, site.Slashed = true, true
	return []api.Route{
		site,
		route(http.MethodGet, "/items/{item_id}", func(c *api.Call) error {
			id, err := api.PathID[snowflake.Guild](c, "item_id")
			if err != nil {
				return err
			}
			return c.Value(http.StatusOK, id)
		}),
		route(http.MethodDelete, "/items/{item_id}", func(c *api.Call) error { return c.NoContent(nil) }),
		route(http.MethodPost, "/items", func(c *api.Call) error {
			_, err := c.ReadBody(4)
			return c.NoContent(err)
		}),
		route(http.MethodGet, "/empty", func(*api.Call) error { return nil }),
		route(http.MethodGet, "/panics", func(*api.Call) error { panic("a bug") }),
		fails("/failed", errors.New("an internal detail")),
		fails("/unavailable", store.ErrUnavailable),
		fails("/taken", errTaken),
		fails("/own", errOwn),
	}
}

// newHandler returns a handler of testRoutes, and its log.
func newHandler() (http.Handler, *bytes.Buffer) {
	cfg, log := testConfig()
	return api.New(cfg, testRoutes()), log
}

// testConfig returns a configuration without services, and its log.
func testConfig() (api.Config, *bytes.Buffer) {
	var log bytes.Buffer
	policy := ratelimit.Off()
	return api.Config{
		Clock: clock.System{}, Wall: clock.System{}, Metrics: metrics.New("test"), Log: slog.New(api.LogRequestIDs(slog.NewTextHandler(&log, nil))), Version: "test",
		Limits: api.Limits{
			Edge: ratelimit.NewEdge(policy.Edge, time.Now()), Gate: ratelimit.NewGate(policy.Gate), Guard: ratelimit.Guard{Policy: &policy},
		},
		Errors: []api.ErrorReply{{Err: errTaken, Status: http.StatusConflict, Code: 7, Message: "Taken"}},
		ConvertErrors: []api.ErrorConverter{func(_ *http.Request, err error) (api.Reply, bool) {
			return api.Reply{Status: http.StatusTeapot, Header: http.Header{"X-Own": {"yes"}}, Body: []int{1}}, errors.Is(err, errOwn)
		}},
	}, &log
}

func TestHandler(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, method, path, body string
		status                   int
		want                     string
		header, value            string
	}{
		{"a result is JSON", "GET", "/api/v10/items/7", "", 200, `"7"`, "Content-Type", "application/json"},
		{"every base serves", "GET", "/v9/items/7", "", 200, `"7"`, "Via", "1.1 bellhop"},
		{"repeated slashes count as one", "GET", "/api/v10//items///7", "", 200, `"7"`, "", ""},
		{"a path with dots is not found", "GET", "/api/v10/items/../items/7", "", 404, `{"message":"404: Not Found","code":0}`, "Location", ""},
		{"a handler that writes nothing has done it", "GET", "/api/v10/empty", "", 200, "", "", ""},
		{"another version of a route is an error", "GET", "/api/v8/items/7", "", 400, `{"message":"Invalid API version","code":50041}`, "", ""},
		{"another version of no route is not found", "GET", "/api/v8/nothing", "", 404, `{"message":"404: Not Found","code":0}`, "", ""},
		{"another method is not allowed", "PUT", "/api/items/7", "", 405, `{"message":"405: Method Not Allowed","code":0}`, "Allow", "GET, DELETE"},
		{"a root route has no base", "GET", "/api/v10/site", "", 404, `{"message":"404: Not Found","code":0}`, "", ""},
		{"a slashed route is served with a slash", "GET", "/site/", "", 204, "", "Via", "1.1 bellhop"},
		{"a wrong id is reported with its name", "GET", "/api/items/x", "", 400, `{"message":"Invalid Form Body","code":50035,"errors":{"item_id":`, "", ""},
		{"a body within the limit is read", "POST", "/api/items", "1234", 204, "", "", ""},
		{"a larger body is refused", "POST", "/api/items", "12345678", 413, `{"message":"Request entity too large","code":40005}`, "Connection", "close"},
		{"a panic is answered", "GET", "/api/panics", "", 500, `{"message":"500: Internal Server Error","code":0}`, "", ""},
		{"an internal error is not shown", "GET", "/api/failed", "", 500, `{"message":"500: Internal Server Error","code":0}`, "", ""},
		{"an unavailable store asks to retry", "GET", "/api/unavailable", "", 503, `{"message":"503: Service Unavailable","code":0}`, "Retry-After", "1"},
		{"an error is answered by its row", "GET", "/api/taken", "", 409, `{"message":"Taken","code":7}`, "", ""},
		{"an error is answered by its converter", "GET", "/api/own", "", 418, `[1]`, "X-Own", "yes"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			h, _ := newHandler()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader(tt.body)))
			if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.want) || tt.want == "" && w.Body.Len() > 0 {
				t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, w.Code, w.Body, tt.status, tt.want)
			}
			if got := w.Header().Get(tt.header); tt.header != "" && got != tt.value {
				t.Errorf("%s: %q, want %q", tt.header, got, tt.value)
			}
		})
	}
}

// TestHandlerRecords checks what a request leaves behind: log lines, metrics under the pattern of its route, and the
// route in /openapi.json.
func TestHandlerRecords(t *testing.T) {
	t.Parallel()
	cfg, log := testConfig()
	h := api.New(cfg, testRoutes())
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	for path, lines := range map[string][]string{
		"/api/items/7":   {`msg=request method=GET route=/items/{item_id} status=`},
		"/api/empty":     {`msg=request method=GET route=/empty status=200`},
		"/api/nowhere":   {`msg=request method=GET route=none status=404`},
		"/api/v9/panics": {`msg=panic route=/panics value="a bug" stack=`, `msg=request method=GET route=/panics status=500`},
		"/api/failed":    {`msg="request failed" route=/failed err="an internal detail"`, `msg=request method=GET route=/failed status=500`},
	} {
		log.Reset()
		id := get(path).Header().Get("X-Request-Id")
		for _, want := range lines {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s logs %s, want %s", path, log, want)
			}
		}
		if n := strings.Count(log.String(), " request_id="+id+"\n"); n != strings.Count(log.String(), "\n") {
			t.Errorf("%s logs %s: %d lines end with the id of the request, want all", path, log, n)
		}
	}
	h = cfg.Metrics.Handler()
	metrics := get("/metrics").Body.String()
	h = api.New(cfg, testRoutes())
	for _, want := range []string{`route="/items/{item_id}"`, `route="none"`, "panics_total 1\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if text := get("/openapi.json").Body.String(); !strings.Contains(text, `"/api/v10/items/{item_id}":{"delete":{`) || !strings.Contains(text, `"/healthz":{"get":{`) {
		t.Error("/openapi.json lacks a route")
	}
}

// A request for an operation that Discord has and the service does not gets 404, not 405, and names the operation in a header. The
// reason is for developers.
func TestGap(t *testing.T) {
	t.Parallel()
	traffic := &recorder{}
	for _, tt := range []struct {
		name string
		dev  *api.Dev
		want string
	}{
		{"production", nil, `{"message":"404: Not Found","code":0}`},
		{
			"dev controls", &api.Dev{Traffic: traffic, ClockMoved: func() bool { return false }},
			`{"message":"Bellhop does not serve POST /guilds/{guild_id}/templates: see http://example.com/docs/parity","code":0}`,
		},
	} {
		cfg, log := testConfig()
		cfg.Dev = tt.dev
		h := api.New(cfg, append(testRoutes(), api.Route{
			Method: http.MethodGet, Path: "/guilds/{guild_id}/templates", Name: "other", Doc: "Test.", Answer: map[int]string{200: "Health"},
		}))
		for _, base := range []string{"/api/v10", "/api/v9", "/api", "/v10"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, base+"/guilds/300/templates", strings.NewReader("{}")))
			if w.Code != 404 || w.Body.String() != tt.want || w.Header().Get("X-Bellhop-Gap") != "create_guild_template" {
				t.Errorf("%s, %s: %d %s, headers %v; want %s", tt.name, base, w.Code, w.Body, w.Header(), tt.want)
			}
		}
		if named := strings.Contains(log.String(), "does not serve"); named != (tt.dev != nil) {
			t.Errorf("%s: the log names the gap: %t\n%s", tt.name, named, log)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v10/nothing", nil))
		if gap := w.Header().Get("X-Bellhop-Gap"); gap != "" || w.Code != 404 {
			t.Errorf("%s: a path that Discord does not have either: %d, gap %q", tt.name, w.Code, gap)
		}
	}
	if len(traffic.gaps) != 5 || traffic.gaps[0] != "create_guild_template" || traffic.gaps[4] != "" {
		t.Errorf("recorded gaps %q", traffic.gaps)
	}
}

// recorder keeps the gaps of requests.
type recorder struct{ gaps []string }

// BeginRequest does nothing.
func (*recorder) BeginRequest() func() { return func() {} }

// RecordRequest keeps the gap of a request.
func (r *recorder) RecordRequest(e api.Exchange) { r.gaps = append(r.gaps, e.Gap) }
