package postgres

import "github.com/prometheus/client_golang/prometheus"

// metrics are the metrics of a DB.
type metrics struct {
	commits     *prometheus.CounterVec
	retries     prometheus.Counter
	unavailable prometheus.Counter
	queries     prometheus.Counter
	confirmed   prometheus.Counter
}

func newMetrics() metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "bellhop_postgres_" + name, Help: help})
	}
	return metrics{
		commits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_postgres_commits_total", Help: "Changes, by result: done, stale, or failed.",
		}, []string{"result"}),
		retries:     counter("retries_total", "Attempts that were repeated because the connection was lost or the server rolled the transaction back."),
		unavailable: counter("unavailable_total", "Calls that failed because PostgreSQL did not answer in time."),
		queries:     counter("revision_queries_total", "Queries for the revisions of subjects."),
		confirmed:   counter("revisions_total", "Calls that those queries answered."),
	}
}

// Collectors returns the metrics of the store, for the registry.
func (db *DB) Collectors() []prometheus.Collector {
	n := &db.metrics
	return []prometheus.Collector{
		n.commits, n.retries, n.unavailable, n.queries, n.confirmed, db.damage.Collector(),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections", Help: "Open connections to PostgreSQL.",
		}, func() float64 { return float64(db.pool.Stat().TotalConns()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections_in_use", Help: "Connections to PostgreSQL that a call uses.",
		}, func() float64 { return float64(db.pool.Stat().AcquiredConns()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections_max", Help: "Connections to PostgreSQL that a node opens at most: pool_max_conns.",
		}, func() float64 { return float64(db.pool.Stat().MaxConns()) }),
	}
}
