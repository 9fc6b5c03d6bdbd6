package cluster

import "github.com/prometheus/client_golang/prometheus"

// numbers are what an operator sees of the other nodes.
type numbers struct {
	swept, lost, unsent prometheus.Counter
	waited              prometheus.Histogram
}

func newNumbers() numbers {
	return numbers{
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_cluster_sweeps_total", Help: "How often everything in memory was forgotten because of other nodes.",
		}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_cluster_channel_lost_total", Help: "How often the channel between nodes was lost.",
		}),
		unsent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_cluster_unsent_total", Help: "Messages to other nodes that could not be sent.",
		}),
		waited: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "bellhop_cluster_write_wait_seconds",
			Help:    "How long writes waited, after they were durable, for the other nodes to forget what was before.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .05, .25, 1, 2},
		}),
	}
}

// Collectors returns the numbers for the registry.
func (n *Node) Collectors() []prometheus.Collector {
	return []prometheus.Collector{
		n.swept, n.lost, n.unsent, n.waited,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_cluster_peers", Help: "Other nodes that are taken for alive.",
		}, func() float64 { return float64(n.Peers()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_cluster_fresh", Help: "1 while what is in memory is known to be the newest and can be shown, 0 while everything is read from the store.",
		}, func() float64 {
			if n.Fresh() {
				return 1
			}
			return 0
		}),
	}
}
