package gateway

import (
	"strconv"

	"github.com/gobwas/ws"
	"github.com/prometheus/client_golang/prometheus"
)

// numbers are what the gateway reports.
type numbers struct {
	events prometheus.Counter
	closes *prometheus.CounterVec
}

func newNumbers(g *Gateway) *numbers {
	n := &numbers{
		events: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_gateway_events_total", Help: "Events written to sockets.",
		}),
		closes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_closes_total", Help: "Connections that the service closed, by close code.",
		}, []string{"code"}),
	}
	g.Metrics.Register(n.events, n.closes,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sockets", Help: "Open connections.",
		}, func() float64 {
			g.mu.Lock()
			defer g.mu.Unlock()
			return float64(len(g.sockets))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sessions", Help: "Sessions, those without a connection that may be resumed among them.",
		}, func() float64 {
			g.index.mu.Lock()
			defer g.index.mu.Unlock()
			return float64(len(g.index.sessions))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_contexts", Help: "Connections with a compressed stream.",
		}, func() float64 { return float64(g.contexts.Load()) }),
	)
	return n
}

func (n *numbers) closed(code ws.StatusCode) {
	n.closes.WithLabelValues(strconv.Itoa(int(code))).Inc()
}
