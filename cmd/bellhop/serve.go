package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/logging"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/internal/tools/system"
)

// serveOptions are the flags of "bellhop serve".
type serveOptions struct {
	Data        string        `required:"" type:"path" placeholder:"DIR" help:"Folder for the database. It is created if it does not exist."`
	Listen      string        `type:"listen" default:"127.0.0.1:8080" help:"Address to listen on, or a port of this machine. Port 0 selects a free port."`
	World       string        `type:"path" placeholder:"FILE" help:"World file to apply at start."`
	Memory      memory        `default:"1792MiB" help:"Memory limit of the process. The sizes of caches are derived from it."`
	Limits      string        `placeholder:"FILE|off" help:"File with rate limits that replace the default ones. off: no limits."`
	Creates     *int          `name:"daily-creates" placeholder:"N" help:"Maximum number of commands that an app can create per scope and day. 0: any number. Default: that of --limits, which is 200, or any number with --limits off."`
	PublicURL   string        `name:"public-url" placeholder:"URL" help:"URL under which users and apps reach the service. Default: the address of --listen."`
	TLS         tlsOptions    `embed:"" prefix:"tls-"`
	HSTS        time.Duration `name:"hsts" default:"4320h" help:"How long browsers use only https for the host of the service, after a response over TLS. 0: the service does not say."`
	OIDC        oidcOptions   `embed:"" prefix:"oidc-"`
	RefreshIdle time.Duration `default:"720h" help:"How long an OAuth2 refresh token is valid without being used."`
	SessionIdle time.Duration `default:"2h" help:"How long a session of a browser lasts without being used, for users and operators. A session lasts 12 hours at most. 0: only that counts."`
	Postgres    string        `placeholder:"URL" help:"PostgreSQL database that all nodes share. Requires --redis."`
	Redis       string        `placeholder:"URL" help:"Redis that all nodes share: redis://HOST:PORT. ?addr=HOST:PORT adds a server of a cluster, ?master_set=NAME uses sentinels, ?write_timeout=1s bounds a command (500ms)."`
	Attachments string        `type:"path" placeholder:"DIR" help:"Folder for the attachments of messages. All nodes must share it. Default: a folder in --data."`
	Quota       quotaOptions  `embed:"" prefix:"quota-"`
	Audit       auditServe    `embed:"" prefix:"audit-"`
	MaxMessages int           `name:"channel-messages" default:"1000000" placeholder:"N" help:"Number of messages that a channel keeps, at least. Older ones are removed. 0: any number."`
	Dev         bool          `help:"Enable the dev controls. On this machine they need no token: every program can do anything."`

	AcceptDataLoss bool `help:"Start although the write-ahead log of the database is damaged. The commits behind the damage are lost. Copy the data folder first."`

	DevToken   devTokenOptions   `embed:"" prefix:"dev-"`
	Encryption encryptionOptions `embed:"" prefix:"encryption-"`
	Log        logOptions        `embed:"" prefix:"log-"`
	Lobbies    lobbyOptions      `embed:""`
	Browsers   browserOptions    `embed:""`

	OTLP string `name:"otlp" placeholder:"URL" help:"OpenTelemetry collector that gets the traces of all requests, such as http://127.0.0.1:4318. Default: no traces."`

	MetricsListen string `type:"listen" placeholder:"ADDR" help:"Address that serves the metrics without a token, for a network that only Prometheus can reach. Default: /metrics on --listen, for operators."`
}

// Run serves until the process gets SIGINT or SIGTERM.
func (o serveOptions) Run(ctx context.Context, s streams) error {
	cfg, err := o.config()
	if err != nil {
		return err
	}
	cfg.LogLevel = &slog.LevelVar{}
	log, queue := logging.Open(s.err, logging.Options{Format: o.Log.Format, Level: o.Log.Level, Adjust: cfg.LogLevel})
	defer queue.Close()
	logging.RedirectStandard(log)
	system.WarnFewFiles(ctx, log)
	system.SurviveFileLimit()
	cfg.Log, cfg.LogDropped = log, queue.Lost
	if o.Dev {
		warnDev(ctx, log, o.Listen, o.TLS.Listen)
	}
	warnPlain(ctx, log, o.Listen, o.TLS.Listen, cfg.PublicURL)
	server.LimitHeap(int64(o.Memory))
	return serve(ctx, cfg, o.World, addresses{o.Listen, o.TLS, s.out, log, true, o.MetricsListen}, func(base string, srv *server.Server) error {
		if err := secrets.Save(ctx, o.Data, secrets.Reveal(srv.Applied), log); err != nil {
			return err
		}
		err := createFirstOperator(ctx, srv, o.Data, log)
		if err != nil && (!srv.ReadOnly() || !errors.Is(err, store.ErrUnavailable)) {
			return err
		}
		if cfg.DevToken != "" {
			if _, err := fmt.Fprintf(s.out, "dev token %s\n", cfg.DevToken.Reveal()); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(s.out, "listening on %s\n", base)
		return err
	})
}

// createFirstOperator creates a token for the operator if there is none, saves it in the data folder and logs the path.
func createFirstOperator(ctx context.Context, srv *server.Server, data string, log *slog.Logger) error {
	token, err := srv.CreateFirstOperator(ctx)
	if err != nil || token == "" {
		return err
	}
	path, err := secrets.SaveOperator(data, token)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "the operator's token is in a file", "path", path)
	return nil
}

// config checks the flags and returns the configuration of the service, without a logger.
func (o serveOptions) config() (server.Config, error) {
	cfg := server.Config{
		Clock: clock.System{}, Data: o.Data, Dev: o.Dev, Version: version, Memory: int64(o.Memory),
		AllowOrigins: o.Browsers.AllowOrigin, RefreshIdle: o.RefreshIdle, SessionIdle: o.SessionIdle, HSTS: o.HSTS, AcceptDataLoss: o.AcceptDataLoss,
		Postgres: o.Postgres, Redis: o.Redis, Attachments: o.Attachments, KeyFile: true,
	}
	cfg.Quota.Application, cfg.Quota.Guild = int64(o.Quota.Application), int64(o.Quota.Guild)
	cfg.MaxMessages = max(o.MaxMessages, 0)
	cfg.Audit.Retention, cfg.Audit.MaxEntries = o.Audit.Retention, o.Audit.MaxEntries
	if (o.Postgres == "") != (o.Redis == "") {
		return cfg, usageError{errors.New("--postgres and --redis must be used together: see docs/operations.md")}
	}
	if len(o.TLS.ACME) > 0 && o.Postgres != "" {
		return cfg, usageError{errors.New("--tls-acme is for a single node: with --postgres use --tls-cert, or a proxy")}
	}
	if u, err := url.Parse(o.OTLP); o.OTLP != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return cfg, usageError{errors.New("--otlp: want a URL such as http://127.0.0.1:4318")}
	}
	cfg.OTLP = o.OTLP
	if o.HSTS < 0 {
		return cfg, usageError{errors.New("--hsts must not be negative")}
	}
	if o.SessionIdle < 0 || o.SessionIdle > 0 && o.SessionIdle < time.Minute {
		return cfg, usageError{errors.New("--session-idle must be 0, or 1m or more")}
	}
	if o.RefreshIdle <= 0 {
		return cfg, usageError{errors.New("--refresh-idle must be positive")}
	}
	var err error
	if cfg.Limits, err = chooseLimits(o.Limits, o.Creates); err != nil {
		return cfg, err
	}
	if cfg.PublicURL, err = origin("--public-url", o.PublicURL); err != nil {
		return cfg, err
	}
	if err := errors.Join(o.TLS.check(o.Dev), o.TLS.checkIssuer(cfg.PublicURL), o.Audit.check()); err != nil {
		return cfg, err
	}
	if cfg.Providers, err = o.OIDC.providers(); err != nil {
		return cfg, err
	}
	if cfg.Lobbies, err = o.Lobbies.settings(o.Dev); err != nil {
		return cfg, err
	}
	if cfg.EncryptionKey, err = o.Encryption.read(); err != nil {
		return cfg, err
	}
	if o.Dev {
		if cfg.DevToken, err = o.DevToken.choose(o.Listen, o.TLS.Listen); err != nil {
			return cfg, err
		}
	}
	if cfg.AllowHosts, err = o.Browsers.hosts(o.Listen, o.TLS.Listen); err != nil || o.World == "" {
		return cfg, err
	}
	cfg.WorldFile, err = openWorld(o.World)
	return cfg, err
}

// serve listens, opens the service, calls ready with its URL, and runs it until ctx ends. While the service is opened, it
// answers that it is starting.
func serve(ctx context.Context, cfg server.Config, worldFile string, on addresses, ready func(base string, srv *server.Server) error) (err error) {
	metrics, err := on.listenMetrics(ctx)
	if err != nil {
		return err
	}
	if metrics != nil {
		cfg.MetricsListener = metrics
		defer func() { _ = metrics.Close() }() // Serve has closed it, unless the start failed
	}
	ln, err := system.Listen(ctx, "--listen", on.listen)
	if err != nil {
		return err
	}
	tlsListeners, line, err := on.listenTLS(ctx, cfg.Data)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	web := server.Listen(cfg, ln, tlsListeners...) //nolint:contextcheck // reading a certificate uses the context of the connection
	defer func() { _ = web.Close() }()             // Serve has closed it, unless the start failed
	cfg.Docs = bellhop.Documentation
	srv, err := server.Open(ctx, cfg)
	if err != nil {
		if errors.Is(err, sqlite.ErrLogDamaged) {
			err = fmt.Errorf("%w\nRestore a backup, or start with --accept-data-loss to continue without the lost commits: see docs/backup.md", err)
		}
		return locate(worldFile, err)
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	if err := srv.CheckKeys(ctx); err != nil {
		return err
	}
	srv.SetURL(on.publicURL(ln, tlsListeners))
	web.Hold()
	if _, err := fmt.Fprint(on.out, line); err != nil {
		return err
	}
	if err := ready("http://"+ln.Addr().String(), srv); err != nil {
		return err
	}
	return srv.Serve(ctx, web)
}

// origin returns the scheme and host of the URL in a flag. An empty flag gives an empty origin.
func origin(flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || strings.ContainsAny(text, "?#") {
		return "", usageError{fmt.Errorf("%s: want a URL without a path, for example https://bellhop.example", flag)}
	}
	return u.Scheme + "://" + u.Host, nil
}
