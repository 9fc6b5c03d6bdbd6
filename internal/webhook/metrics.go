package webhook

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// deliveryMetrics are the Prometheus metrics of deliveries.
type deliveryMetrics struct {
	deliveries *prometheus.CounterVec
	seconds    prometheus.Histogram
	gauges     []prometheus.Collector
	answered   prometheus.Counter
	deferred   prometheus.Counter
}

func newDeliveryMetrics(d *Deliverer) *deliveryMetrics {
	n := &deliveryMetrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_webhook_deliveries_total", Help: "Deliveries to apps, by outcome.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "bellhop_webhook_delivery_seconds",
			Help:    "Time from the signature to the end of the answer, for deliveries that were sent.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2, 3, 4},
		}),
	}
	gauge := func(name, help string, value func() int) {
		n.gauges = append(n.gauges, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(value()) }))
	}
	gauge("bellhop_webhook_in_flight", "Deliveries under way.", func() int { return d.capacity.used().deliveries })
	gauge("bellhop_webhook_answer_bytes", "Memory of the large answers that are being read.", func() int { return d.capacity.used().bytes })
	gauge("bellhop_webhook_connections", "Open connections to apps.", func() int { return int(d.dialer.open.Load()) })
	gauge("bellhop_webhook_open_circuits", "Endpoints whose deliveries are paused because they kept failing.", func() int {
		_, open := d.circuits.count(d.clock.Now())
		return open
	})
	n.answered, n.deferred = n.deliveries.WithLabelValues("answered"), n.deliveries.WithLabelValues("deferred")
	return n
}

func (n *deliveryMetrics) collectors() []prometheus.Collector {
	return append([]prometheus.Collector{n.deliveries, n.seconds}, n.gauges...)
}

// count counts a delivery by its outcome.
func (n *deliveryMetrics) count(deferred bool, err error) {
	switch e, ok := errors.AsType[*Error](err); {
	case ok:
		n.deliveries.WithLabelValues(e.Kind.String()).Inc()
	case err != nil:
		n.deliveries.WithLabelValues("called off").Inc()
	case deferred:
		n.deferred.Inc()
	default:
		n.answered.Inc()
	}
}
