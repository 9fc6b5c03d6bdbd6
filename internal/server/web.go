package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"golang.org/x/sync/errgroup"
)

// Web is the HTTP server of the service. It answers probes before the service is open, and serves the service from Server.Serve on.
type Web struct {
	http    *http.Server
	serving errgroup.Group // one goroutine for each listener

	below   http.Handler // answer, below the path of the service
	holding atomic.Bool
	closed  chan struct{} // closed by end
	end     func()
	taken   chan struct{} // closed when handler is set
	handler http.Handler  // of the service
}

// Listen serves on ln, which may be nil, and on the TLS listeners. The caller calls Serve of the service, or Close.
func Listen(cfg Config, ln net.Listener, tlsListeners ...TLSListener) *Web {
	w := newWeb(cfg.Log, cmp.Or(cfg.WriteTimeout, defaultWriteTimeout), cfg.PublicURL)
	w.listen(ln, tlsListeners)
	return w
}

// newWeb returns a server without listeners, for a service with a URL.
func newWeb(log *slog.Logger, writes time.Duration, public string) *Web {
	w := &Web{closed: make(chan struct{}), taken: make(chan struct{})}
	w.below = belowPath(public, http.HandlerFunc(w.answer))
	w.end = sync.OnceFunc(func() { close(w.closed) })
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
		if l.Handler != nil {
			w.http.Handler = l.Handler(w.http.Handler)
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

// Close closes the listeners and all connections. Requests that still wait are answered.
func (w *Web) Close() error {
	w.end()
	return errors.Join(w.http.Close(), w.serving.Wait())
}

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

// belowPath returns a handler that removes the path of the URL of a service from requests that have it. So the service works below
// a path, whether the mux or the proxy in front of it removes the path or not.
func belowPath(public string, next http.Handler) http.Handler {
	u, err := url.Parse(public)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return next
	}
	prefix := "/" + strings.Trim(u.Path, "/")
	strip := http.StripPrefix(prefix, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == prefix, r.URL.Path == "":
			http.Redirect(w, r, api.BasePath(public)+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, prefix+"/"):
			strip.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP serves a request. Before Server.Serve only /healthz answers 200.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.below.ServeHTTP(rw, r) }

// answer serves a request without the path of the service.
func (w *Web) answer(rw http.ResponseWriter, r *http.Request) {
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
			return
		case <-r.Context().Done():
			return
		case <-w.closed:
		}
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
