package dispatch

import (
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/prometheus/client_golang/prometheus"
)

// numbers is what the service reports of interactions.
type numbers struct {
	outcomes *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	open     prometheus.Collector
	ready    map[outcomeKey]prometheus.Counter // the usual ones, found without a lock
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

// The words for what became of an interaction.
const (
	outcomeAnswered = "answered"
	outcomeDeferred = "deferred"
	outcomeLaunched = "launched"
	outcomeTimeout  = "timeout" // nobody answered in time
	outcomeFailed   = "failed"  // the delivery failed, or the answer was of no use
	outcomeUnfilled = "unfilled"
)

func newNumbers(d *Dispatch) *numbers {
	n := &numbers{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_interactions_total", Help: "Interactions, by kind and what became of them. A deferred one whose promise was never kept counts again as unfilled.",
		}, []string{"kind", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "bellhop_interaction_seconds",
			Help:    "Time from the creation of an interaction to its first answer, by kind.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 4},
		}, []string{"kind"}),
		open: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_interactions_pending", Help: "Interactions that wait for their first answer.",
		}, func() float64 { return float64(d.flights.len()) }),
		ready: map[outcomeKey]prometheus.Counter{}, timers: map[interaction.Type]prometheus.Observer{},
	}
	for kind, name := range kindNames {
		n.timers[kind] = n.seconds.WithLabelValues(name)
		for _, word := range []string{outcomeAnswered, outcomeDeferred, outcomeLaunched, outcomeTimeout, outcomeFailed, outcomeUnfilled} {
			n.ready[outcomeKey{kind, word}] = n.outcomes.WithLabelValues(name, word)
		}
	}
	return n
}

func (n *numbers) collectors() []prometheus.Collector {
	return []prometheus.Collector{n.outcomes, n.seconds, n.open}
}

// note counts what became of an interaction.
func (n *numbers) note(kind interaction.Type, outcome string) {
	if c, ok := n.ready[outcomeKey{kind, outcome}]; ok {
		c.Inc()
	}
}

// answered counts a first answer that took so long.
func (n *numbers) answered(kind interaction.Type, outcome string, took time.Duration) {
	n.note(kind, outcome)
	if t, ok := n.timers[kind]; ok {
		t.Observe(max(took, 0).Seconds())
	}
}
