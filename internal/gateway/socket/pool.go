package socket

import (
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// Bounds are the figures of sockets.
type Bounds struct {
	MaxPayload  int // bytes of what a client sends
	MaxContexts int // sockets with a compressed stream
}

// Pool is what sockets share: buffers, the goroutines that write, room for compressed streams, and what is counted. It is
// safe for concurrent use.
type Pool struct {
	bounds Bounds
	log    *slog.Logger

	writers  sync.Pool
	buffers  sync.Pool    // of payloads that are read
	contexts atomic.Int64 // sockets with a compressed stream
	workers  sync.WaitGroup

	events prometheus.Counter
	closes *prometheus.CounterVec
}

// NewPool returns what sockets share. What it counts is reported by m.
func NewPool(bounds Bounds, m *metrics.Metrics, log *slog.Logger) *Pool {
	p := &Pool{
		bounds: bounds, log: log,
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

// Wait waits until nothing is written any more. Nobody reads or sends by then.
func (p *Pool) Wait() { p.workers.Wait() }

// closed counts a connection that the service closes.
func (p *Pool) closed(code uint16) { p.closes.WithLabelValues(strconv.Itoa(int(code))).Inc() }
