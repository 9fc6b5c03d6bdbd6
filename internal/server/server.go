// Package server builds the service from its parts, runs it and stops it.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/api/dev"
	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/console"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/docsite"
	"github.com/bellhop/bellhop/internal/eventhook"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/premium"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/retention"
	"github.com/bellhop/bellhop/internal/roleconnections"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/prometheus/client_golang/prometheus"
)

// Config configures the service. Clock, Version and Log are required.
type Config struct {
	Clock clock.Clock // time of the machine; with Postgres the time of the service is that of the server
	Data  string      // folder of the database
	// AllIntents switches the privileged intents on for new applications that do not list their own.
	AllIntents bool
	World      *world.World // applied before the service is ready; nil: none
	WorldFile  *world.File  // like World
	Dev        bool         // dev controls and a movable clock
	// AnyBotToken takes unknown bot tokens for that of the first application of World. It needs Dev.
	AnyBotToken bool
	// DevToken is the token with which other machines use the console and the dev controls; empty: they cannot.
	DevToken auth.Secret
	// Traffic receives every request, delivery and gateway payload as a line of JSON; nil: none. It needs Dev.
	Traffic io.Writer
	// Volatile trades durability for speed, for tests: a crash of the machine loses data.
	Volatile bool
	Version  string
	Log      *slog.Logger
	Limits   ratelimit.Policy
	Lobbies  lobbies.Settings
	// Restored is called after the dev controls have restored the world that the service started with. It may be nil.
	Restored func(ctx context.Context)
	// PublicURL is the URL at which browsers and clients reach the service, without a slash at its end; empty: that of
	// the listener, see SetURL.
	PublicURL string
	// AllowHosts are host names under which the service answers with dev controls, in addition to loopback hosts, the
	// host of PublicURL and the address that a client has connected to.
	AllowHosts []string
	// HSTS is the time for which browsers use only https for the host of the service (RFC 6797); 0: the service does not say.
	// It needs https, and no dev controls: their certificates are for localhost.
	HSTS time.Duration
	// AllowOrigins are the origins of web pages, such as https://game.example, that may use the service in addition to
	// its own.
	AllowOrigins []string
	// Postgres and Redis are the URLs of the servers that all nodes share; empty: this is the only node, and its
	// database is in the data folder.
	Postgres, Redis string
	// EncryptionKey encrypts the keys that sign ID tokens, deliveries and the URLs of files, as auth.NewSealer describes; empty:
	// see KeyFile.
	EncryptionKey auth.Secret
	// KeyFile makes a service without EncryptionKey and Postgres use the file auth.KeyFileName in the data folder, which it
	// creates. Without KeyFile such keys are not encrypted.
	KeyFile bool
	// RefreshIdle is the time for which an OAuth2 refresh token is valid without being used; 0: 30 days.
	RefreshIdle time.Duration
	// SessionIdle is the time after which a session of a browser ends that is not used; 0: never before its absolute end.
	SessionIdle time.Duration
	// Providers are the OpenID providers at which users and operators sign in, as idp.Check accepts them.
	Providers []idp.Provider
	// Attachments is the folder for files of messages, which all nodes share; empty: a folder in the data folder.
	Attachments string
	// Ended is called for each interaction that has its first answer or failed. It does not block; nil: no call.
	Ended func(Ended)
	// MetricsListener serves the metrics to everyone who can reach it, instead of /metrics for operators; nil: none. Run
	// closes it.
	MetricsListener net.Listener
	// WriteTimeout bounds how long a client may take to read a response; 0: one minute. Streams have bounds of their own.
	WriteTimeout time.Duration
	// Quota bounds the files of applications and guilds.
	Quota messages.Quota
	// MaxMessages bounds the messages of a channel. The oldest ones are removed; 0: no bound.
	MaxMessages int
	// Audit configures the audit log.
	Audit audit.Settings
	// AcceptDataLoss opens a SQLite database whose write-ahead log is damaged. The commits behind the damage are lost.
	AcceptDataLoss bool
	// LogLevel is the level of Log, which operators can change. nil: they cannot.
	LogLevel *slog.LevelVar
	// LogDropped returns how many lines of the log were lost because the log was not read. nil: none.
	LogDropped func() uint64
	// Registry also gets the metrics of the service, until Close; nil: none.
	Registry prometheus.Registerer
	// Hooks are called before something happens, and after it is durable.
	Hooks []hooks.Hook
	// RemoteHooks are hooks over HTTP.
	RemoteHooks []remote.Target
	// Docs has the sources of the documentation, which the service then serves; nil: it has none.
	Docs fs.FS
	// OTLP is the URL of an OpenTelemetry collector that gets the traces; empty: there are none.
	OTLP string
	// Memory is the highest use of memory of the process, in bytes; 0: DefaultMemory. The sizes of all caches are
	// derived from it.
	Memory int64
}

// defaultWriteTimeout is the default of Config.WriteTimeout.
const defaultWriteTimeout = time.Minute

// Ended describes an interaction that has its first answer, or that failed.
type Ended = dispatch.Ended

// DatabaseFile is the name of the database file in the data folder.
const DatabaseFile = "bellhop.db"

// Server is the whole service. Open makes it, Run or Serve serves it, Close ends it.
type Server struct {
	// Applied holds the tokens that were made for the world of the configuration. They cannot be read later.
	Applied provision.Applied

	tracer      *metrics.Tracer // nil: no traces
	log         *slog.Logger
	wall        clock.Clock    // time of the machine
	clock       clock.Clock    // time of the service
	synced      *clock.Synced  // time of PostgreSQL, which the clocks of all nodes follow; nil: this is the only node
	movable     *clock.Movable // the same as clock with dev controls, else nil
	store       store.Store
	cache       *cache.Cache
	shared      *shared // nil: this is the only node
	lease       *lease
	sealer      *auth.Sealer // nil: keys are not encrypted
	audit       *audit.Log
	directory   *directory.Directory
	provision   *provision.Provisioner
	tokens      *auth.Authenticator
	oauth       *oauth.Server
	players     *provisional.Accounts
	commands    *registry.Registry
	picker      *permissions.Picker
	lobbies     *lobbies.Lobbies
	messages    *messages.Messages
	hooks       *channelhook.Webhooks
	guilds      *guilds.Guilds
	activity    *guilds.Activity
	channels    *channels.Channels
	invites     *invites.Invites
	schedule    *guilds.Schedule // of scheduled events
	premium     *premium.Premium
	connections *roleconnections.Connections // of roles
	threads     *threads.Threads
	retention   *retention.Trimmer
	polls       *polls.Polls
	outbox      *outbox.Outbox
	callbacks   *hooks.Hooks // nil: none
	remoteHooks *remote.Caller
	hookKey     *remote.Key
	appEvents   *eventhook.Webhooks
	figures     *metrics.Metrics
	dispatch    *dispatch.Dispatch
	events      events.Bus
	webhooks    *webhook.Deliverer
	attachments *attachments.Files
	images      *images.Images
	gateway     *gateway.Gateway
	health      *admin.Health
	dev         *dev.API      // nil: no dev controls
	writes      time.Duration // how long a client may take to read a response
	handler     http.Handler
	unregister  func()         // removes the metrics from Config.Registry; may be nil
	metrics     *metricsServer // nil: the main listener serves the metrics
}

// Open opens the store and builds the service. The caller closes the server.
func Open(ctx context.Context, cfg Config) (_ *Server, err error) {
	cfg.Log = slog.New(api.LogRequestIDs(cfg.Log.Handler()))
	cfg.WriteTimeout = cmp.Or(cfg.WriteTimeout, defaultWriteTimeout)
	s := &Server{log: cfg.Log, wall: cfg.Clock, clock: cfg.Clock, writes: cfg.WriteTimeout}
	if cfg.Postgres != "" {
		s.synced = clock.NewSynced(cfg.Clock)
		s.clock = s.synced
	}
	if cfg.Dev {
		s.movable = clock.NewMovable(s.clock)
		s.clock = s.movable
	}
	if cfg.OTLP != "" {
		s.tracer = metrics.NewTracer(cfg.OTLP, "bellhop", cfg.Clock, cfg.Log.With("part", "traces"))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release(ctx))
		}
	}()
	if s.sealer, err = newSealer(cfg.EncryptionKey); err != nil {
		return nil, err
	}
	if err := s.openStore(ctx, cfg); err != nil {
		return nil, err
	}
	if err := s.openKey(ctx, cfg); err != nil {
		return nil, err
	}
	if err := s.buildServices(ctx, cfg); err != nil {
		return nil, err
	}
	site, err := console.New(console.Settings{
		Dev: cfg.Dev, Version: cfg.Version, SignIn: oauthapi.SignInPath + "?next=%2F", OperatorSignIn: operatorLinks(cfg.Providers),
	})
	if err != nil {
		return nil, err
	}
	origins, err := newOrigins(cfg)
	if err != nil {
		return nil, err
	}
	rest, err := s.buildHandler(cfg, origins)
	if err != nil {
		return nil, err
	}
	var gate *api.DevGate
	if s.dev != nil {
		gate = s.dev.Gate
	}
	s.handler = withConsole(site, cfg.site(), gate, rest)
	if cfg.Dev {
		s.handler = withHostCheck(origins, s.handler, cfg.Log.With("part", "http"))
	}
	if cfg.HSTS > 0 && !cfg.Dev {
		s.handler = withHSTS(cfg.HSTS, strings.HasPrefix(cfg.PublicURL, "https:"), s.handler)
	}
	// The other nodes use everything that was built above, so join them last.
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	if err := s.announceHooks(ctx, cfg); err != nil {
		return nil, err
	}
	if err := s.applyFirstWorld(ctx, cfg); err != nil {
		return nil, err
	}
	return s, nil
}

// applyFirstWorld applies the world of the configuration, if there is one. A store that is read-only keeps what it has.
func (s *Server) applyFirstWorld(ctx context.Context, cfg Config) (err error) {
	if cfg.World == nil && cfg.WorldFile == nil {
		return nil
	}
	s.Applied, err = s.applyWorld(ctx, cfg)
	if err != nil && s.ReadOnly() {
		cfg.Log.ErrorContext(ctx, "the world file is not applied", "err", err)
	} else if err != nil {
		return fmt.Errorf("apply the world: %w", err)
	}
	if s.dev != nil {
		s.dev.Made = s.Applied.BotTokens
	}
	return nil
}

// site returns the pages of the documentation, or nil.
func (c Config) site() *docsite.Site {
	if c.Docs == nil {
		return nil
	}
	return docsite.New(c.Docs)
}

// openKey opens the file with the encryption key of a single node, unless the configuration names a key.
func (s *Server) openKey(ctx context.Context, cfg Config) (err error) {
	switch {
	case cfg.EncryptionKey != "" || !cfg.KeyFile:
	case cfg.Postgres != "":
		cfg.Log.WarnContext(ctx, "signing keys are not encrypted: set BELLHOP_ENCRYPTION_KEY to the same key on all nodes")
	default:
		s.sealer, err = s.openKeyFile(ctx, cfg)
	}
	return err
}

// applyWorld applies the world of the configuration. Applying it twice is the same as applying it once.
func (s *Server) applyWorld(ctx context.Context, cfg Config) (applied provision.Applied, err error) {
	apply := func() (err error) {
		if cfg.WorldFile == nil {
			applied, err = s.provision.Apply(ctx, *cfg.World)
		} else {
			applied, err = s.provision.ApplyFile(ctx, cfg.WorldFile, func(int, int) {})
		}
		return err
	}
	return applied, s.atStart(ctx, apply)
}

// CreateFirstOperator creates the token of the first operator. It returns an empty token if there is an operator.
func (s *Server) CreateFirstOperator(ctx context.Context) (token auth.Secret, err error) {
	err = s.atStart(ctx, func() (err error) {
		token, err = s.Operators().CreateFirst(ctx)
		return err
	})
	return token, err
}

// atStart uses the store at the start of the service. It tries again while a shared store is not available: PostgreSQL can
// be slow when many nodes start.
func (s *Server) atStart(ctx context.Context, do func() error) error {
	if s.shared == nil {
		return do()
	}
	return whileUnavailable(ctx, s.log, s.wall, do)
}

// Bounds on whileUnavailable.
const (
	unavailableTries = 10
	unavailablePause = time.Second
)

// whileUnavailable calls a function again while it returns store.ErrUnavailable, with pauses and a bounded number of
// times.
func whileUnavailable(ctx context.Context, log *slog.Logger, wall clock.Clock, do func() error) (err error) {
	for range unavailableTries {
		if err = do(); !errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		log.WarnContext(ctx, "the store is not available, trying again", "err", err)
		clock.Wait(ctx, wall, unavailablePause)
	}
	return err
}

// CheckOrigins checks host names and origins for Config.AllowHosts and Config.AllowOrigins.
func CheckOrigins(hosts, origins []string) error {
	_, err := api.NewOrigins(hosts, origins)
	return err
}

// newOrigins returns the hosts and pages of a configuration.
func newOrigins(cfg Config) (*api.Origins, error) {
	hosts, pages := cfg.AllowHosts, cfg.AllowOrigins
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Host != "" {
		hosts, pages = append(slices.Clip(hosts), u.Host), append(slices.Clip(pages), u.Scheme+"://"+u.Host)
	}
	return api.NewOrigins(hosts, pages)
}

// hostRefused is the answer to requests under other host names.
const hostRefused = `{"message":"403: The service has dev controls and does not answer under this host name: see --allow-host","code":0}`

// withHostCheck returns a handler that answers 403 to requests under host names that the service does not serve.
func withHostCheck(origins *api.Origins, next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origins.ServesHost(r) {
			next.ServeHTTP(w, r)
			return
		}
		log.WarnContext(r.Context(), "host not allowed", "host", r.Host[:min(len(r.Host), 256)], "address", r.RemoteAddr)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(hostRefused)) // fails when the client is gone
	})
}

// withHSTS returns a handler that adds Strict-Transport-Security to the responses over TLS. With behindTLS, a proxy in front of
// the service has ended TLS.
func withHSTS(life time.Duration, behindTLS bool, next http.Handler) http.Handler {
	value := []string{fmt.Sprintf("max-age=%d", int64(life.Seconds()))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil || behindTLS {
			w.Header()["Strict-Transport-Security"] = value
		}
		next.ServeHTTP(w, r)
	})
}

// withConsole returns a handler that serves the paths of the console from site, the documentation, and all other paths from
// rest. The requests for the console pass the gate.
func withConsole(site *console.Console, docs *docsite.Site, gate *api.DevGate, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case site.Serves(r.URL.Path) && !gate.Passes(w, r):
			gate.Refuse(w)
		case site.Serves(r.URL.Path):
			site.ServeHTTP(w, r)
		case docs.Serves(r.URL.Path):
			docs.ServeHTTP(w, r)
		default:
			rest.ServeHTTP(w, r)
		}
	})
}

// ReadOnly reports whether the database accepted no writes when the service was opened, and has not since.
func (s *Server) ReadOnly() bool { return s.lease.waiting.Load() }

// ready returns nil if the service can read and write.
func (s *Server) ready(ctx context.Context) error {
	if err := s.store.Ping(ctx); err != nil {
		return err
	}
	return s.lease.probe(ctx)
}

// Directory returns the users, guilds, channels and applications of the service.
func (s *Server) Directory() *directory.Directory { return s.directory }

// Tokens returns the service that creates tokens.
func (s *Server) Tokens() credentials.Tokens {
	return credentials.Tokens{Directory: s.directory, Clock: s.clock}
}

// Operators returns the service that keeps the credentials of operators.
func (s *Server) Operators() credentials.Operators {
	return credentials.Operators{Directory: s.directory, Clock: s.clock}
}

// Provision returns what writes worlds to the directory.
func (s *Server) Provision() *provision.Provisioner { return s.provision }

// CheckKeys returns an error if stored signing keys cannot be decrypted.
func (s *Server) CheckKeys(ctx context.Context) error {
	return s.atStart(ctx, func() error {
		return errors.Join(s.oauth.CheckKeys(ctx), s.sealer.CheckApplicationKeys(ctx, s.store), s.hookKey.Check(ctx))
	})
}

// SetURL sets the URL of the service, unless the configuration has one. It is called before Run and Serve.
func (s *Server) SetURL(base string) {
	if s.oauth.Issuer == "" {
		s.oauth.Issuer = base
		s.attachments.SetBase(base)
	}
}

// gatewayURL returns the URL of the gateway for the URL of the service; empty for an empty one.
func gatewayURL(public string) string {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(public, "/"), "http")
	if !ok {
		return ""
	}
	return "ws" + rest + "/gateway/"
}

// Close gives the node number back and closes the store.
func (s *Server) Close(ctx context.Context) error {
	s.webhooks.Close()
	s.remoteHooks.Close()
	s.callbacks.Close(ctx)
	return s.release(ctx)
}
