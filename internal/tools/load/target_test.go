package load_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/load"
)

// target starts a service that answers invocations with a function, and returns a target for it.
func target(t *testing.T, answer http.HandlerFunc) *load.Target {
	t.Helper()
	srv := httptest.NewServer(answer)
	t.Cleanup(srv.Close)
	l := load.NewTarget(srv.URL, "answer", load.Plan{InFlight: 8}, clock.System{})
	t.Cleanup(l.HTTP.CloseIdleConnections)
	return l
}

func TestTargetOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   load.Outcome
	}{
		{"message", 200, `{"outcome":"answered","response":{"type":4,"data":{}},"messages":[]}`, load.Outcome{Answer: "message"}},
		{"deferred", 200, `{"outcome":"deferred","response":{"type":5}}`, load.Outcome{Answer: "deferred message"}},
		{"modal", 200, `{"outcome":"answered","response":{"type":9}}`, load.Outcome{Answer: "modal"}},
		{"activity", 200, `{"outcome":"launched","response":{"type":12}}`, load.Outcome{Answer: "activity"}},
		{"failed", 200, `{"outcome":"failed","reason":"Echo did not answer (request 71)","response":null}`, load.Outcome{Failure: "failed: Echo did not answer"}},
		{"refused", 403, `{"message":"Missing Permissions","code":50013}`, load.Outcome{Failure: "refused: Missing Permissions (403, code 50013)"}},
		{
			"not understood", 400, `{"message":"Invalid Form Body","code":50035,"errors":{"command":{"_errors":[{"code":"DEV_NOT_UNDERSTOOD","message":"no command is called \"/x\" here"}]}}}`,
			load.Outcome{Failure: `refused: command: no command is called "/x" here (400, code 50035)`},
		},
		{"proxy", 502, `Bad Gateway`, load.Outcome{Failure: "status 502"}},
		{"no JSON", 200, `hello`, load.Outcome{Failure: "the response of the service is not the outcome of an invocation"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := target(t, func(w http.ResponseWriter, r *http.Request) {
				text, err := io.ReadAll(r.Body)
				if body, parseErr := jsonbody.Parse(text); err != nil || parseErr != nil || r.URL.Path != "/_dev/invoke" ||
					body.Get("as").Text() != "200" || body.Get("in").Text() != "310" || body.Get("command").Text() != "/roll" || body.Get("wait").Text() != "answer" {
					t.Errorf("%s %s, %v", r.URL, text, err)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body) // the target reports a broken connection
			})
			if got := l.Send(t.Context(), load.Invocation{As: "200", In: "310", Line: "/roll"}); got != tt.want {
				t.Errorf("Send() = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTargetRateLimit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	l := target(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			w.Header().Set("Retry-After", "0.01")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, `{"outcome":"answered","response":{"type":4}}`) // as above
	})
	want := load.Outcome{Answer: "message", Waits: 2, Waited: 20 * time.Millisecond}
	if got := l.Send(t.Context(), load.Invocation{}); got != want {
		t.Errorf("Send() = %+v, want %+v", got, want)
	}
}

func TestTargetFailures(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	silent := target(t, func(http.ResponseWriter, *http.Request) { <-release })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got := silent.Send(ctx, load.Invocation{}); !strings.HasPrefix(got.Failure, "timeout") {
		t.Errorf("Send() = %+v of a silent service", got)
	}
	close(release)
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	gone := load.NewTarget(srv.URL, "answer", load.Plan{InFlight: 1}, clock.System{})
	if got := gone.Send(t.Context(), load.Invocation{}); got.Failure != "no connection: connection refused" {
		t.Errorf("Send() = %+v of a service that does not run", got)
	}
}

// TestTargetPause runs against an HTTP server that answers nothing for 600 ms of a run of two seconds. A busy machine
// makes latencies longer, never shorter.
func TestTargetPause(t *testing.T) {
	t.Parallel()
	const pause = 600 * time.Millisecond
	var once sync.Once
	var from time.Time
	begin := func() { from = time.Now().Add(500 * time.Millisecond) }
	l := target(t, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(begin)
		if in := time.Since(from); in >= 0 && in < pause {
			time.Sleep(pause - in)
		}
		_, _ = io.WriteString(w, `{"outcome":"answered","response":{"type":4}}`) // as above
	})
	r := run(t, load.Plan{Rate: 100, For: 2 * time.Second, InFlight: 2, Timeout: time.Minute}, l.Send)
	if r.Done != 200 || r.Failed != 0 {
		t.Errorf("%d invocations, failures %+v", r.Done, r.Failures)
	}
	// Two requests, one percent, reach the server during the pause. 60 of 200 invocations are planned in it.
	if r.Latency.P90 < pause/3 || r.Latency.P99 < pause/2 || r.Latency.Max < r.Latency.P99 {
		t.Errorf("latency %+v does not show a pause of %v", r.Latency, pause)
	}
}

// TestKnownDelay runs against a service that takes 20 ms for each invocation, one after the other. Invocations are
// planned every 10 ms, so each waits 10 ms longer than the one before. A generator that measures only from the start of
// each request would report 20 ms for all.
func TestKnownDelay(t *testing.T) {
	t.Parallel()
	const delay, n = 20 * time.Millisecond, 50
	l := target(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(delay)
		_, _ = io.WriteString(w, `{"outcome":"answered","response":{"type":4}}`) // the target reports a broken connection
	})
	r := run(t, load.Plan{Rate: 2 * float64(time.Second/delay), For: n * delay / 2, InFlight: 1}, l.Send)
	if r.Done != n || r.Failed != 0 {
		t.Fatalf("%d invocations, %d failed", r.Done, r.Failed)
	}
	for _, c := range []struct {
		name      string
		got, want time.Duration // want is the least
	}{
		{"p50", r.Latency.P50, delay + (n/2-1)*delay/2},
		{"p90", r.Latency.P90, delay + (n*9/10-1)*delay/2},
		{"max", r.Latency.Max, delay + (n-1)*delay/2},
	} {
		if c.got < c.want-c.want/500 { // the histogram has three digits
			t.Errorf("%s = %v, want at least %v", c.name, c.got, c.want)
		}
	}
}
