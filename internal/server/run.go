package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/sync/errgroup"
)

// drainTime bounds how long requests in progress may take after the service stops accepting new ones.
const drainTime = 10 * time.Second

// TLSListener is a listener for TLS connections.
type TLSListener struct {
	net.Listener

	Config *tls.Config // with a certificate
	// Handler adds the answers to the challenges of a certificate authority to the handler of all listeners; nil: there are none.
	Handler func(next http.Handler) http.Handler
}

// open returns the listener with bounded connections. It does not offer HTTP/2, over which net/http has no WebSockets.
func (l TLSListener) open() net.Listener {
	cfg := l.Config.Clone()
	cfg.MinVersion = max(cfg.MinVersion, tls.VersionTLS12)
	cfg.NextProtos = []string{"http/1.1"}
	if slices.Contains(l.Config.NextProtos, acme.ALPNProto) {
		cfg.NextProtos = append(cfg.NextProtos, acme.ALPNProto)
	}
	return tls.NewListener(bounded(l.Listener, maxConnections, maxFromAddress), cfg)
}

// Run serves on ln and on the TLS listeners, as Serve does. Requests that come first wait for the service.
func (s *Server) Run(ctx context.Context, ln net.Listener, tlsListeners ...TLSListener) error {
	s.SetURL("http://" + ln.Addr().String())
	web := newWeb(s.log, s.writes, s.oauth.Issuer)
	web.Hold()
	web.listen(ln, tlsListeners)
	return s.Serve(ctx, web)
}

// Serve serves until ctx ends or a worker fails. When it returns, web is closed, and no goroutine of the server runs any
// more, except those that Close ends.
func (s *Server) Serve(ctx context.Context, web *Web) error {
	web.http.RegisterOnShutdown(s.audit.StopFollowing)
	web.http.RegisterOnShutdown(s.lobbies.Search.StopWatches)
	if s.dev != nil {
		web.http.RegisterOnShutdown(s.dev.Close)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{
		s.keepLease, s.takeOverWork, s.directory.Removals.Run, s.sealKeys, s.lobbies.Run, s.dispatch.Run, s.threads.Run, s.polls.Run, s.invites.Run, s.schedule.Run, s.premium.Run, s.hooks.Run, s.outbox.Run, s.retention.Run, s.attachments.Run, s.gateway.Run,
		s.oauth.Run, s.players.Run, s.activity.Run, s.audit.Run, s.audit.RunSealing, s.metrics.run, s.returnMemory, s.shedEvents, s.tracer.Run,
	} {
		g.Go(func() error { return run(ctx) })
	}
	g.Go(func() error { return web.serve(ctx, s.handler) })
	return g.Wait()
}

// sealKeys encrypts the signing keys that are not encrypted with the current encryption key. If it fails, the keys stay as they
// are until the next start.
func (s *Server) sealKeys(ctx context.Context) error {
	err := errors.Join(s.oauth.SealKeys(ctx), s.sealer.SealApplicationKeys(ctx, s.store), s.hookKey.Reseal(ctx))
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "cannot encrypt signing keys", "err", err)
	}
	return nil
}
