package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is the path of the protocol over HTTP.
const Path = "/mcp"

// ServeStreams serves the protocol over streams, until in or ctx ends. Close ends the calls that still run.
func (t *Toolbox) ServeStreams(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	s, err := t.Server()
	if err != nil {
		return err
	}
	err = s.Run(ctx, &sdk.IOTransport{Reader: in, Writer: unclosed{out}})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the user has ended the program
	}
	return err
}

// unclosed is a writer that the protocol cannot close.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }

// Bounds of the HTTP server.
const (
	headerTimeout = 10 * time.Second
	stopTimeout   = 5 * time.Second
	maxCall       = 8 << 20 // bytes of a request
)

// Serve serves the protocol over HTTP until ctx ends, which ends the calls that run too. An empty token admits all requests of this
// machine.
func (t *Toolbox) Serve(ctx context.Context, ln net.Listener, token string) error {
	handler, err := t.Handler(token)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		t.calls.close()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if web.Shutdown(ending) != nil {
			stopped <- web.Close() // a client keeps its connection busy
			return
		}
		stopped <- nil
	}()
	if err := web.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// Handler returns the protocol over HTTP at Path. A request has no session: all clients share the service and the bot.
func (t *Toolbox) Handler(token string) (http.Handler, error) {
	s, err := t.Server()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(Path, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	return guard(token, http.MaxBytesHandler(mux, maxCall)), nil
}

// guard admits the requests of programs. A page in a browser could reach a service on this machine through a name of its own (DNS
// rebinding) or from its own origin: Host must name this machine unless there is a token, and Origin must be absent or the same host.
func guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch origin := r.Header.Get("Origin"); {
		case origin != "" && !sameHost(origin, r.Host):
			http.Error(w, "requests of other origins are refused", http.StatusForbidden)
		case token == "" && !isLoopback(r.Host):
			http.Error(w, "the host must be a loopback address", http.StatusForbidden)
		case token != "" && subtle.ConstantTimeCompare([]byte(sent), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// sameHost reports whether an origin has a host, as the header Host has it.
func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// isLoopback reports whether the header Host names this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
