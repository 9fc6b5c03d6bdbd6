// Package server puts the service together, runs it and stops it.
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/announce"
	"github.com/bellhop/bellhop/internal/apiv10"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/console"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/oauthapi"
	"github.com/bellhop/bellhop/internal/oauthserver"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// Config says how the service runs.
type Config struct {
	Data  string       // folder of the database
	World *world.World // applied before the service is ready; nil: none
	Dev   bool         // dev controls and a movable clock
	// Volatile keeps the database where it is quick and not where it is safe: for tests, whose data nobody misses.
	Volatile bool
	Version  string
	Log      *slog.Logger
	// Limits says how often callers may ask.
	Limits ratelimit.Policy
	// Lobbies says whom lobbies take in and what keeps them open.
	Lobbies lobbies.Settings
	// PublicURL is the address under which people and clients reach the service, without a slash at its end; empty: that of
	// the listener, see At.
	PublicURL string
	// Postgres and Redis are the addresses of what nodes with the same state share; empty: this one is alone, and its
	// database is in the data folder.
	Postgres, Redis string
	// Upstream is the OpenID provider that vouches for people; without an issuer nobody does.
	Upstream Upstream
	// Attachments is the folder for files of messages, which nodes with the same state share; empty: one in the data folder.
	Attachments string
	// CacheBytes is how much memory states in use may take; 0: DefaultCacheBytes.
	CacheBytes int
}

// DatabaseFile is the name of the database in the data folder.
const DatabaseFile = "bellhop.db"

// attachmentsFolder is the name of the folder for files in the data folder.
const attachmentsFolder = "attachments"

// Server is the whole service. Open makes it, Run serves it, Close ends it.
type Server struct {
	// Applied tells what applying the world made: tokens that can be shown only now.
	Applied directory.Applied

	log       *slog.Logger
	store     store.Store
	cache     *cache.Cache
	shared    *shared // nil: no other node has the same state
	lease     *lease
	directory *directory.Directory
	tokens    *auth.Authenticator
	grants    *oauthserver.Grants
	commands  *registry.Registry
	picker    *permissions.Picker
	lobbies   *lobbies.Lobbies
	dispatch  *dispatch.Dispatch
	events    events.Bus
	endpoints *webhook.Deliverer
	// attachments are the files of messages.
	attachments *attachments.Attachments
	handler     http.Handler
	dev         *devtools.Dev // nil: no dev controls
	gateway     *gateway.Gateway
}

// Open opens the store and readies everything. The caller closes the server.
func Open(ctx context.Context, cfg Config) (_ *Server, err error) {
	var now clock.Clock = clock.System{}
	var movable *clock.Movable
	if cfg.Dev {
		movable = clock.NewMovable(now)
		now = movable
	}
	s := &Server{log: cfg.Log}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release(ctx))
		}
	}()
	if err := s.openStore(ctx, cfg, now); err != nil {
		return nil, err
	}
	db := s.store
	s.tokens = &auth.Authenticator{Store: db, Cache: s.cache, Clock: now}
	s.commands = registry.New(s.cache, now, s.lease.ids)
	s.directory = &directory.Directory{
		Store: db, Cache: s.cache, Clock: now, IDs: s.lease.ids, OnActivities: s.commands.Launch, Describe: announce.Events,
		Log: cfg.Log.With("part", "directory"),
	}
	s.tokens.Owners = s.directory
	s.lobbies = lobbies.New(lobbies.Config{
		Cache: s.cache, Clock: now, IDs: s.lease.ids, Log: cfg.Log.With("part", "lobbies"), Settings: cfg.Lobbies,
		Directory: s.directory, Events: &s.events, Connected: s.connected, Listening: s.listening,
		Posted: func(ctx context.Context, m *store.Message) { s.dispatch.Posted(ctx, m) },
	})
	s.grants = &oauthserver.Grants{
		Store: db, Clock: now, Directory: s.directory, Log: cfg.Log.With("part", "grants"), Issuer: cfg.PublicURL,
	}
	s.picker = &permissions.Picker{Directory: s.directory, Commands: s.commands, Clock: now}
	s.attachments, err = attachments.Open(cmp.Or(cfg.Attachments, filepath.Join(cfg.Data, attachmentsFolder)), attachments.Config{
		Shared: s.shared != nil && cfg.Attachments != "",
		Clock:  now, Log: cfg.Log.With("part", "attachments"), Base: strings.TrimSuffix(cfg.PublicURL, "/"),
		Referenced: func(ctx context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error) {
			return s.dispatch.Messages().FilesInUse(ctx, ids)
		},
	})
	if err != nil {
		return nil, err
	}
	if s.shared != nil && cfg.Attachments == "" {
		cfg.Log.WarnContext(ctx, "files of messages are kept in the data folder, where other nodes do not find them: see --attachments")
	}
	site, err := console.New(console.Settings{Dev: cfg.Dev, Version: cfg.Version, SignIn: oauthapi.SignInPath + "?next=%2F"})
	if err != nil {
		return nil, err
	}
	s.handler = front(site, s.edge(cfg, now, movable).Handler())
	s.directory.Dependents = []directory.Dependent{s.commands, s.lobbies, s.grants, s.dispatch.Messages()}
	// Other nodes reach into everything that was put together above.
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	if cfg.World != nil {
		if s.Applied, err = s.directory.Apply(ctx, *cfg.World); err != nil {
			return nil, fmt.Errorf("apply the world: %w", err)
		}
	}
	return s, nil
}

// front tells the pages of the console from the interface.
func front(site *console.Console, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site.Serves(r.URL.Path) {
			site.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// hasCommands reports whether an application has global commands.
func (s *Server) hasCommands(ctx context.Context, app snowflake.Application) (bool, error) {
	list, err := s.commands.Commands(ctx, command.Scope{Application: app})
	return len(list) > 0, err
}

// edge puts the REST edge together.
func (s *Server) edge(cfg Config, now clock.Clock, movable *clock.Movable) *apiv10.API {
	windows := ratelimit.NewMemory(cfg.Limits.Keys, now.Now())
	numbers := metrics.New(cfg.Version)
	s.carry(cfg, now, numbers)
	guards := limits(cfg.Limits, s.limiter(windows), now.Now())
	if s.shared != nil {
		numbers.Register(s.shared.collectors()...)
	}
	s.openDoors(cfg, now, guards.Guard, numbers)
	pages := s.pages(cfg, now)
	a := &apiv10.API{
		Frame: httpapi.Frame{
			Store: s.store, Cache: s.cache, Directory: s.directory, Tokens: s.tokens, Door: pages.Door, Interactions: s.dispatch, Attachments: s.attachments,
			Clock: now, Limits: guards, Metrics: numbers, Log: cfg.Log.With("part", "api"), Version: cfg.Version,
		},
		Commands: s.commands, Picker: s.picker, Lobbies: s.lobbies, Grants: s.grants, Pages: pages, Endpoints: s.endpoints,
		Gateway: s.gateway, IDs: s.lease.ids,
	}
	if cfg.Dev {
		var start world.World
		if cfg.World != nil {
			start = *cfg.World
		}
		s.dev.Desk = devtools.Desk{Directory: s.directory, Picker: s.picker}
		s.dev.Clock, s.dev.Start, s.dev.Interactions = movable, start, s.dispatch
		s.dev.BeforeMove = s.lease.extend
		s.dev.AfterReset = func() {
			s.dispatch.Forget()
			windows.Clear()
			a.Limits.Edge.Clear()
		}
		a.Dev = s.dev
	}
	return a
}

// carry readies what brings interactions to apps, and their answers back.
func (s *Server) carry(cfg Config, now clock.Clock, numbers *metrics.Metrics) {
	policy := webhook.Production()
	if cfg.Dev {
		policy = webhook.Development()
	}
	s.endpoints = webhook.New(webhook.Config{
		Clock: clock.System{}, Metrics: numbers, Log: cfg.Log.With("part", "webhook"), Policy: policy,
	})
	var webhooks dispatch.Deliverer = s.endpoints
	if cfg.Dev {
		s.dev = &devtools.Dev{}
		webhooks = &devtools.Recorder{Deliverer: s.endpoints, Requests: &s.dev.Requests, Clock: now, Wall: clock.System{}}
	}
	s.dispatch = dispatch.New(dispatch.Config{
		Cache: s.cache, Clock: now, Wall: clock.System{}, IDs: s.lease.ids, Directory: s.directory, Picker: s.picker,
		Webhooks: webhooks, Files: s.attachments, Events: &s.events, Metrics: numbers, Log: cfg.Log.With("part", "dispatch"),
		Linked: s.lobbies.Written,
		ActivityURL: func(app snowflake.Application, instance string) string {
			return s.grants.Issuer + "/api/v10/applications/" + app.String() + "/activity-instances/" + instance
		},
	})
}

// openDoors readies the gateway.
func (s *Server) openDoors(cfg Config, now clock.Clock, limits ratelimit.Guard, numbers *metrics.Metrics) {
	doors := gateway.Config{
		Directory: s.directory, Tokens: s.tokens, Bus: &s.events, Clock: now, Limits: limits, Metrics: numbers,
		Log: cfg.Log.With("part", "gateway"), URL: socketURL(cfg.PublicURL), Lobbies: s.gatewayLobbies(), Record: s.recorder(now),
		HasCommands: s.hasCommands,
	}
	if s.shared != nil {
		doors.Sessions = s.shared.sessions
	}
	s.gateway = gateway.New(doors)
}

// limits readies a policy for use.
func limits(p ratelimit.Policy, limiter ratelimit.Limiter, now time.Time) httpapi.Limits {
	return httpapi.Limits{
		Edge: ratelimit.NewEdge(p.Edge, now), Gate: ratelimit.NewGate(p.Gate),
		Guard: ratelimit.Guard{Policy: &p, Limiter: limiter},
	}
}

// socketURL returns the address of the gateway of a service that is reached at the given one; empty for none.
func socketURL(public string) string {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(public, "/"), "http")
	if !ok {
		return ""
	}
	return "ws" + rest + "/gateway/"
}

// Directory returns the people, places and apps of the service.
func (s *Server) Directory() *directory.Directory { return s.directory }

// At tells the service the address it is reached at, unless its configuration did. It is called before Run.
func (s *Server) At(base string) {
	if s.grants.Issuer == "" {
		s.grants.Issuer = base
		s.attachments.SetBase(base)
	}
}

// drainTime is how long requests under way have to finish once the service stops taking new ones.
const drainTime = 10 * time.Second

// Secured is a listener whose connections are encrypted.
type Secured struct {
	net.Listener

	Certificate tls.Certificate
}

// open returns the listener as the service uses it: bounded before anything is decrypted. HTTP/2 is not offered, over
// which no WebSocket can be opened.
func (s Secured) open() net.Listener {
	return tls.NewListener(bounded(s.Listener, maxConnections, maxFromAddress), &tls.Config{
		Certificates: []tls.Certificate{s.Certificate}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	})
}

// Run serves on ln, and on those that are secured, until ctx ends or a worker fails. When it returns, nothing of the server
// runs any more.
func (s *Server) Run(ctx context.Context, ln net.Listener, secured ...Secured) error {
	s.At("http://" + ln.Addr().String())
	g, ctx := errgroup.WithContext(ctx)
	web := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.With("part", "http").Handler(), slog.LevelWarn),
	}
	if s.dev != nil {
		web.RegisterOnShutdown(s.dev.Close) // streams and waits have no end of their own
	}
	g.Go(func() error { return s.stay(ctx) })
	g.Go(func() error { return s.watch(ctx) })
	g.Go(func() error { return s.directory.Run(ctx) })
	g.Go(func() error { return s.lobbies.Run(ctx) })
	g.Go(func() error { return s.dispatch.Run(ctx) })
	g.Go(func() error { return s.attachments.Run(ctx) })
	g.Go(func() error { return s.gateway.Run(ctx) })
	g.Go(func() error { return s.grants.Run(ctx) })
	listeners := []net.Listener{bounded(ln, maxConnections, maxFromAddress)}
	for _, sec := range secured {
		listeners = append(listeners, sec.open())
	}
	for _, ln := range listeners {
		g.Go(func() error {
			if err := web.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	g.Go(func() error {
		<-ctx.Done()
		// The context that ended is the reason to drain; draining needs time of its own.
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := web.Shutdown(drain); err != nil {
			return errors.Join(fmt.Errorf("drain: %w", err), web.Close())
		}
		return nil
	})
	return g.Wait()
}

// Close gives the node number back and closes the store.
func (s *Server) Close(ctx context.Context) error {
	s.endpoints.Close()
	return s.release(ctx)
}
