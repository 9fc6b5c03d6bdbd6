package load

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Report is the result of a run. In JSON, durations are in milliseconds.
type Report struct {
	Rate        float64       `json:"rate,omitzero"` // the planned one
	Concurrency int           `json:"concurrency,omitzero"`
	Planned     time.Duration `json:"planned_ms"`
	Took        time.Duration `json:"took_ms"`
	Interrupted bool          `json:"interrupted"`
	// OpenLoop says that latencies count from the planned times of a rate. Otherwise people wait for each other's answers,
	// and a slow service is asked less often.
	OpenLoop   bool    `json:"open_loop"`
	Done       int64   `json:"invocations"`
	Failed     int64   `json:"failed"`
	Throughput float64 `json:"throughput"` // ended invocations per second
	Latency    Latency `json:"latency"`
	// StartedLate counts the invocations that started after their planned time because all workers were busy.
	StartedLate    int64         `json:"started_late"`
	RateLimitWaits int64         `json:"rate_limit_waits"`
	RateLimited    time.Duration `json:"rate_limited_ms"`
	Answers        []Count       `json:"answers"`
	// Seen says how long messages took to reach apps; nil: no messages were written.
	Seen         *Seen    `json:"seen,omitzero"`
	Failures     []Count  `json:"failures"`
	Steps        []Result `json:"steps"`
	Generator    Overhead `json:"generator"`
	Checks       []Check  `json:"checks"`
	Points       []Point  `json:"points"`
	Distribution []Share  `json:"distribution"`
}

// Latency are percentiles of latencies, of failed invocations too.
type Latency struct {
	P50  time.Duration `json:"p50_ms"`
	P90  time.Duration `json:"p90_ms"`
	P99  time.Duration `json:"p99_ms"`
	P999 time.Duration `json:"p99.9_ms"`
	Max  time.Duration `json:"max_ms"`
	Mean time.Duration `json:"mean_ms"`
}

// Count is the number of times that something happened.
type Count struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// Result is the result of one step of the mix.
type Result struct {
	Use     string  `json:"use"`
	Done    int64   `json:"invocations"`
	Failed  int64   `json:"failed"`
	Latency Latency `json:"latency"`
}

// Overhead says how busy the generator itself was.
type Overhead struct {
	CPU        time.Duration `json:"cpu_ms"` // 0: not known
	Processors int           `json:"processors"`
	LagP50     time.Duration `json:"lag_p50_ms"` // how late invocations started although a worker was free
	LagP99     time.Duration `json:"lag_p99_ms"`
	LagMax     time.Duration `json:"lag_max_ms"`
}

// Check is the result of a threshold.
type Check struct {
	Condition string `json:"condition"` // the run fails if it holds
	Value     string `json:"value"`
	Failed    bool   `json:"failed"`
}

// Point is a part of the run.
type Point struct {
	At     time.Duration `json:"at_ms"`
	Span   time.Duration `json:"span_ms"`
	Done   int64         `json:"invocations"`
	Failed int64         `json:"failed"`
	P50    time.Duration `json:"p50_ms"`
	P99    time.Duration `json:"p99_ms"`
	Max    time.Duration `json:"max_ms"`
}

func (p Point) rate() float64 { return float64(p.Done) / p.Span.Seconds() }

// Share is a percentile of the latencies.
type Share struct {
	Percentile float64       `json:"percentile"`
	Latency    time.Duration `json:"latency_ms"`
}

// noAnswers is the condition of a run in which no invocation succeeded.
const noAnswers = "no invocation succeeded"

// report returns the report of a run that has ended.
func (r *record) report(p Plan, took time.Duration) *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endPoint()
	report := &Report{
		Rate: p.Rate, Concurrency: p.Concurrency, Planned: p.For, Took: took, OpenLoop: p.Rate > 0,
		Done: r.all.TotalCount(), Failed: r.failed, Latency: latencyOf(r.all), StartedLate: r.started,
		RateLimitWaits: r.waits, RateLimited: r.waited, Answers: counts(r.answers), Failures: counts(r.failures),
		Generator: Overhead{LagP50: at(r.lags, 50), LagP99: at(r.lags, 99), LagMax: microseconds(r.lags.Max())},
		Points:    r.points, Checks: []Check{},
	}
	if took > 0 {
		report.Throughput = float64(report.Done) / took.Seconds()
	}
	for i, s := range p.Mix {
		result := Result{Use: s.Use.String(), Failed: r.stepFail[i]}
		if r.steps[i] != nil {
			result.Done, result.Latency = r.steps[i].TotalCount(), latencyOf(r.steps[i])
		}
		report.Steps = append(report.Steps, result)
	}
	for rest := 100.0; report.Done > 0 && rest*float64(report.Done) >= 50; rest /= 2 {
		report.Distribution = append(report.Distribution, Share{100 - rest, at(r.all, 100-rest)})
	}
	for _, t := range p.Fail {
		report.Checks = append(report.Checks, t.check(report, func(percentile float64) time.Duration { return at(r.all, percentile) }))
	}
	if report.Done == report.Failed {
		report.Checks = append(report.Checks, Check{Condition: noAnswers, Value: strconv.FormatInt(report.Done, 10) + " failed", Failed: true})
	}
	return report
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	return Latency{
		at(h, 50), at(h, 90), at(h, 99), at(h, 99.9), microseconds(h.Max()), time.Duration(h.Mean() * float64(time.Microsecond)),
	}
}

// counts returns counts in descending order.
func counts(by map[string]int64) []Count {
	list := []Count{}
	for _, what := range slices.Sorted(maps.Keys(by)) {
		list = append(list, Count{what, by[what]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// Passed reports whether no threshold failed.
func (r *Report) Passed() bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Failed })
}

func (r *Report) errorPercent() float64 {
	if r.Done == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Done) * 100
}

// CPUShare returns the processor time of the generator as a percentage of what the machine has.
func (r *Report) CPUShare() float64 {
	if r.Took <= 0 || r.Generator.Processors == 0 {
		return 0
	}
	return r.Generator.CPU.Seconds() / r.Took.Seconds() / float64(r.Generator.Processors) * 100
}

// JSON returns the report as JSON.
func (r *Report) JSON() ([]byte, error) {
	milliseconds := json.MarshalFunc(func(d time.Duration) ([]byte, error) {
		return strconv.AppendFloat(nil, float64(d)/float64(time.Millisecond), 'f', -1, 64), nil
	})
	return json.Marshal(r, jsontext.WithIndent("  "), json.Deterministic(true), json.WithMarshalers(milliseconds))
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d invocations in %.1f s: %.1f a second, %s\n\n", r.Done, r.Took.Seconds(), r.Throughput, r.asked())
	fmt.Fprintf(&b, "latency     %s\n", showLatencies(r.Latency))
	if !r.OpenLoop {
		b.WriteString("            (people wait for answers: a slow service is asked less often)\n")
	}
	if len(r.Steps) > 1 {
		for _, s := range r.Steps {
			fmt.Fprintf(&b, "  %s\n            %d, %d failed, %s\n", s.Use, s.Done, s.Failed, showLatencies(s.Latency))
		}
	}
	fmt.Fprintf(&b, "answers     %s\n", showCounts(r.Answers))
	if s := r.Seen; s != nil {
		fmt.Fprintf(&b, "seen        %s\n", s.text())
	}
	fmt.Fprintf(&b, "failures    %d (%.2f %%)\n", r.Failed, r.errorPercent())
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "            %d: %s\n", f.Count, f.What)
	}
	fmt.Fprintf(&b, "rate limits %d waits, %s in total\n", r.RateLimitWaits, showLatency(r.RateLimited))
	if r.StartedLate > 0 {
		fmt.Fprintf(&b, "late        %d started after their time: too many were in flight\n", r.StartedLate)
	}
	fmt.Fprintf(&b, "generator   %s\n", r.overhead())
	for _, c := range r.Checks {
		verdict := "ok"
		if c.Failed {
			verdict = "FAILED"
		}
		fmt.Fprintf(&b, "%-11s %s: %s\n", verdict, c.Condition, c.Value)
	}
	if r.Interrupted {
		b.WriteString("The run was interrupted.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text returns how many messages apps saw, and when.
func (s *Seen) text() string {
	if s.Messages == 0 {
		return "no app saw a message through the gateway"
	}
	return fmt.Sprintf("%d messages by apps: %s", s.Messages, showLatencies(s.Latency))
}

// asked returns what the plan asked for.
func (r *Report) asked() string {
	if r.OpenLoop {
		return fmt.Sprintf("planned %g", r.Rate)
	}
	return fmt.Sprintf("%d people", r.Concurrency)
}

func (r *Report) overhead() string {
	cpu := "processor time not known"
	if r.Generator.CPU > 0 {
		cpu = fmt.Sprintf("%.2f s of processor time (%.1f %% of %d processors)", r.Generator.CPU.Seconds(), r.CPUShare(), r.Generator.Processors)
	}
	return fmt.Sprintf("%s; started late by p50 %s, p99 %s, max %s", cpu, showLatency(r.Generator.LagP50), showLatency(r.Generator.LagP99), showLatency(r.Generator.LagMax))
}

func showCounts(list []Count) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = fmt.Sprintf("%s %d", c.What, c.Count)
	}
	return strings.Join(texts, ", ")
}

func showLatencies(l Latency) string {
	return fmt.Sprintf("p50 %s, p90 %s, p99 %s, p99.9 %s, max %s", showLatency(l.P50), showLatency(l.P90), showLatency(l.P99), showLatency(l.P999), showLatency(l.Max))
}

// showLatency returns a duration with three digits, in milliseconds or seconds.
func showLatency(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms >= 10_000:
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', 2, 64) + " s"
	case ms >= 100:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case ms >= 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	default:
		return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
	}
}
