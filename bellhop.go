// Package bellhop is the service as a library: a program that embeds it has commands, lobbies, messages and the gateway under its
// own mux, with its own logger, metrics and listener.
//
//	srv, err := bellhop.New(bellhop.Config{Data: "data", PublicURL: "https://game.example/chat"})
//	if err != nil {
//		return err
//	}
//	defer srv.Close()
//	mux.Handle("/chat/", srv.Handler())
//	go http.ListenAndServe(":8080", mux)
//	return srv.Run(ctx)
//
// The package has no global state: a process can run several servers with folders of their own. docs/embedding.md has the whole
// path, ARCHITECTURE.md says where everything is.
package bellhop

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"sync"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/secrets"
)

// Documentation holds the sources of the documentation: Markdown, pictures, and docs/nav.yaml, which is the order of the
// pages.
//
//go:embed ARCHITECTURE.md CONTRIBUTING.md SECURITY.md docs/*.md docs/*/*.md docs/nav.yaml docs/diagrams/*
var Documentation embed.FS

// Server is a service. It is safe for concurrent use. The caller closes it.
type Server struct {
	node *server.Server
	web  *server.Web
	url  string

	ctx   context.Context //nolint:containedctx // it ends with Close, for the connections that New opens and for Run
	stop  context.CancelFunc
	close func() error // closes once

	mu      sync.Mutex
	started bool
	runs    sync.WaitGroup // calls of Run
}

// ErrRunning is the error of a second call of Server.Run.
var ErrRunning = errors.New("bellhop: the server runs already, or was closed")

// New opens a service. It creates the data folder, brings the database up to date and applies the world file. The first start
// writes the token of an operator to the file operator-token in the data folder, and secrets that the world file does not name to
// new-secrets. Listeners of the configuration answer from now on: /healthz with 200, other paths when Run has begun. They belong to
// the server: after an error they are closed too.
func New(cfg Config) (_ *Server, err error) {
	defer func() {
		if err != nil {
			cfg.closeListeners()
		}
	}()
	internal, err := cfg.internal()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background()) //nolint:forbidigo // Close ends it
	s := &Server{ctx: ctx, stop: stop}
	s.close = sync.OnceValue(s.end)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	s.web = server.Listen(internal, cfg.Listener, cfg.tls()...)
	if s.node, err = server.Open(ctx, internal); err != nil {
		return nil, err
	}
	if err := s.node.CheckKeys(ctx); err != nil {
		return nil, err
	}
	if s.url = cfg.url(); s.url != "" {
		s.node.SetURL(s.url)
	}
	if err := secrets.Save(ctx, cfg.Data, secrets.Reveal(s.node.Applied), internal.Log); err != nil {
		return nil, err
	}
	if err := s.createFirstOperator(cfg, internal); err != nil && (!s.node.ReadOnly() || !errors.Is(err, store.ErrUnavailable)) {
		return nil, err
	}
	s.web.Hold()
	return s, nil
}

// createFirstOperator creates a token for the operator if there is none, and saves it in the data folder.
func (s *Server) createFirstOperator(cfg Config, internal server.Config) error {
	token, err := s.node.CreateFirstOperator(s.ctx)
	if err != nil || token == "" {
		return err
	}
	path, err := secrets.SaveOperator(cfg.Data, token)
	if err != nil {
		return err
	}
	internal.Log.InfoContext(s.ctx, "the operator's token is in a file", "path", path)
	return nil
}

// Handler returns the handler of all that the service serves: the API, the gateway, sign-in, the console and the documentation.
// It works on any mux. Below a path, Config.PublicURL has that path, and the mux may remove it from requests or not. Requests
// wait until Run has begun.
func (s *Server) Handler() http.Handler { return s.web }

// URL returns the URL of the service: Config.PublicURL, or that of a listener of the configuration. It is empty without both.
func (s *Server) URL() string { return s.url }

// Run does the work of the service until ctx ends, Close is called or a part of the service fails: it serves the listeners of
// the configuration, delivers interactions and events, and ends what falls due. Then it finishes the requests of these listeners,
// for up to 10 seconds. It is called once.
func (s *Server) Run(ctx context.Context) error {
	s.mu.Lock()
	if s.started || s.ctx.Err() != nil {
		s.mu.Unlock()
		return ErrRunning
	}
	s.started = true
	s.runs.Add(1)
	s.mu.Unlock()
	defer s.runs.Done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)() //nolint:contextcheck // ctx also ends with Close
	return s.node.Serve(ctx, s.web)
}

// Close ends Run, closes the listeners of the configuration and the store, and leaves nothing behind: no goroutine, connection,
// file or metric. The caller first shuts down its own HTTP server. Further calls return the same error.
func (s *Server) Close() error { return s.close() }

// end closes the server.
func (s *Server) end() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.runs.Wait()
	var errs []error
	if s.web != nil {
		errs = append(errs, s.web.Close())
	}
	if s.node != nil {
		errs = append(errs, s.node.Close(s.ctx))
	}
	return errors.Join(errs...)
}
