package socket

import (
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// Bounds limits connections.
type Bounds struct {
	MaxPayload  int // bytes of a client's payload
	MaxContexts int // connections with a compressed stream
}

// Pool has the resources that connections share: buffers, writing goroutines, the count of compressed streams, and
// metrics. It is safe for concurrent use.
type Pool struct {
	bounds   Bounds
	clock    clock.Clock
	log      *slog.Logger
	writers  sync.Pool
	buffers  sync.Pool    // for reading payloads
	contexts atomic.Int64 // connections with a compressed stream
	workers  sync.WaitGroup

	events prometheus.Counter
	closes *prometheus.CounterVec
}

// NewPool returns a pool that registers its metrics with m. The clock bounds pings and the wait for the end of a
// connection.
func NewPool(bounds Bounds, c clock.Clock, m *metrics.Metrics, log *slog.Logger) *Pool {
	p := &Pool{
		bounds: bounds, clock: c, log: log,
		events: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_gateway_events_total", Help: "Events written to sockets.",
		}),
		closes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_closes_total", Help: "Connections that the service closed, by close code.",
		}, []string{"code"}),
	}
	p.writers.New = newWriter
	p.buffers.New = func() any {
		b := make([]byte, bounds.MaxPayload+1)
		return &b
	}
	m.Register(p.events, p.closes, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bellhop_gateway_contexts", Help: "Connections with a compressed stream.",
	}, func() float64 { return float64(p.contexts.Load()) }))
	return p
}

// Wait waits for the writing goroutines. The caller ensures that nothing is read or sent any more.
func (p *Pool) Wait() { p.workers.Wait() }

// closed counts a connection that the service closes.
func (p *Pool) closed(code uint16) { p.closes.WithLabelValues(strconv.Itoa(int(code))).Inc() }
