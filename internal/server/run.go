package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"golang.org/x/sync/errgroup"
)

// drainTime bounds how long requests in progress may take after the service stops accepting new ones.
const drainTime = 10 * time.Second

// TLSListener is a listener for TLS connections.
type TLSListener struct {
	net.Listener

	Certificate tls.Certificate
	// Files, if not nil, replaces Certificate with what the files contain.
	Files *CertificateFiles
	// ACME, if not nil, replaces Certificate with certificates that are issued automatically.
	ACME *ACME
	// Config, if not nil, replaces both.
	Config *tls.Config
}

// open returns the listener with bounded connections. It does not offer HTTP/2, over which net/http has no WebSockets.
func (l TLSListener) open() net.Listener {
	cfg := &tls.Config{NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	switch {
	case l.ACME != nil:
		l.ACME.configure(cfg)
	case l.Config != nil:
		cfg = l.Config.Clone()
		cfg.NextProtos, cfg.MinVersion = []string{"http/1.1"}, max(cfg.MinVersion, tls.VersionTLS12)
	case l.Files != nil:
		cfg.GetCertificate = func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return l.Files.Certificate(h.Context()), nil }
	default:
		cfg.Certificates = []tls.Certificate{l.Certificate}
	}
	return tls.NewListener(bounded(l.Listener, maxConnections, maxFromAddress), cfg)
}

// Run serves on ln and on the TLS listeners, as Serve does. Requests that come first wait for the service.
func (s *Server) Run(ctx context.Context, ln net.Listener, tlsListeners ...TLSListener) error {
	s.SetURL("http://" + ln.Addr().String())
	web := newWeb(s.log, s.writes)
	web.Hold()
	web.listen(ln, tlsListeners)
	return s.Serve(ctx, web)
}

// Serve serves until ctx ends or a worker fails. When it returns, web is closed, and no goroutine of the server runs any
// more, except those that Close ends.
func (s *Server) Serve(ctx context.Context, web *Web) error {
	web.http.RegisterOnShutdown(s.audit.StopFollowing)
	if s.dev != nil {
		web.http.RegisterOnShutdown(s.dev.Close)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{
		s.keepLease, s.takeOverWork, s.directory.Removals.Run, s.sealKeys, s.lobbies.Run, s.dispatch.Run, s.threads.Run, s.polls.Run, s.invites.Run, s.schedule.Run, s.hooks.Run, s.outbox.Run, s.retention.Run, s.attachments.Run, s.gateway.Run,
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
	err := errors.Join(s.oauth.SealKeys(ctx), s.directory.Applications.SealKeys(ctx))
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "cannot encrypt signing keys", "err", err)
	}
	return nil
}
