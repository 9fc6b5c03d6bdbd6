package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/logging"
	"github.com/bellhop/bellhop/internal/tools/system"
)

// serveOptions are the flags of "bellhop serve".
type serveOptions struct {
	Data        string        `required:"" type:"path" placeholder:"DIR" help:"Folder for the database. It is created if it does not exist."`
	Listen      string        `type:"listen" default:"127.0.0.1:8080" help:"Address to listen on, or a port of this machine. Port 0 selects a free port."`
	World       string        `type:"path" placeholder:"FILE" help:"World file to apply at start."`
	HooksFile   string        `type:"path" placeholder:"FILE" help:"YAML file with hooks: URLs of your platform that are asked before something happens, and told afterwards. See docs/hooks.md."`
	Memory      memory        `default:"1792MiB" help:"Memory limit of the process. The sizes of caches are derived from it."`
	Limits      string        `placeholder:"FILE|off" help:"File with rate limits that replace the default ones. off: no limits."`
	Creates     *int          `name:"daily-creates" placeholder:"N" help:"Maximum number of commands that an app can create per scope and day. 0: any number. Default: that of --limits, which is 200, or any number with --limits off."`
	PublicURL   string        `name:"public-url" placeholder:"URL" help:"URL under which users and apps reach the service. It may have a path. Default: the address of --listen."`
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
	cfg.Logger, cfg.LogDropped = log, queue.Lost
	if o.Dev {
		warnDev(ctx, log, o.Listen, o.TLS.Listen)
	}
	warnPlain(ctx, log, o.Listen, o.TLS.Listen, cfg.PublicURL)
	server.LimitHeap(int64(o.Memory))
	return o.serve(ctx, cfg, s.out)
}

// serve listens, opens the service, prints its addresses, and runs it until ctx ends. While the service is opened, it answers
// that it is starting.
func (o serveOptions) serve(ctx context.Context, cfg bellhop.Config, out io.Writer) (err error) {
	line, err := o.listen(ctx, &cfg, out)
	if err != nil {
		return err
	}
	srv, err := bellhop.New(cfg) //nolint:contextcheck // Close ends it
	if errors.Is(err, sqlite.ErrLogDamaged) {
		err = fmt.Errorf("%w\nRestore a backup, or start with --accept-data-loss to continue without the lost commits: see docs/backup.md", err)
	}
	if err != nil {
		return files.Locate(o.World, err)
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	if cfg.DevToken != "" {
		line += "dev token " + cfg.DevToken + "\n"
	}
	if _, err := fmt.Fprintf(out, "%slistening on http://%s\n", line, cfg.Listener.Addr()); err != nil {
		return err
	}
	return srv.Run(ctx)
}

// listen opens the listeners. line tells the address of the one for TLS, once the service is ready. After an error the process ends,
// and with it the listeners.
func (o serveOptions) listen(ctx context.Context, cfg *bellhop.Config, out io.Writer) (line string, err error) {
	if o.MetricsListen != "" {
		if cfg.MetricsListener, err = system.Listen(ctx, "--metrics-listen", o.MetricsListen); err != nil {
			return "", err
		}
		if _, err := fmt.Fprintf(out, "metrics on http://%s/metrics\n", cfg.MetricsListener.Addr()); err != nil {
			return "", err
		}
	}
	if cfg.Listener, err = system.Listen(ctx, "--listen", o.Listen); err != nil {
		return "", err
	}
	cfg.TLS, line, err = addresses{o.Listen, o.TLS, out, cfg.Logger}.listenTLS(ctx, cfg.Data)
	return line, err
}

// config checks the flags and returns the configuration of the service, without a logger and listeners.
func (o serveOptions) config() (bellhop.Config, error) {
	cfg := bellhop.Config{
		Data: o.Data, World: files.Shown(o.World), Dev: o.Dev, Version: version, Memory: int64(o.Memory), Limits: o.Limits, DailyCreates: o.Creates, HooksFile: o.HooksFile,
		AllowOrigins: o.Browsers.AllowOrigin, RefreshIdle: o.RefreshIdle, SessionIdle: o.SessionIdle, HSTS: o.HSTS, AcceptDataLoss: o.AcceptDataLoss,
		Postgres: o.Postgres, Redis: o.Redis, Attachments: o.Attachments, OTLP: o.OTLP,
		QuotaApp: orUnbounded(int64(o.Quota.Application)), QuotaGuild: orUnbounded(int64(o.Quota.Guild)), ChannelMessages: orUnbounded(o.MaxMessages),
		AuditRetention: o.Audit.Retention, AuditMaxEntries: o.Audit.MaxEntries,
		LobbyUsers: o.Lobbies.Users, LobbyActivity: o.Lobbies.Activity, LobbiesPerUser: o.Lobbies.PerUser,
		OIDC: bellhop.OIDC{
			Issuer: o.OIDC.Issuer, ClientID: o.OIDC.ClientID, ClientSecret: o.OIDC.ClientSecret, SubjectIsUserID: o.OIDC.SubjectIsUserID,
		},
		OIDCProviders: o.OIDC.Providers,
	}
	if err := o.check(); err != nil {
		return cfg, err
	}
	var err error
	if cfg.PublicURL, err = publicURL(o.PublicURL); err != nil {
		return cfg, err
	}
	if err := errors.Join(o.TLS.check(o.Dev), o.TLS.checkIssuer(cfg.PublicURL), o.Audit.check()); err != nil {
		return cfg, err
	}
	key, err := o.Encryption.read()
	if err != nil {
		return cfg, err
	}
	cfg.EncryptionKey = key.Reveal()
	if o.Dev {
		token, err := o.DevToken.choose(o.Listen, o.TLS.Listen)
		if err != nil {
			return cfg, err
		}
		cfg.DevToken = token.Reveal()
	}
	cfg.AllowHosts, err = o.Browsers.hosts(o.Listen, o.TLS.Listen)
	return cfg, err
}

// orUnbounded returns the bound of a flag for the configuration, in which 0 is the default, and a negative number is no bound.
func orUnbounded[N int | int64](n N) N {
	if n <= 0 {
		return -1
	}
	return n
}

// check returns an error that names a wrong flag. Files are read here too, so that the error names the flag and not the field
// of the configuration.
func (o serveOptions) check() error {
	collector, err := url.Parse(o.OTLP)
	switch {
	case (o.Postgres == "") != (o.Redis == ""):
		return usageError{errors.New("--postgres and --redis must be used together: see docs/operations.md")}
	case len(o.TLS.ACME) > 0 && o.Postgres != "":
		return usageError{errors.New("--tls-acme is for a single node: with --postgres use --tls-cert, or a proxy")}
	case o.OTLP != "" && (err != nil || collector.Host == "" || collector.Scheme != "http" && collector.Scheme != "https"):
		return usageError{errors.New("--otlp: want a URL such as http://127.0.0.1:4318")}
	case o.HSTS < 0:
		return usageError{errors.New("--hsts must not be negative")}
	case o.SessionIdle < 0 || o.SessionIdle > 0 && o.SessionIdle < time.Minute:
		return usageError{errors.New("--session-idle must be 0, or 1m or more")}
	case o.RefreshIdle <= 0:
		return usageError{errors.New("--refresh-idle must be positive")}
	}
	if _, err := chooseLimits(o.Limits, o.Creates); err != nil {
		return err
	}
	if _, err := remote.Load(files.Shown(o.HooksFile)); err != nil {
		return fmt.Errorf("--hooks-file: %w", err)
	}
	if _, err := o.OIDC.providers(); err != nil {
		return err
	}
	_, err = o.Lobbies.settings(o.Dev)
	return err
}

// publicURL returns the URL in --public-url without a slash at its end.
func publicURL(text string) (string, error) {
	u, err := url.Parse(text)
	if text != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?#")) {
		return "", usageError{errors.New("--public-url: want a URL such as https://bellhop.example or https://game.example/play")}
	}
	return strings.TrimRight(u.String(), "/"), nil
}
