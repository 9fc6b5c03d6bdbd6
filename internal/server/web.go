package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Web is the HTTP server of the service. It answers probes before the service is open, and serves the service from Server.Serve on.
type Web struct {
	http    *http.Server
	serving errgroup.Group // one goroutine for each listener

	holding atomic.Bool
	taken   chan struct{} // closed when handler is set
	handler http.Handler  // of the service
}

// Listen serves on ln, which may be nil, and on the TLS listeners. The caller calls Serve of the service, or Close.
func Listen(cfg Config, ln net.Listener, tlsListeners ...TLSListener) *Web {
	w := newWeb(cfg.Log, cmp.Or(cfg.WriteTimeout, defaultWriteTimeout))
	w.listen(ln, tlsListeners)
	return w
}

// newWeb returns a server without listeners.
func newWeb(log *slog.Logger, writes time.Duration) *Web {
	w := &Web{taken: make(chan struct{})}
	w.http = &http.Server{
		Handler:           w,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      writes, // of the console; other responses start it again when they begin
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.With("part", "http").Handler(), slog.LevelWarn),
	}
	return w
}

// listen starts to serve on listeners.
func (w *Web) listen(ln net.Listener, tlsListeners []TLSListener) {
	var listeners []net.Listener
	if ln != nil {
		listeners = append(listeners, bounded(ln, maxConnections, maxFromAddress))
	}
	for _, l := range tlsListeners {
		listeners = append(listeners, l.open())
		if l.ACME != nil {
			w.http.Handler = l.ACME.Handler(w.http.Handler)
		}
	}
	for _, ln := range listeners {
		w.serving.Go(func() error {
			if err := w.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
}

// Hold makes requests wait for Server.Serve, instead of answering that the service is starting. The caller announces the service
// after it.
func (w *Web) Hold() { w.holding.Store(true) }

// Close closes the listeners and all connections.
func (w *Web) Close() error { return errors.Join(w.http.Close(), w.serving.Wait()) }

// serve passes requests to the handler of the service until ctx ends, and finishes the requests in progress.
func (w *Web) serve(ctx context.Context, service http.Handler) error {
	w.handler = service
	close(w.taken)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(w.serving.Wait)
	g.Go(func() error {
		<-ctx.Done()
		// ctx has ended, so draining needs a context of its own.
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := w.http.Shutdown(drain); err != nil {
			return errors.Join(fmt.Errorf("drain: %w", err), w.http.Close())
		}
		return nil
	})
	return g.Wait()
}

// ServeHTTP serves a request. Before Server.Serve only /healthz answers 200.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	select {
	case <-w.taken:
		w.handler.ServeHTTP(rw, r)
		return
	default:
	}
	status, body := http.StatusServiceUnavailable, `{"message":"503: Service Unavailable","code":0}`
	switch {
	case r.URL.Path == "/healthz":
		status, body = http.StatusOK, `{"status":"ok"}`
	case w.holding.Load():
		select {
		case <-w.taken:
			w.handler.ServeHTTP(rw, r)
		case <-r.Context().Done():
		}
		return
	case r.URL.Path == "/readyz":
		body = `{"status":"unavailable","reason":"starting"}`
	}
	rw.Header().Set("Content-Type", "application/json")
	if status != http.StatusOK {
		rw.Header().Set("Retry-After", "1")
	}
	rw.WriteHeader(status)
	_, _ = rw.Write([]byte(body)) // fails when the client is gone
}
