package bellhop

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/prometheus/client_golang/prometheus"
)

// Config configures a Server. Fields have the names of the flags of "bellhop serve", and their meanings. Only Data is required.
type Config struct {
	// Data is the folder of the database and of files. It is created if it does not exist.
	Data string
	// World is a world file to apply at the start; empty: none.
	World string
	// Postgres and Redis are the URLs of the servers that all nodes share; empty: this is the only node.
	Postgres, Redis string
	// PublicURL is the URL under which users and apps reach the service. It may have a path. Empty: the address of a listener of
	// the configuration.
	PublicURL string
	// Limits is a file with rate limits that replace the default ones, or "off" for no limits.
	Limits string
	// Dev enables the dev controls. On this machine they need no token: every program can do anything.
	Dev bool

	// Logger gets the log; nil: there is none.
	Logger *slog.Logger
	// Metrics gets the metrics of the service until Close. They are at /metrics too. nil: only there.
	Metrics prometheus.Registerer
	// Clock is the clock of the service; nil: that of the machine.
	Clock Clock
	// Listener is served by Run, with the bounds on connections that the binary has; nil: the caller serves Handler.
	Listener net.Listener
	// TLS are further listeners, for connections over TLS.
	TLS []TLSListener
	// MetricsListener serves /metrics to everyone who can reach it, instead of Handler; nil: none.
	MetricsListener net.Listener

	// Hooks are called before something happens, and after it is durable.
	Hooks []Hook
	// HooksFile is a file with hooks that are called over HTTP; empty: none.
	HooksFile string

	OIDC            OIDC          // the OpenID provider at which users sign in
	OIDCProviders   string        // file with several OpenID providers; empty: none
	EncryptionKey   string        // encrypts signing keys; empty: a file in Data, except with Postgres
	Attachments     string        // folder of files, which all nodes share; empty: a folder in Data
	AllowOrigins    []string      // origins of web pages that may use the service
	AllowHosts      []string      // host names under which the service answers with dev controls
	DevToken        string        // with which other machines use the dev controls; empty: they cannot
	DailyCreates    *int          // commands that an app can create per scope and day; 0: any number; nil: that of Limits
	ChannelMessages int           // messages that a channel keeps; 0: 1,000,000; below 0: any number
	QuotaApp        int64         // bytes of files of one application; 0: 10 GiB; below 0: any number
	QuotaGuild      int64         // bytes of files of one guild; 0: 10 GiB; below 0: any number
	LobbyUsers      string        // "auto" creates the users that a lobby names, "strict" answers 404; empty: auto with Dev
	LobbyActivity   string        // "connections": only connected members keep a lobby; empty: every write does too
	LobbiesPerUser  int           // lobbies of an application that a user can be in; 0: 100
	AuditRetention  time.Duration // how long entries of the audit log stay; 0: 90 days
	AuditMaxEntries int           // the oldest entries above this number are removed; 0: 1,000,000
	RefreshIdle     time.Duration // how long a refresh token is valid without being used; 0: 30 days
	SessionIdle     time.Duration // after which an unused session of a browser ends; 0: never before its absolute end
	HSTS            time.Duration // how long browsers use only https; 0: the service does not say
	OTLP            string        // URL of an OpenTelemetry collector; empty: no traces
	Memory          int64         // bytes of memory that the caches are derived from; 0: 1792 MiB
	AcceptDataLoss  bool          // starts although the write-ahead log is damaged

	Version    string         // shown to operators; empty: "embedded"
	LogLevel   *slog.LevelVar // the level of Logger, which operators can change; nil: they cannot
	LogDropped func() uint64  // how many lines of the log were lost; nil: none
}

// Clock tells the time and calls functions later, on goroutines of their own. stop cancels a call and reports whether it had not
// begun.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, fn func()) (stop func() bool)
}

// TLSListener is a listener for connections over TLS.
type TLSListener struct {
	net.Listener

	Config *tls.Config // with a certificate
	URL    string      // of the listener for users; empty: https and its address
	// Handler adds the answers to the challenges of a certificate authority to the handler of all listeners; nil: there are none.
	Handler func(next http.Handler) http.Handler
}

// OIDC is an OpenID provider at which users sign in. The zero value is none.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	// SubjectIsUserID says that the provider's subjects are the user ids of the directory.
	SubjectIsUserID bool
}

// defaultQuota is the default bound on the files of an application, and of a guild.
const defaultQuota = 10 << 30

// defaultMessages is the default bound on the messages of a channel.
const defaultMessages = 1_000_000

// internal checks the configuration and returns that of the node.
func (c Config) internal() (server.Config, error) {
	cfg := server.Config{
		Clock: clock.System{}, Data: c.Data, Dev: c.Dev, Version: c.Version, Log: c.Logger, LogLevel: c.LogLevel, LogDropped: c.LogDropped,
		Memory: c.Memory, Postgres: c.Postgres, Redis: c.Redis, PublicURL: strings.TrimRight(c.PublicURL, "/"), Attachments: c.Attachments, KeyFile: true,
		EncryptionKey: auth.Secret(c.EncryptionKey), DevToken: auth.Secret(c.DevToken), AllowHosts: c.AllowHosts, AllowOrigins: c.AllowOrigins,
		RefreshIdle: c.RefreshIdle, SessionIdle: c.SessionIdle, HSTS: c.HSTS, OTLP: c.OTLP, AcceptDataLoss: c.AcceptDataLoss, Docs: Documentation,
		Registry: c.Metrics, MetricsListener: c.MetricsListener, MaxMessages: bound(c.ChannelMessages, defaultMessages),
	}
	cfg.Quota.Application, cfg.Quota.Guild = bound(c.QuotaApp, defaultQuota), bound(c.QuotaGuild, defaultQuota)
	cfg.Audit.Retention, cfg.Audit.MaxEntries = c.AuditRetention, c.AuditMaxEntries
	if c.OIDC.Issuer != "" {
		cfg.Providers = []idp.Provider{{
			ID: idp.DefaultID, Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, Secret: auth.Secret(c.OIDC.ClientSecret), SubjectIsUserID: c.OIDC.SubjectIsUserID,
		}}
	}
	if c.OIDCProviders != "" {
		more, err := idp.Load(c.OIDCProviders)
		if err != nil {
			return cfg, fmt.Errorf("bellhop: Config.OIDCProviders: %w", err)
		}
		cfg.Providers = append(cfg.Providers, more...)
	}
	if err := idp.Check(cfg.Providers); err != nil {
		return cfg, fmt.Errorf("bellhop: Config.OIDC: %w", err)
	}
	if c.Clock != nil {
		cfg.Clock = outerClock{c.Clock}
	}
	if c.Logger == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if c.Version == "" {
		cfg.Version = "embedded"
	}
	for _, h := range c.Hooks {
		cfg.Hooks = append(cfg.Hooks, h.internal())
	}
	if err := hooks.Check(cfg.Hooks); err != nil {
		return cfg, fmt.Errorf("bellhop: Config.Hooks: %w", err)
	}
	var err error
	if cfg.RemoteHooks, err = remote.Load(c.HooksFile); err != nil {
		return cfg, fmt.Errorf("bellhop: Config.HooksFile: %w", err)
	}
	if err := c.check(); err != nil {
		return cfg, err
	}
	if cfg.Lobbies, err = c.lobbies(); err != nil {
		return cfg, err
	}
	if cfg.Limits, err = c.limits(); err != nil || c.World == "" {
		return cfg, err
	}
	data, err := os.ReadFile(c.World)
	if err != nil {
		return cfg, err
	}
	cfg.WorldFile, err = world.Open(c.World, data)
	return cfg, err
}

// bound returns the default for 0, and 0, which means no bound, for a number below 0.
func bound[N int | int64](n, standard N) N {
	if n == 0 {
		return standard
	}
	return max(n, 0)
}

// check reports fields that do not fit together.
func (c Config) check() error {
	u, err := url.Parse(c.PublicURL)
	switch {
	case c.Data == "":
		return errors.New("bellhop: Config.Data is empty: want a folder")
	case (c.Postgres == "") != (c.Redis == ""):
		return errors.New("bellhop: Config.Postgres and Config.Redis must be used together")
	case c.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != ""):
		return fmt.Errorf("bellhop: Config.PublicURL %q: want a URL such as https://game.example/chat", c.PublicURL)
	case (c.OIDC.Issuer == "") != (c.OIDC.ClientID == ""):
		return errors.New("bellhop: Config.OIDC needs Issuer and ClientID")
	}
	return nil
}

// lobbies returns the settings of lobbies.
func (c Config) lobbies() (s lobbies.Settings, err error) {
	s.MaxPerUser = c.LobbiesPerUser
	switch c.LobbyUsers {
	case "", "auto", "strict":
	default:
		return s, fmt.Errorf("bellhop: Config.LobbyUsers %q: want auto or strict", c.LobbyUsers)
	}
	if c.LobbyUsers == "strict" || c.LobbyUsers == "" && !c.Dev {
		s.Users = lobbies.Strict
	}
	switch c.LobbyActivity {
	case "", "connections+writes":
	case "connections":
		s.Activity = lobby.Connections
	default:
		return s, fmt.Errorf("bellhop: Config.LobbyActivity %q: want connections or connections+writes", c.LobbyActivity)
	}
	return s, nil
}

// limits returns the rate limits.
func (c Config) limits() (limits ratelimit.Policy, err error) {
	switch c.Limits {
	case "":
		limits = ratelimit.Default()
	case "off":
		limits = ratelimit.Off()
	default:
		data, err := os.ReadFile(c.Limits)
		if err != nil {
			return limits, fmt.Errorf("bellhop: Config.Limits: %w", err)
		}
		if limits, err = ratelimit.Load(c.Limits, data); err != nil {
			return limits, err
		}
	}
	if c.DailyCreates != nil {
		limits.Creates = max(*c.DailyCreates, 0)
	}
	return limits, nil
}

// tls returns the listeners for connections over TLS.
func (c Config) tls() []server.TLSListener {
	list := make([]server.TLSListener, len(c.TLS))
	for i, l := range c.TLS {
		list[i] = server.TLSListener{Listener: l.Listener, Config: l.Config, Handler: l.Handler}
	}
	return list
}

// closeListeners closes the listeners.
func (c Config) closeListeners() {
	for _, ln := range []net.Listener{c.Listener, c.MetricsListener} {
		if ln != nil {
			_ = ln.Close() // the server may have closed it
		}
	}
	for _, ln := range c.TLS {
		_ = ln.Close() // the server may have closed it
	}
}

// url returns the URL of the service for users; empty: it is not known.
func (c Config) url() string {
	switch {
	case c.PublicURL != "":
		return strings.TrimRight(c.PublicURL, "/")
	case len(c.TLS) > 0:
		return cmp.Or(c.TLS[0].URL, "https://"+c.TLS[0].Addr().String())
	case c.Listener != nil:
		return "http://" + c.Listener.Addr().String()
	}
	return ""
}

// outerClock is a clock of the caller.
type outerClock struct{ Clock }

// AfterFunc calls fn after d.
func (c outerClock) AfterFunc(d time.Duration, fn func()) *clock.Timer {
	return clock.NewTimer(c.Clock.AfterFunc(d, fn))
}
