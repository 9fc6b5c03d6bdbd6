package gateway

import "github.com/prometheus/client_golang/prometheus"

// numbers are what the gateway reports.
type numbers struct {
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
		resumes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_gateway_resumes_total",
			Help: "Resumes, by how: here, given by another node, counted after its node had ended, or refused.",
		}, []string{"how"}),
	}
	g.Metrics.Register(n.resumes,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sockets", Help: "Open connections.",
		}, func() float64 {
			g.mu.Lock()
			defer g.mu.Unlock()
			return float64(len(g.sockets))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_gateway_sessions", Help: "Sessions, those without a connection that may be resumed among them.",
		}, func() float64 { return float64(g.index.Len()) }),
	)
	return n
}
