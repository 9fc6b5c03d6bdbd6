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

// LoadReport is the result of a run. In JSON, durations are in milliseconds.
type LoadReport struct {
	Rate        float64       `json:"rate,omitzero"` // the planned one
	Concurrency int           `json:"concurrency,omitzero"`
	Planned     time.Duration `json:"planned_ms"`
	Took        time.Duration `json:"took_ms"`
	Interrupted bool          `json:"interrupted"`
	// OpenLoop says that latencies count from the planned times of a rate. Otherwise people wait for each other's answers,
	// and a slow service is asked less often.
	OpenLoop   bool        `json:"open_loop"`
	Done       int64       `json:"invocations"`
	Failed     int64       `json:"failed"`
	Throughput float64     `json:"throughput"` // ended invocations per second
	Latency    LoadLatency `json:"latency"`
	// StartedLate is how many invocations started after their planned time because all workers were busy.
	StartedLate    int64         `json:"started_late"`
	RateLimitWaits int64         `json:"rate_limit_waits"`
	RateLimited    time.Duration `json:"rate_limited_ms"`
	Answers        []LoadCount   `json:"answers"`
	Failures       []LoadCount   `json:"failures"`
	Steps          []LoadResult  `json:"steps"`
	Generator      LoadOverhead  `json:"generator"`
	Checks         []LoadCheck   `json:"checks"`
	Points         []LoadPoint   `json:"points"`
	Distribution   []LoadShare   `json:"distribution"`
}

// LoadLatency are percentiles of latencies, of failed invocations too.
type LoadLatency struct {
	P50  time.Duration `json:"p50_ms"`
	P90  time.Duration `json:"p90_ms"`
	P99  time.Duration `json:"p99_ms"`
	P999 time.Duration `json:"p99.9_ms"`
	Max  time.Duration `json:"max_ms"`
	Mean time.Duration `json:"mean_ms"`
}

// LoadCount is how often something happened.
type LoadCount struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// LoadResult is the result of one step of the mix.
type LoadResult struct {
	Use     string      `json:"use"`
	Done    int64       `json:"invocations"`
	Failed  int64       `json:"failed"`
	Latency LoadLatency `json:"latency"`
}

// LoadOverhead is what the generator itself used.
type LoadOverhead struct {
	CPU        time.Duration `json:"cpu_ms"` // 0: not known
	Processors int           `json:"processors"`
	LagP50     time.Duration `json:"lag_p50_ms"` // how late invocations started although a worker was free
	LagP99     time.Duration `json:"lag_p99_ms"`
	LagMax     time.Duration `json:"lag_max_ms"`
}

// LoadCheck is the result of a threshold.
type LoadCheck struct {
	Condition string `json:"condition"` // the run fails if it holds
	Value     string `json:"value"`
	Failed    bool   `json:"failed"`
}

// LoadPoint is a part of the run.
type LoadPoint struct {
	At     time.Duration `json:"at_ms"`
	Span   time.Duration `json:"span_ms"`
	Done   int64         `json:"invocations"`
	Failed int64         `json:"failed"`
	P50    time.Duration `json:"p50_ms"`
	P99    time.Duration `json:"p99_ms"`
	Max    time.Duration `json:"max_ms"`
}

func (p LoadPoint) rate() float64 { return float64(p.Done) / p.Span.Seconds() }

// LoadShare is a percentile of the latencies.
type LoadShare struct {
	Percentile float64       `json:"percentile"`
	Latency    time.Duration `json:"latency_ms"`
}

// noAnswers is the condition of a run in which no invocation succeeded.
const noAnswers = "no invocation succeeded"

// report returns the report of a run that has ended.
func (r *loadRecord) report(p LoadPlan, took time.Duration) *LoadReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endPoint()
	report := &LoadReport{
		Rate: p.Rate, Concurrency: p.Concurrency, Planned: p.For, Took: took, OpenLoop: p.Rate > 0,
		Done: r.all.TotalCount(), Failed: r.failed, Latency: latencyOf(r.all), StartedLate: r.started,
		RateLimitWaits: r.waits, RateLimited: r.waited, Answers: counts(r.answers), Failures: counts(r.failures),
		Generator: LoadOverhead{LagP50: at(r.lags, 50), LagP99: at(r.lags, 99), LagMax: microseconds(r.lags.Max())},
		Points:    r.points, Checks: []LoadCheck{},
	}
	if took > 0 {
		report.Throughput = float64(report.Done) / took.Seconds()
	}
	for i, s := range p.Mix {
		result := LoadResult{Use: s.Use.String(), Failed: r.stepFail[i]}
		if r.steps[i] != nil {
			result.Done, result.Latency = r.steps[i].TotalCount(), latencyOf(r.steps[i])
		}
		report.Steps = append(report.Steps, result)
	}
	for rest := 100.0; report.Done > 0 && rest*float64(report.Done) >= 50; rest /= 2 {
		report.Distribution = append(report.Distribution, LoadShare{100 - rest, at(r.all, 100-rest)})
	}
	for _, t := range p.Fail {
		report.Checks = append(report.Checks, t.check(report, func(percentile float64) time.Duration { return at(r.all, percentile) }))
	}
	if report.Done == report.Failed {
		report.Checks = append(report.Checks, LoadCheck{Condition: noAnswers, Value: strconv.FormatInt(report.Done, 10) + " failed", Failed: true})
	}
	return report
}

func latencyOf(h *hdrhistogram.Histogram) LoadLatency {
	return LoadLatency{
		at(h, 50), at(h, 90), at(h, 99), at(h, 99.9), microseconds(h.Max()), time.Duration(h.Mean() * float64(time.Microsecond)),
	}
}

// counts returns counts in descending order.
func counts(by map[string]int64) []LoadCount {
	list := []LoadCount{}
	for _, what := range slices.Sorted(maps.Keys(by)) {
		list = append(list, LoadCount{what, by[what]})
	}
	slices.SortStableFunc(list, func(a, b LoadCount) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// Passed reports whether no threshold failed.
func (r *LoadReport) Passed() bool {
	return !slices.ContainsFunc(r.Checks, func(c LoadCheck) bool { return c.Failed })
}

func (r *LoadReport) errorPercent() float64 {
	if r.Done == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Done) * 100
}

// CPUShare returns the processor time of the generator as a percentage of what the machine has.
func (r *LoadReport) CPUShare() float64 {
	if r.Took <= 0 || r.Generator.Processors == 0 {
		return 0
	}
	return r.Generator.CPU.Seconds() / r.Took.Seconds() / float64(r.Generator.Processors) * 100
}

// JSON returns the report as JSON.
func (r *LoadReport) JSON() ([]byte, error) {
	milliseconds := json.MarshalFunc(func(d time.Duration) ([]byte, error) {
		return strconv.AppendFloat(nil, float64(d)/float64(time.Millisecond), 'f', -1, 64), nil
	})
	return json.Marshal(r, jsontext.WithIndent("  "), json.Deterministic(true), json.WithMarshalers(milliseconds))
}

// Text writes the report for people.
func (r *LoadReport) Text(w io.Writer) error {
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

// asked returns what the plan asked for.
func (r *LoadReport) asked() string {
	if r.OpenLoop {
		return fmt.Sprintf("planned %g", r.Rate)
	}
	return fmt.Sprintf("%d people", r.Concurrency)
}

func (r *LoadReport) overhead() string {
	cpu := "processor time not known"
	if r.Generator.CPU > 0 {
		cpu = fmt.Sprintf("%.2f s of processor time (%.1f %% of %d processors)", r.Generator.CPU.Seconds(), r.CPUShare(), r.Generator.Processors)
	}
	return fmt.Sprintf("%s; started late by p50 %s, p99 %s, max %s", cpu, showLatency(r.Generator.LagP50), showLatency(r.Generator.LagP99), showLatency(r.Generator.LagMax))
}

func showCounts(list []LoadCount) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = fmt.Sprintf("%s %d", c.What, c.Count)
	}
	return strings.Join(texts, ", ")
}

func showLatencies(l LoadLatency) string {
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
