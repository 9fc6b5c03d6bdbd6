package load_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/load"
	"github.com/google/go-cmp/cmp"
)

// run runs a plan against a service.
func run(t *testing.T, p load.Plan, send func(context.Context, load.Invocation) load.Outcome) *load.Report {
	t.Helper()
	if p.Mix == nil {
		p.Mix = []load.Step{step(t, "/roll")}
	}
	p, err := p.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return (&load.Runner{Plan: p, Clock: clock.System{}, Send: send}).Run(t.Context())
}

var answered = load.Outcome{Answer: "message"}

// near reports whether two durations differ by less than the precision of the histogram and a millisecond.
func near(a, b time.Duration) bool {
	return math.Abs(float64(a-b)) <= float64(b)/1000+float64(time.Millisecond)
}

// pausing returns a service that answers at once, except in a second after its start in which it answers nothing.
func pausing(from, to time.Duration) func(context.Context, load.Invocation) load.Outcome {
	began := time.Now()
	return func(context.Context, load.Invocation) load.Outcome {
		if at := time.Since(began); at >= from && at < to {
			time.Sleep(to - at)
		}
		return answered
	}
}

// TestCoordinatedOmission pauses a service for one of ten seconds. Only two invocations are in flight, so the service
// sees only two slow requests. The percentiles must count all invocations that were planned during the pause.
func TestCoordinatedOmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, load.Plan{Rate: 100, For: 10 * time.Second, InFlight: 2}, pausing(4*time.Second, 5*time.Second))
		if r.Done != 1000 || r.Failed != 0 || !r.OpenLoop {
			t.Errorf("%d invocations, %d failed, open loop %v", r.Done, r.Failed, r.OpenLoop)
		}
		// The 100 invocations of the pause wait for 10 ms, 20 ms, … 1 s. They are the slowest tenth.
		for _, c := range []struct {
			name      string
			got, want time.Duration
		}{
			{"p50", r.Latency.P50, 0},
			{"p90", r.Latency.P90, 0},
			{"p99", r.Latency.P99, 900 * time.Millisecond},
			{"p99.9", r.Latency.P999, 990 * time.Millisecond},
			{"max", r.Latency.Max, time.Second},
		} {
			if c.got > c.want+12*time.Millisecond || c.got < c.want-12*time.Millisecond {
				t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
			}
		}
		if r.StartedLate < 90 {
			t.Errorf("%d invocations started late, want those of the pause", r.StartedLate)
		}
		if n := len(r.Points); n != 10 || r.Points[4].P99 > time.Second+time.Millisecond {
			t.Errorf("%d points: %+v", n, r.Points)
		}
	})
}

// TestClosedLoop shows what a concurrency hides: the same pause delays only the invocations in flight.
func TestClosedLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		think := load.Span{Min: 20 * time.Millisecond, Max: 20 * time.Millisecond}
		r := run(t, load.Plan{Concurrency: 2, Think: think, For: 10 * time.Second}, pausing(4*time.Second, 5*time.Second))
		if r.OpenLoop || r.Latency.P99 > time.Millisecond || !near(r.Latency.Max, time.Second) {
			t.Errorf("open loop %v, latency %+v", r.OpenLoop, r.Latency)
		}
		if r.Done < 850 || r.Done > 950 { // nine seconds of two people, 20 ms each
			t.Errorf("%d invocations, want about 900", r.Done)
		}
	})
}

func TestRamp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var starts [4]int
		began := time.Now()
		send := func(context.Context, load.Invocation) load.Outcome {
			mu.Lock()
			defer mu.Unlock()
			starts[time.Since(began)/time.Second]++
			return answered
		}
		run(t, load.Plan{Rate: 100, Ramp: 2 * time.Second, For: 4 * time.Second}, send)
		// The rate is 0 at first, 50 after a second, 100 after two.
		want := [4]int{25, 75, 100, 100}
		for i := range want {
			if d := starts[i] - want[i]; d < -2 || d > 2 {
				t.Errorf("starts in each second: %v, want %v", starts, want)
			}
		}
	})
}

func TestRampOfPeople(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var busy, most atomic.Int64
		send := func(ctx context.Context, _ load.Invocation) load.Outcome {
			n := busy.Add(1)
			defer busy.Add(-1)
			if allowed := int64(time.Since(began)/(500*time.Millisecond)) + 1; n > allowed {
				t.Errorf("%d people after %v", n, time.Since(began))
			}
			most.Store(max(most.Load(), n))
			time.Sleep(50 * time.Millisecond)
			return answered
		}
		run(t, load.Plan{Concurrency: 4, Ramp: 2 * time.Second, For: 4 * time.Second}, send)
		if most.Load() != 4 {
			t.Errorf("at most %d people at the same time, want 4", most.Load())
		}
	})
}

// TestTimeout runs against a service that never answers. Invocations that cannot start fail too.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		send := func(ctx context.Context, _ load.Invocation) load.Outcome {
			<-ctx.Done()
			return load.Outcome{Failure: "timeout"}
		}
		r := run(t, load.Plan{Rate: 10, For: 10 * time.Second, InFlight: 5, Timeout: 2 * time.Second}, send)
		counted := map[string]int64{}
		for _, f := range r.Failures {
			counted[f.What] = f.Count
		}
		if r.Done != 100 || r.Failed != 100 || counted["timeout"] > 40 || counted["timeout"] < 30 || len(counted) != 2 {
			t.Errorf("%d invocations, failures %v", r.Done, counted)
		}
		if r.Took > 16*time.Second || r.Passed() {
			t.Errorf("took %v, passed %v", r.Took, r.Passed())
		}
	})
}

func TestMix(t *testing.T) {
	t.Parallel()
	use := func() map[string]int {
		var mu sync.Mutex
		seen := map[string]int{}
		synctest.Test(t, func(t *testing.T) {
			often, rare := step(t, "/roll sides:{1..2}"), step(t, "/greet")
			often.Weight, rare.As = 3, []string{"201", "202"}
			r := run(t, load.Plan{Rate: 1000, For: 4 * time.Second, Seed: 3, Mix: []load.Step{often, rare}},
				func(_ context.Context, in load.Invocation) load.Outcome {
					mu.Lock()
					defer mu.Unlock()
					seen[in.As+" "+in.Line]++
					if in.Step == 1 {
						return load.Outcome{Failure: "no greeting"}
					}
					return answered
				})
			if s := r.Steps; len(s) != 2 || s[0].Done < 2800 || s[0].Done > 3200 || s[0].Failed != 0 || s[1].Failed != s[1].Done {
				t.Errorf("steps %+v, want 3 of 4 invocations for the first", s)
			}
		})
		return seen
	}
	first := use()
	for _, want := range []string{"200 /roll sides:1", "200 /roll sides:2", "201 /greet", "202 /greet"} {
		if first[want] == 0 {
			t.Errorf("%s was not used: %v", want, first)
		}
	}
	if diff := cmp.Diff(first, use()); diff != "" {
		t.Errorf("the same seed draws other values:\n%s", diff)
	}
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		want := map[string]bool{ // whether the run fails
			"p50>99ms": true, "p50>101ms": false, "p99.9>99ms": true, "max>1s": false, "mean>50ms": true, "errors>9%": true,
			"errors>11%": false, "errors>9": true, "errors>10": false, "throughput<9": false, "throughput<11": true, "waits>9": true,
			"waits>10": false,
		}
		p := load.Plan{Rate: 10, For: 10 * time.Second}
		for text := range want {
			p.Fail = append(p.Fail, threshold(t, text))
		}
		var n atomic.Int64
		r := run(t, p, func(context.Context, load.Invocation) load.Outcome {
			time.Sleep(100 * time.Millisecond)
			if n.Add(1)%10 == 0 {
				return load.Outcome{Failure: "tenth", Waits: 1, Waited: time.Second}
			}
			return answered
		})
		got := map[string]bool{}
		for _, c := range r.Checks {
			got[c.Condition] = c.Failed
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("checks (-want +got):\n%s", diff)
		}
		if r.Passed() || r.RateLimitWaits != 10 || r.RateLimited != 10*time.Second {
			t.Errorf("passed %v, %d waits, %v", r.Passed(), r.RateLimitWaits, r.RateLimited)
		}
	})
}

func TestManyReasons(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		r := run(t, load.Plan{Rate: 100, For: time.Second}, func(context.Context, load.Invocation) load.Outcome {
			return load.Outcome{Failure: strings.Repeat("x", int(n.Add(1)))}
		})
		if len(r.Failures) != 51 || r.Failures[0] != (load.Count{What: "other failures", Count: 50}) {
			t.Errorf("%d reasons, first %+v", len(r.Failures), r.Failures[0])
		}
	})
}

// TestInterrupted ends a run early. The report covers what ran until then.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2450*time.Millisecond)
		defer cancel()
		p, err := load.Plan{Rate: 10, For: time.Hour, Mix: []load.Step{step(t, "/roll")}}.Complete()
		if err != nil {
			t.Fatal(err)
		}
		var shown []load.Progress
		var used time.Duration
		r := (&load.Runner{
			Plan: p, Clock: clock.System{}, Progress: func(p load.Progress) { shown = append(shown, p) },
			CPU:  func() time.Duration { used += time.Second; return used },
			Send: func(context.Context, load.Invocation) load.Outcome { return answered },
		}).Run(ctx)
		if !r.Interrupted || r.Done != 25 || r.Took > 3*time.Second || r.Generator.CPU != time.Second {
			t.Errorf("interrupted %v, %d invocations in %v, CPU %v", r.Interrupted, r.Done, r.Took, r.Generator.CPU)
		}
		if len(shown) < 20 || shown[20].Done < 20 || shown[20].Total != time.Hour {
			t.Errorf("progress %+v", shown)
		}
	})
}
