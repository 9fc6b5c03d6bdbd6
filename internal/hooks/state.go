package hooks

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/prometheus/client_golang/prometheus"
)

// state describes the last calls of a hook by this node.
type state struct {
	mu       sync.Mutex
	failures int // consecutive
	why      string
	last     time.Time // of the last failure
	worked   time.Time // of the last success
}

// succeeded records that a call that began at a time succeeded.
func (s *state) succeeded(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.worked = 0, at
}

// failed records that a call that began at a time failed.
func (s *state) failed(at time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures++
	s.why, s.last = err.Error(), at
}

// Status is a hook as operators see it. Calls are those of this node since it started.
type Status struct {
	Name          string
	URL           string   // empty: the hook is part of the program
	Before, After []string // the events; nil: none
	Timeout       time.Duration
	FailOpen      bool
	Failures      int       // consecutive
	Failure       string    // the last one; empty: none
	Failed        time.Time // when; zero: never
	Worked        time.Time // when the last call succeeded; zero: never
}

// Status returns all hooks, in the order of the configuration.
func (h *Hooks) Status() []Status {
	if h == nil {
		return nil
	}
	list := make([]Status, 0, len(h.list))
	for _, i := range h.list {
		s := Status{Name: i.Name, URL: i.URL, Timeout: i.Timeout, FailOpen: i.FailOpen}
		if i.Before != nil {
			s.Before = orAll(i.BeforeEvents)
		}
		if i.After != nil {
			s.After = orAll(i.AfterEvents)
		}
		i.state.mu.Lock()
		s.Failures, s.Failure, s.Failed, s.Worked = i.state.failures, i.state.why, i.state.last, i.state.worked
		i.state.mu.Unlock()
		list = append(list, s)
	}
	return list
}

// VerifyKey returns the key that verifies the calls of hooks over HTTP, in hexadecimal. It is empty if there are none.
func (h *Hooks) VerifyKey(ctx context.Context) (string, error) {
	if h == nil || h.key == nil {
		return "", nil
	}
	return h.key(ctx)
}

// orAll returns a list of events, or all events for an empty one.
func orAll(events []string) []string {
	if len(events) == 0 {
		return Events
	}
	return events
}

// The outcomes of a call before.
const (
	allowed        = "allowed"
	changedOutcome = "changed"
	refusedOutcome = "refused"
	failed         = "failed"
	abandoned      = "abandoned" // the caller of the API has gone
)

func outcomeOf(change jsonbody.Value) string {
	if change.Kind() == jsonbody.Object {
		return changedOutcome
	}
	return allowed
}

// figures are the metrics of hooks. The outbox counts the calls after.
type figures struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newFigures(m *metrics.Metrics) *figures {
	f := &figures{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_hook_calls_total", Help: "Calls of hooks before an event, by hook and outcome: allowed, changed, refused, failed, abandoned.",
		}, []string{"hook", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bellhop_hook_seconds", Help: "Time that a hook before an event adds to a request, by hook.",
			Buckets: []float64{.00005, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"hook"}),
	}
	m.Register(f.calls, f.seconds)
	return f
}

// before counts a call.
func (f *figures) before(hook, outcome string, took time.Duration) {
	f.calls.WithLabelValues(hook, outcome).Inc()
	f.seconds.WithLabelValues(hook).Observe(took.Seconds())
}
