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

	resumes *prometheus.CounterVec
}

// How a session was resumed.
const (
	resumedHere    = "here"    // at the node that had it
	resumedGiven   = "given"   // another node gave it up
	resumedCounted = "counted" // from what its node had told before it ended
	resumedNot     = "refused" // its client has to identify again
)

func newNumbers(g *Gateway) *numbers {
	n := &numbers{
		events: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_gateway_events_total", Help: "Events written to sockets.",
		}),
		closes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_closes_total", Help: "Connections that the service closed, by close code.",
		}, []string{"code"}),
		resumes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_resumes_total",
			Help: "Resumes, by how: here, given by another node, counted after its node had ended, or refused.",
		}, []string{"how"}),
	}
	g.Metrics.Register(n.events, n.closes, n.resumes,
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
