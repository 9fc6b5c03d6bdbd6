package gateway

import "github.com/prometheus/client_golang/prometheus"

// counters are the gateway's counters.
type counters struct {
	resumes   *prometheus.CounterVec
	delivered prometheus.Counter
}

// Values of the label "how" of bellhop_gateway_resumes_total.
const (
	resumedHere       = "here"    // at the node that has the session
	resumedHandedOver = "given"   // another node handed the session over
	resumedCounted    = "counted" // restored from the last published state
	resumedNot        = "refused" // the client has to identify again
)

// registerMetrics registers the gateway's metrics.
func registerMetrics(g *Gateway) *counters {
	n := &counters{
		resumes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_resumes_total",
			Help: "Resumes by how: here, given (handed over by another node), counted (restored after its node ended), refused.",
		}, []string{"how"}),
		delivered: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_gateway_delivered_bytes_total",
			Help: "Bytes of the events that at least one session of this node got. Each event counts once.",
		}),
	}
	g.Metrics.Register(n.resumes, n.delivered,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sockets", Help: "Open connections.",
		}, func() float64 {
			g.mu.Lock()
			defer g.mu.Unlock()
			return float64(len(g.sockets))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sessions", Help: "Sessions, including those without a connection that can be resumed.",
		}, func() float64 { return float64(g.index.Len()) }),
	)
	return n
}
