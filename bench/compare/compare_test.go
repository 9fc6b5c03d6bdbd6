package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
)

// stub is a side with a fixed number of responses in each round, and a fixed latency.
type stub struct {
	name     string
	requests []int // of each round
	latency  time.Duration
	calls    *[]string // records calls in order
	runErr   error
}

func (s stub) open(context.Context) (compare.Runner, error) {
	record := func(call string) {
		if s.calls != nil {
			*s.calls = append(*s.calls, s.name+" "+call)
		}
	}
	record("open")
	rounds := 0
	return compare.Runner{
		Run: func(_ context.Context, d time.Duration) (load.Result, error) {
			record(d.String())
			if d != time.Second { // the warm-up
				return load.Result{}, s.runErr
			}
			result := load.Result{Elapsed: d, Latency: new(load.Histogram)}
			for range s.requests[rounds] {
				result.Latency.Add(s.latency)
				result.Requests++
				result.Bytes += 10
				result.CPU += 20 * time.Microsecond
			}
			rounds++
			return result, nil
		},
		Close: func() error { record("close"); return nil },
	}, nil
}

func plan(rounds int) compare.Plan {
	return compare.Plan{Rounds: rounds, Round: time.Second, Warmup: time.Millisecond}
}

func TestCaseRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		bound              compare.Bound
		measure            compare.Measure
		subject, yardstick stub
		ratio              float64
		verdict            compare.Verdict
	}{
		{
			name:      "median of the ratios, not ratio of the medians",
			bound:     compare.AtLeast(0.5),
			subject:   stub{requests: []int{10, 80, 30}},
			yardstick: stub{requests: []int{100, 100, 40}}, // 0.1, 0.8, 0.75; medians 30 and 100
			ratio:     0.75, verdict: compare.Met,
		},
		{
			name:      "an even number of rounds",
			bound:     compare.AtLeast(0.5),
			subject:   stub{requests: []int{25, 50}},
			yardstick: stub{requests: []int{100, 100}},
			ratio:     0.375, verdict: compare.Missed,
		},
		{
			name:      "exactly the least value",
			bound:     compare.AtLeast(0.5),
			subject:   stub{requests: []int{50}},
			yardstick: stub{requests: []int{100}},
			ratio:     0.5, verdict: compare.Met,
		},
		{
			name:      "value that the table rounds up",
			bound:     compare.AtLeast(0.5),
			subject:   stub{requests: []int{4999}},
			yardstick: stub{requests: []int{10000}},
			ratio:     0.4999, verdict: compare.Missed,
		},
		{
			name:      "above the bound",
			bound:     compare.Bound{Least: 0.9, Most: 1.1},
			subject:   stub{requests: []int{12}},
			yardstick: stub{requests: []int{10}},
			ratio:     1.2, verdict: compare.Missed,
		},
		{
			name:      "no bound",
			subject:   stub{requests: []int{1}},
			yardstick: stub{requests: []int{10}},
			ratio:     0.1, verdict: compare.NoBound,
		},
		{
			name:      "latency",
			bound:     compare.AtMost(1.3),
			measure:   compare.P50,
			subject:   stub{requests: []int{100}, latency: 126},
			yardstick: stub{requests: []int{5}, latency: 100},
			ratio:     1.26, verdict: compare.Met,
		},
		{
			name:      "latency above the bound",
			bound:     compare.AtMost(1.3),
			measure:   compare.P99,
			subject:   stub{requests: []int{100}, latency: 127},
			yardstick: stub{requests: []int{5}, latency: 90},
			ratio:     127.0 / 90, verdict: compare.Missed,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := compare.Case{Bound: tt.bound, Measure: tt.measure, Subject: tt.subject.open, Yardstick: tt.yardstick.open}
			got, err := c.Run(t.Context(), plan(len(tt.subject.requests)))
			if err != nil {
				t.Fatal(err)
			}
			if got.Value != tt.ratio || got.Verdict != tt.verdict {
				t.Errorf("Run() = %v %s, want %v %s", got.Value, got.Verdict, tt.ratio, tt.verdict)
			}
		})
	}
}

func TestCaseRunOrder(t *testing.T) {
	t.Parallel()
	var got []string
	c := compare.Case{
		Subject:   stub{name: "subject", requests: []int{1, 1, 1}, calls: &got}.open,
		Yardstick: stub{name: "yardstick", requests: []int{1, 1, 1}, calls: &got}.open,
	}
	if _, err := c.Run(t.Context(), plan(3)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"subject open", "yardstick open",
		"yardstick 1ms", "subject 1ms",
		"yardstick 1s", "subject 1s",
		"subject 1s", "yardstick 1s",
		"yardstick 1s", "subject 1s",
		"yardstick close", "subject close",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestCaseRunFailures(t *testing.T) {
	t.Parallel()
	errBroken := errors.New("broken")
	t.Run("a failed load fails the case and closes both sides", func(t *testing.T) {
		t.Parallel()
		var calls []string
		c := compare.Case{
			Name:      "list",
			Subject:   stub{name: "subject", calls: &calls}.open,
			Yardstick: stub{name: "yardstick", calls: &calls, runErr: errBroken}.open,
		}
		_, err := c.Run(t.Context(), plan(1))
		if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "case list") {
			t.Errorf("Run() = %v, want %v with the name of the case", err, errBroken)
		}
		if !slices.Contains(calls, "subject close") || !slices.Contains(calls, "yardstick close") {
			t.Errorf("calls = %v, want both sides closed", calls)
		}
	})
	t.Run("a round without a response is repeated", func(t *testing.T) {
		t.Parallel()
		c := compare.Case{Subject: stub{requests: []int{0, 0, 5}}.open, Yardstick: stub{requests: []int{10}}.open}
		if got, err := c.Run(t.Context(), plan(1)); err != nil || got.Value != 0.5 {
			t.Errorf("Run() = %v, %v, want 0.5", got, err)
		}
	})
	t.Run("rounds without responses fail", func(t *testing.T) {
		t.Parallel()
		c := compare.Case{Subject: stub{requests: []int{1}}.open, Yardstick: stub{requests: make([]int, 10)}.open}
		if got, err := c.Run(t.Context(), plan(1)); err == nil {
			t.Errorf("Run() = %v, want an error", got)
		}
	})
	t.Run("a failed reading", func(t *testing.T) {
		t.Parallel()
		c := compare.Case{Reading: func(context.Context) (float64, error) { return 0, errBroken }}
		if _, err := c.Run(t.Context(), plan(1)); !errors.Is(err, errBroken) {
			t.Errorf("Run() = %v, want %v", err, errBroken)
		}
	})
}

func TestReport(t *testing.T) {
	t.Parallel()
	report := compare.Report{Connections: 64}
	for _, c := range []compare.Case{
		{
			Name: "list", Bound: compare.AtLeast(0.75),
			Subject:   stub{requests: []int{40000}, latency: 1234567}.open,
			Yardstick: stub{requests: []int{50000}, latency: time.Microsecond}.open,
		},
		{
			Name: "tiny", Bound: compare.Bound{Least: 0.9, Most: 1.1},
			Subject:   stub{requests: []int{5}, latency: 25 * time.Microsecond}.open,
			Yardstick: stub{requests: []int{10}}.open,
		},
		{
			Name: "ready", Bound: compare.AtMost(3), Unit: compare.Seconds,
			Reading: func(context.Context) (float64, error) { return 3.001, nil },
		},
		{
			Name: "memory", Unit: compare.Mebibytes,
			Reading: func(context.Context) (float64, error) { return 1536, nil },
		},
	} {
		outcome, err := c.Run(t.Context(), plan(1))
		if err != nil {
			t.Fatal(err)
		}
		report.Outcomes = append(report.Outcomes, outcome)
	}

	t.Run("table", func(t *testing.T) {
		t.Parallel()
		want := strings.TrimPrefix(`
case     subject  yardstick  ratio     bound  verdict     p50     p99   cpu  yardstick cpu
list     40000/s    50000/s   0.80   >= 0.75       ok  1.24ms  1.24ms  20µs           20µs
tiny         5/s       10/s   0.50  0.9..1.1   MISSED    25µs    25µs  20µs           20µs
ready        3 s          -      -    <= 3 s   MISSED       -       -     -              -
memory  1536 MiB          -      -         -        -       -       -     -              -
`, "\n")
		var got strings.Builder
		if err := report.WriteTable(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("WriteTable (-want +got):\n%s", diff)
		}
	})
	t.Run("missed", func(t *testing.T) {
		t.Parallel()
		if diff := cmp.Diff([]string{"tiny", "ready"}, report.Missed()); diff != "" {
			t.Errorf("Missed (-want +got):\n%s", diff)
		}
	})
	t.Run("JSON contains the rounds and can be read back", func(t *testing.T) {
		t.Parallel()
		raw, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		var got compare.Report
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, got); diff != "" {
			t.Errorf("report (-want +got):\n%s", diff)
		}
		if first := got.Outcomes[0]; first.Subject.Rounds[0].Requests != 40000 || first.Subject.AnswerBytes != 10 {
			t.Errorf("subject = %+v, want 40000 requests of 10 bytes", first.Subject)
		}
	})
}
