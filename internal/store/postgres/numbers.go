package postgres

import "github.com/prometheus/client_golang/prometheus"

// Collectors returns the numbers of a database that nodes share, for the registry.
func (db *DB) Collectors() []prometheus.Collector {
	e := db.engine
	return []prometheus.Collector{
		e.retries, e.refused,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections", Help: "Open connections to PostgreSQL.",
		}, func() float64 { return float64(e.pool.Stat().TotalConns()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections_in_use", Help: "Connections to PostgreSQL with a unit of work under way.",
		}, func() float64 { return float64(e.pool.Stat().AcquiredConns()) }),
	}
}

func newRetries() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bellhop_postgres_retries_total",
		Help: "Units of work that were run again: disturbed by others, changed in the meantime, clashed with a key, or lost their connection.",
	}, []string{"reason"})
}

func newRefused() prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{
		Name: "bellhop_postgres_unavailable_total", Help: "Units of work and views that failed because PostgreSQL was away.",
	})
}
