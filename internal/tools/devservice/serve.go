package devservice

import (
	"context"
	"errors"
	"net"

	"github.com/bellhop/bellhop/internal/server"
)

// Serve opens a service for development, which has what package bellhop does not offer, calls ready with its URL, and runs it until
// ctx ends. While the service is opened, it answers that it is starting. Serve closes the listeners.
func Serve(
	ctx context.Context, cfg server.Config, ln net.Listener, tlsListeners []server.TLSListener, ready func(base string, srv *server.Server) error,
) (err error) {
	web := server.Listen(cfg, ln, tlsListeners...)
	defer func() { _ = web.Close() }() // Serve has closed it, unless the start failed
	srv, err := server.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	if err := srv.CheckKeys(ctx); err != nil {
		return err
	}
	base := "http://" + ln.Addr().String()
	srv.SetURL(base)
	web.Hold()
	if err := ready(base, srv); err != nil {
		return err
	}
	return srv.Serve(ctx, web)
}
