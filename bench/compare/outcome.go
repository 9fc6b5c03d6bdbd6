package compare

import (
	"math"
	"slices"
	"time"

	"github.com/bellhop/bellhop/bench/load"
)

// Outcome is the result of a case. Times are in nanoseconds, rates in responses per second.
type Outcome struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"` // ratio of the two sides, or the reading in Unit
	Unit    Unit    `json:"unit,omitempty"`
	Bound   Bound   `json:"bound,omitzero"`
	Verdict Verdict `json:"verdict"`
	// The two sides; nil for a reading.
	Subject   *Side `json:"subject,omitempty"`
	Yardstick *Side `json:"yardstick,omitempty"`
	// Ratios holds the ratio of each round.
	Ratios []float64 `json:"ratios,omitempty"`
}

// Side is the result of one side over all rounds.
type Side struct {
	Rate        float64       `json:"rate"` // median of the rounds
	P50         time.Duration `json:"p50_ns"`
	P99         time.Duration `json:"p99_ns"`
	AnswerBytes float64       `json:"answer_bytes"`  // mean size of a body
	AnswerCPU   time.Duration `json:"answer_cpu_ns"` // mean CPU time of the server
	Rounds      []Round       `json:"rounds"`
}

// Round is the result of one side in one round.
type Round struct {
	Requests uint64        `json:"requests"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
}

// outcome returns the outcome of rounds.
func (c Case) outcome(rounds []round) Outcome {
	ratios := make([]float64, len(rounds))
	subject, yardstick := make([]load.Result, len(rounds)), make([]load.Result, len(rounds))
	for i, r := range rounds {
		subject[i], yardstick[i] = r.subject, r.yardstick
		ratios[i] = c.Measure.of(r.subject) / c.Measure.of(r.yardstick)
	}
	ratio := median(ratios)
	return Outcome{
		Name: c.Name, Value: ratio, Bound: c.Bound, Verdict: c.Bound.check(ratio),
		Subject: newSide(subject), Yardstick: newSide(yardstick), Ratios: ratios,
	}
}

func newSide(results []load.Result) *Side {
	var all load.Histogram
	var bytes uint64
	var cpu time.Duration
	rates := make([]float64, len(results))
	rounds := make([]Round, len(results))
	for i, r := range results {
		all.Merge(r.Latency)
		bytes += r.Bytes
		cpu += r.CPU
		rates[i] = r.Rate()
		rounds[i] = Round{r.Requests, r.Elapsed, r.Latency.Quantile(0.5), r.Latency.Quantile(0.99)}
	}
	return &Side{
		Rate: median(rates), P50: all.Quantile(0.5), P99: all.Quantile(0.99),
		AnswerBytes: float64(bytes) / float64(all.Count()), AnswerCPU: cpu / time.Duration(all.Count()),
		Rounds: rounds,
	}
}

// median returns the median of values, or NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
