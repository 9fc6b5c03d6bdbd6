package load

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Threshold is a condition under which a run fails, such as p99>500ms, errors>1% or throughput<100.
type Threshold struct {
	text    string
	figure  string // p50, p99.9, max, mean, errors, throughput, waits
	below   bool   // the run fails below the limit, not above it
	limit   float64
	percent bool // of errors: the limit is a share of all invocations
}

var thresholdPattern = regexp.MustCompile(`^\s*([a-z]+[0-9.]*)\s*([<>])\s*([0-9][^\s]*)\s*$`)

// The figures that are latencies, except percentiles.
const (
	figureMax  = "max"
	figureMean = "mean"
)

// ParseThreshold reads a condition.
func ParseThreshold(text string) (Threshold, error) {
	m := thresholdPattern.FindStringSubmatch(text)
	if m == nil {
		return Threshold{}, fmt.Errorf("%q: want a condition such as p99>500ms, errors>1%% or throughput<100", text)
	}
	t := Threshold{text: strings.TrimSpace(text), figure: m[1], below: m[2] == "<"}
	number, isPercent := strings.CutSuffix(m[3], "%")
	var err error
	switch _, isLatency := t.percentile(); {
	case isLatency || t.figure == figureMax || t.figure == figureMean:
		var d time.Duration
		d, err = time.ParseDuration(m[3])
		t.limit = float64(d)
	case t.figure == "errors":
		t.percent = isPercent
		t.limit, err = strconv.ParseFloat(number, 64)
	case t.figure == "throughput" || t.figure == "waits":
		t.limit, err = strconv.ParseFloat(m[3], 64)
	default:
		return t, fmt.Errorf("%q: unknown figure %q: want p50 to p99.99, max, mean, errors, throughput or waits", text, t.figure)
	}
	if err != nil {
		return t, fmt.Errorf("%q: %q is not a limit of %s", text, m[3], t.figure)
	}
	return t, nil
}

// percentile returns the percentile of a figure such as p99.9.
func (t Threshold) percentile() (float64, bool) {
	number, ok := strings.CutPrefix(t.figure, "p")
	p, err := strconv.ParseFloat(number, 64)
	return p, ok && err == nil && p > 0 && p <= 100
}

// String returns the condition as it was written.
func (t Threshold) String() string { return t.text }

// check returns the value of the figure, and whether the run fails.
func (t Threshold) check(r *Report, latency func(percentile float64) time.Duration) Check {
	var value float64
	shown := ""
	p, isPercentile := t.percentile()
	switch {
	case isPercentile:
		value = float64(latency(p))
	case t.figure == figureMax:
		value = float64(r.Latency.Max)
	case t.figure == figureMean:
		value = float64(r.Latency.Mean)
	case t.figure == "errors" && t.percent:
		value = r.errorPercent()
		shown = strconv.FormatFloat(value, 'f', 2, 64) + "%"
	case t.figure == "errors":
		value = float64(r.Failed)
	case t.figure == "throughput":
		value = r.Throughput
	case t.figure == "waits":
		value = float64(r.RateLimitWaits)
	}
	if isPercentile || slices.Contains([]string{figureMax, figureMean}, t.figure) {
		shown = showLatency(time.Duration(value))
	}
	if shown == "" {
		shown = strconv.FormatFloat(value, 'f', -1, 64)
	}
	failed := value > t.limit
	if t.below {
		failed = value < t.limit
	}
	return Check{Condition: t.text, Value: shown, Failed: failed}
}
