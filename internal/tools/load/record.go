package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and the precision of latencies: 1 µs to an hour, with three digits.
const (
	maxLatency     = time.Hour
	latencyDigits  = 3
	maxReasons     = 50 // failures that are listed; later ones count as otherReason
	otherReason    = "other failures"
	maxPoints      = 3_600 // of the plots
	leastPointSpan = time.Second
)

// record counts what happens in a run. It is safe for concurrent use.
type record struct {
	span time.Duration // of a point

	mu       sync.Mutex
	all      *hdrhistogram.Histogram
	steps    []*hdrhistogram.Histogram
	stepFail []int64
	lags     *hdrhistogram.Histogram
	answers  map[string]int64
	failures map[string]int64
	failed   int64
	started  int64 // after their planned time, because all workers were busy
	waits    int64
	waited   time.Duration
	points   []Point
	now      *hdrhistogram.Histogram // of the newest point
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, maxLatency.Microseconds(), latencyDigits)
}

func newRecord(p Plan) *record {
	r := &record{
		span: max(leastPointSpan, (p.For+p.Timeout)/maxPoints).Round(leastPointSpan),
		all:  newHistogram(), lags: newHistogram(), now: newHistogram(),
		steps: make([]*hdrhistogram.Histogram, len(p.Mix)), stepFail: make([]int64, len(p.Mix)),
		answers: map[string]int64{}, failures: map[string]int64{},
	}
	return r
}

// put adds a duration to a histogram.
func put(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(d, 0), maxLatency).Microseconds()) // the value is in the range
}

// start records how long after its planned time an invocation starts. If a worker was free, the generator itself is late.
func (r *record) start(free bool, late time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if free {
		put(r.lags, late)
	} else {
		r.started++
	}
}

// add records an invocation that ended at a time after the beginning of the run.
func (r *record) add(step int, latency, at time.Duration, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moveTo(at)
	put(r.all, latency)
	put(r.now, latency)
	if r.steps[step] == nil {
		r.steps[step] = newHistogram()
	}
	put(r.steps[step], latency)
	point := &r.points[len(r.points)-1]
	point.Done++
	r.waits += int64(o.Waits)
	r.waited += o.Waited
	if o.Failure == "" {
		r.answers[o.Answer]++
		return
	}
	point.Failed++
	r.failed++
	r.stepFail[step]++
	reason := o.Failure
	if _, known := r.failures[reason]; !known && len(r.failures) >= maxReasons {
		reason = otherReason
	}
	r.failures[reason]++
}

// moveTo starts the point of a time, and the points before it that have no invocations.
func (r *record) moveTo(at time.Duration) {
	for len(r.points) == 0 || at >= r.points[len(r.points)-1].At+r.span {
		if len(r.points) >= 2*maxPoints {
			return
		}
		r.endPoint()
		r.points = append(r.points, Point{At: time.Duration(len(r.points)) * r.span, Span: r.span})
	}
}

// endPoint sets the percentiles of the newest point.
func (r *record) endPoint() {
	if len(r.points) == 0 || r.now.TotalCount() == 0 {
		return
	}
	p := &r.points[len(r.points)-1]
	p.P50, p.P99, p.Max = at(r.now, 50), at(r.now, 99), microseconds(r.now.Max())
	r.now.Reset()
}

// at returns a percentile of a histogram.
func at(h *hdrhistogram.Histogram, percentile float64) time.Duration {
	return microseconds(h.ValueAtPercentile(percentile))
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func (r *record) progress(elapsed, total time.Duration) Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Elapsed: min(elapsed, total), Total: total, Done: r.all.TotalCount(), Failed: r.failed, P99: at(r.all, 99)}
	if n := len(r.points); n > 1 {
		p.Throughput = r.points[n-2].rate()
	}
	return p
}
