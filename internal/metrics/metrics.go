// Package metrics collects the service's metrics. Prometheus reads them at /metrics.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds the service's metrics. There is no global registry.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	// InFlight counts the requests in progress.
	InFlight prometheus.Gauge
	// Panics counts requests that panicked.
	Panics prometheus.Counter
}

// New returns metrics that are all zero.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_http_requests_total",
			Help: "Requests answered, by route pattern, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "bellhop_http_request_seconds",
			Help:    "Time from the request's headers to the end of the answer, by route pattern and method.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method"}),
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "bellhop_http_requests_in_flight", Help: "Requests in progress.",
		}),
		Panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_http_panics_total", Help: "Requests that panicked.",
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "bellhop_build_info", Help: "Always 1; the labels contain the version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.InFlight, m.Panics, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Register adds metrics of another part of the service.
func (m *Metrics) Register(c ...prometheus.Collector) { m.registry.MustRegister(c...) }

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Route holds the metrics of one route.
type Route struct {
	seconds  prometheus.Observer
	statuses [600]prometheus.Counter // by status; only the usual ones, so that no lock is needed
	requests *prometheus.CounterVec
	labels   [2]string
}

// Route returns the metrics of a route.
func (m *Metrics) Route(pattern, method string) *Route {
	r := &Route{seconds: m.seconds.WithLabelValues(pattern, method), requests: m.requests, labels: [2]string{pattern, method}}
	for _, status := range []int{200, 201, 204, 400, 401, 403, 404, 429} {
		r.statuses[status] = m.requests.WithLabelValues(pattern, method, strconv.Itoa(status))
	}
	return r
}

// Observe counts one answered request.
func (r *Route) Observe(status int, took time.Duration) {
	r.seconds.Observe(took.Seconds())
	if status < len(r.statuses) && r.statuses[status] != nil {
		r.statuses[status].Inc()
		return
	}
	r.requests.WithLabelValues(r.labels[0], r.labels[1], strconv.Itoa(status)).Inc()
}
