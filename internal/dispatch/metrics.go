package dispatch

import (
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/prometheus/client_golang/prometheus"
)

// interactionMetrics are the metrics about interactions.
type interactionMetrics struct {
	outcomes *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	pending  prometheus.Collector
	counters map[outcomeKey]prometheus.Counter // of outcomes, found without a lock
	timers   map[interaction.Type]prometheus.Observer
}

type outcomeKey struct {
	kind    interaction.Type
	outcome string
}

var kindNames = map[interaction.Type]string{
	interaction.ApplicationCommand: "command", interaction.MessageComponent: "component",
	interaction.Autocomplete: "autocomplete", interaction.ModalSubmit: "modal",
}

// Values of the label "outcome".
const (
	outcomeAnswered = "answered"
	outcomeDeferred = "deferred"
	outcomeLaunched = "launched"
	outcomeTimeout  = "timeout"  // no answer in time
	outcomeFailed   = "failed"   // the delivery failed, or the answer was invalid
	outcomeUnfilled = "unfilled" // a deferred answer was not filled in
)

// newMetrics returns the metrics. pending returns the number of pending interactions.
func newMetrics(pending func() int) *interactionMetrics {
	m := &interactionMetrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_interactions_total",
			Help: "Interactions by kind and outcome. A deferred interaction that is never filled in counts again as unfilled.",
		}, []string{"kind", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "bellhop_interaction_seconds",
			Help:    "Time from the creation of an interaction to its first answer, by kind.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 4},
		}, []string{"kind"}),
		pending: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_interactions_pending",
			Help: "Interactions of this node that wait for their first answer. One that another node answered counts until its deadline.",
		}, func() float64 { return float64(pending()) }),
		counters: map[outcomeKey]prometheus.Counter{}, timers: map[interaction.Type]prometheus.Observer{},
	}
	outcomes := []string{outcomeAnswered, outcomeDeferred, outcomeLaunched, outcomeTimeout, outcomeFailed, outcomeUnfilled}
	for kind, name := range kindNames {
		m.timers[kind] = m.seconds.WithLabelValues(name)
		for _, outcome := range outcomes {
			m.counters[outcomeKey{kind, outcome}] = m.outcomes.WithLabelValues(name, outcome)
		}
	}
	return m
}

func (m *interactionMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.outcomes, m.seconds, m.pending}
}

// count counts an outcome.
func (m *interactionMetrics) count(kind interaction.Type, outcome string) {
	if c, ok := m.counters[outcomeKey{kind, outcome}]; ok {
		c.Inc()
	}
}

// answered counts a first answer and the time that it took.
func (m *interactionMetrics) answered(kind interaction.Type, outcome string, took time.Duration) {
	m.count(kind, outcome)
	if t, ok := m.timers[kind]; ok {
		t.Observe(max(took, 0).Seconds())
	}
}
