// Package metrics collects the service's metrics and traces. Prometheus reads the metrics at /metrics. A Tracer sends the
// traces to an OpenTelemetry collector.
package metrics

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
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

// RegisterWith adds all metrics to a registry of the program that embeds the service, except those about the process, which such
// a registry has itself. The caller calls remove at the end.
func (m *Metrics) RegisterWith(outer prometheus.Registerer) (remove func(), err error) {
	m.registry.Unregister(collectors.NewGoCollector())
	m.registry.Unregister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if err := outer.Register(m.registry); err != nil {
		return nil, err
	}
	return func() { outer.Unregister(m.registry) }, nil
}

// Register adds metrics of another part of the service.
func (m *Metrics) Register(c ...prometheus.Collector) { m.registry.MustRegister(c...) }

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// CachedHandler serves the metrics as Handler does, in the text format. It renders them once per second at most: requests
// within a second get the same text.
func (m *Metrics) CachedHandler(c clock.Clock) http.Handler {
	return &cached{render: m.Handler(), clock: c}
}

// cacheLife is the time for which a rendered text is used.
const cacheLife = time.Second

type cached struct {
	render http.Handler
	clock  clock.Clock

	mu   sync.Mutex // held while the text is rendered, so that requests at the same time share it
	at   time.Time
	last map[string]*response // by format
}

const openMetrics = "application/openmetrics-text"

// ServeHTTP sends the metrics.
func (h *cached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	last := h.get(r)
	w.Header().Set("Content-Type", last.header.Get("Content-Type"))
	w.WriteHeader(last.status)
	_, _ = w.Write(last.body.Bytes()) // fails when the client is gone
}

// get returns the rendered text, which is at most a second old.
func (h *cached) get(r *http.Request) *response {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Now()
	if h.last == nil || now.Sub(h.at) >= cacheLife || now.Before(h.at) {
		h.last, h.at = map[string]*response{}, now
	}
	format := "" // the text format; OpenMetrics has exemplars
	if strings.Contains(r.Header.Get("Accept"), openMetrics) {
		format = openMetrics
	}
	if h.last[format] == nil {
		plain := r.Clone(r.Context())
		plain.Header = http.Header{"Accept": {format}} // without compression
		next := &response{header: http.Header{}, status: http.StatusOK}
		h.render.ServeHTTP(next, plain)
		h.last[format] = next
	}
	return h.last[format]
}

// response is a response in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers.
func (r *response) Header() http.Header { return r.header }

// WriteHeader sets the status.
func (r *response) WriteHeader(status int) { r.status = status }

// Write appends to the body.
func (r *response) Write(b []byte) (int, error) { return r.body.Write(b) }

// Route holds the metrics of one route.
type Route struct {
	pattern, method string
	seconds         prometheus.Observer
	requests        *prometheus.CounterVec
}

// Route returns the metrics of a route.
func (m *Metrics) Route(pattern, method string) *Route {
	return &Route{pattern: pattern, method: method, seconds: m.seconds.WithLabelValues(pattern, method), requests: m.requests}
}

// Observe counts one answered request. The id of its trace, if there is one, becomes an exemplar of the histogram.
func (r *Route) Observe(status int, took time.Duration, trace string) {
	if exemplars, ok := r.seconds.(prometheus.ExemplarObserver); ok && trace != "" {
		exemplars.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": trace})
	} else {
		r.seconds.Observe(took.Seconds())
	}
	r.requests.WithLabelValues(r.pattern, r.method, strconv.Itoa(status)).Inc()
}
