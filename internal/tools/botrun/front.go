package botrun

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// discordHosts are the domains of Discord's API, gateway, CDN and media proxy. Their subdomains belong to them.
var discordHosts = []string{"discord.com", "discordapp.com", "discord.gg", "discordapp.net", "discord.media", "discord.co"}

// gatewayHost is the domain of gateways. Its requests have no path.
const gatewayHost = "discord.gg"

// isDiscord reports whether a host name is one of Discord's.
func isDiscord(host string) bool { return domainOf(host) != "" }

func domainOf(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, domain := range discordHosts {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return domain
		}
	}
	return ""
}

// front answers as Discord's hosts, and forwards requests to a service on this machine. It listens on three ports: one for TLS
// connections, and two for programs that use it as a proxy, over HTTP and over SOCKS.
type front struct {
	tls, proxy, socks net.Listener

	authority *authority
	forward   *httputil.ReverseProxy
	refused   func(host string)

	mu    sync.Mutex
	hosts map[string]bool // that refused was called with
}

// newFront opens the ports of a front for the service at a URL. refused is called once for each host that a program asks for and that
// is not one of Discord's.
func newFront(ctx context.Context, service string, now time.Time, refused func(host string)) (*front, error) {
	target, err := url.Parse(service)
	if err != nil {
		return nil, err
	}
	f := &front{refused: refused, hosts: map[string]bool{}}
	if f.authority, err = newAuthority(now); err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	for _, l := range []*net.Listener{&f.tls, &f.proxy, &f.socks} {
		if *l, err = lc.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	f.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if domainOf(hostOf(r.In)) == gatewayHost {
				r.Out.URL.Path, r.Out.URL.RawPath = "/gateway/", ""
			}
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}, // not over a proxy
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "bellhop run: "+err.Error(), http.StatusBadGateway)
		},
	}
	return f, nil
}

// close closes the ports that are open.
func (f *front) close() (err error) {
	for _, l := range []net.Listener{f.tls, f.proxy, f.socks} {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return err
}

const headerTimeout = 30 * time.Second

// discarded drops the messages of the servers: clients that end a connection early are no news.
var discarded = log.New(io.Discard, "", 0)

// Serve answers until ctx ends.
func (f *front) Serve(ctx context.Context) error {
	secure := &http.Server{
		Handler: http.HandlerFunc(f.answer), ReadHeaderTimeout: headerTimeout, ErrorLog: discarded,
		TLSConfig: &tls.Config{GetCertificate: f.authority.forHost, MinVersion: tls.VersionTLS12},
	}
	plain := &http.Server{Handler: http.HandlerFunc(f.serveProxy), ReadHeaderTimeout: headerTimeout, ErrorLog: discarded}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return secure.ServeTLS(f.tls, "", "") })
	g.Go(func() error { return plain.Serve(f.proxy) })
	g.Go(func() error { return f.serveSOCKS(ctx) })
	g.Go(func() error {
		<-ctx.Done()
		return errors.Join(secure.Close(), plain.Close(), f.socks.Close(), http.ErrServerClosed)
	})
	if err := g.Wait(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Open starts a front for the service at a URL. It returns the variables that make a program use it, and a function that ends it.
// environment has the variables that the program would have otherwise.
func Open(
	ctx context.Context, service string, now time.Time, environment []string, refused func(host string),
) (env []string, end func() error, err error) {
	folder, err := os.MkdirTemp("", "bellhop-run-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	f, err := newFront(ctx, service, now, refused)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	env, err = f.redirect(folder, environment)
	if err != nil {
		return nil, nil, errors.Join(err, f.close(), remove())
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the bot is stopped first
	served := make(chan error, 1)
	go func() { served <- f.Serve(running) }()
	return env, sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-served, remove())
	}), nil
}

// hostOf returns the host name of a request, without the port. That of a TLS connection is the one in the greeting of the client.
func hostOf(r *http.Request) string {
	if r.TLS != nil && r.TLS.ServerName != "" {
		return r.TLS.ServerName
	}
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

// answer serves a request for a host.
func (f *front) answer(w http.ResponseWriter, r *http.Request) {
	host := hostOf(r)
	if !isDiscord(host) {
		f.refuse(w, host)
		return
	}
	f.forward.ServeHTTP(w, r)
}

// refuse answers that the host is not one of Discord's.
func (f *front) refuse(w http.ResponseWriter, host string) {
	f.report(host)
	http.Error(w, fmt.Sprintf("bellhop run connects a bot with Discord's hosts only, not with %s", host), http.StatusForbidden)
}

// report says that a host was refused, once for each host.
func (f *front) report(host string) {
	f.mu.Lock()
	first := !f.hosts[host] && len(f.hosts) < maxHosts
	if first {
		f.hosts[host] = true
	}
	f.mu.Unlock()
	if first {
		f.refused(host)
	}
}

// serveProxy serves a client that uses the front as a proxy. A tunnel to any host ends at the TLS port, which knows the host by the
// client's greeting.
func (f *front) serveProxy(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		f.answer(w, r)
		return
	}
	if host := r.URL.Hostname(); !isDiscord(host) {
		f.refuse(w, host)
		return
	}
	var dialer net.Dialer
	end, err := dialer.DialContext(r.Context(), "tcp", f.tls.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = end.Close() }() // nothing was buffered
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // HTTP/2 is not served here
	}
	defer func() { _ = client.Close() }()
	join(client, buffered, end)
}

// join passes data between a client and the other end of its tunnel until either side closes its connection. sent reads what the
// client sends.
func join(client net.Conn, sent io.Reader, end net.Conn) {
	go func() {
		_, _ = io.Copy(end, sent)
		_ = end.Close()
	}()
	_, _ = io.Copy(client, end)
}
