package postgres

import "github.com/prometheus/client_golang/prometheus"

// numbers are the metrics of a DB.
type numbers struct {
	commits     *prometheus.CounterVec
	retries     prometheus.Counter
	unavailable prometheus.Counter
	queries     prometheus.Counter
	confirmed   prometheus.Counter
}

func newNumbers() numbers {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "bellhop_postgres_" + name, Help: help})
	}
	return numbers{
		commits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bellhop_postgres_commits_total", Help: "Changes, by result: done, stale, or failed.",
		}, []string{"result"}),
		retries:     counter("retries_total", "Attempts that lost their connection or were undone by the server, and were repeated."),
		unavailable: counter("unavailable_total", "Calls that failed because PostgreSQL did not answer in time."),
		queries:     counter("revision_queries_total", "Queries for the revisions of subjects."),
		confirmed:   counter("revisions_total", "Calls that those queries answered."),
	}
}

// Collectors returns the metrics of the store, for the registry.
func (db *DB) Collectors() []prometheus.Collector {
	n := &db.numbers
	return []prometheus.Collector{
		n.commits, n.retries, n.unavailable, n.queries, n.confirmed,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections", Help: "Open connections to PostgreSQL.",
		}, func() float64 { return float64(db.pool.Stat().TotalConns()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "bellhop_postgres_connections_in_use", Help: "Connections to PostgreSQL that a call uses.",
		}, func() float64 { return float64(db.pool.Stat().AcquiredConns()) }),
	}
}
