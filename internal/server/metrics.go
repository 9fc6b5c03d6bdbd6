package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// metricsServer serves the metrics on a listener of its own.
type metricsServer struct {
	listener net.Listener
	web      *http.Server
}

// Bounds on the connections for metrics.
const (
	maxMetricsConnections = 64
	maxMetricsFromAddress = 16
)

func newMetricsServer(ln net.Listener, metrics http.Handler, log *slog.Logger) *metricsServer {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	return &metricsServer{bounded(ln, maxMetricsConnections, maxMetricsFromAddress), &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(log.With("part", "metrics").Handler(), slog.LevelWarn),
	}}
}

// run serves until ctx ends. It returns at once if there is no listener.
func (m *metricsServer) run(ctx context.Context) error {
	if m == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { _ = m.web.Close() }) // a scrape in progress may be cut off
	defer stop()
	if err := m.web.Serve(m.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
