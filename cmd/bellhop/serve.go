package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/world"
)

// serveOptions are the flags of "bellhop serve".
type serveOptions struct {
	Data        string      `required:"" type:"path" placeholder:"DIR" help:"Folder for the database; made when it does not exist."`
	Listen      string      `default:"127.0.0.1:8080" help:"Address to listen on; port 0 picks a free one."`
	World       string      `type:"path" placeholder:"FILE" help:"World file to apply before the service is ready."`
	Memory      memory      `default:"1792MiB" help:"Memory to stay below; more than half of it holds what is read often."`
	Limits      string      `placeholder:"FILE|off" help:"File of rate limits in place of the shipped ones, or off."`
	PublicURL   string      `name:"public-url" placeholder:"URL" help:"Address under which people and apps reach the service; without it that of --listen."`
	TLS         tlsOptions  `embed:"" prefix:"tls-"`
	OIDC        oidcOptions `embed:"" prefix:"oidc-"`
	Postgres    string      `placeholder:"URL" help:"PostgreSQL database that nodes with the same state share; goes with --redis."`
	Redis       string      `placeholder:"URL" help:"Redis that those nodes share: redis://HOST:PORT, more with ?addr=HOST:PORT, sentinels with ?master_set=NAME."`
	Attachments string      `type:"path" placeholder:"DIR" help:"Folder for files of messages, which those nodes share; without it one in --data."`
	Dev         bool        `help:"Switch the dev controls on. Anyone who reaches the address can then do anything."`

	Lobbies lobbyOptions `embed:""`
}

// Run serves until the process is told to stop.
func (o serveOptions) Run(ctx context.Context, s streams) error {
	if (o.Postgres == "") != (o.Redis == "") {
		return usageError{errors.New("--postgres and --redis go together: see docs/operations.md")}
	}
	limits, err := readLimits(o.Limits)
	if err != nil {
		return err
	}
	public, err := origin("--public-url", o.PublicURL)
	if err != nil {
		return err
	}
	if err := o.TLS.check(o.Dev); err != nil {
		return err
	}
	upstream, err := o.OIDC.upstream()
	if err != nil {
		return err
	}
	halls, err := o.Lobbies.settings()
	if err != nil {
		return err
	}
	log, flush := newLog(s.err)
	defer flush()
	adopt(log)
	cfg := server.Config{
		Clock: clock.System{}, Data: o.Data, Dev: o.Dev, Version: version, Log: log, Limits: limits, CacheBytes: o.Memory.share(), Lobbies: halls, PublicURL: public,
		Postgres: o.Postgres, Redis: o.Redis, Attachments: o.Attachments,
		Upstream: upstream,
	}
	o.Memory.hold()
	if o.World != "" {
		w, err := readWorld(o.World)
		if err != nil {
			return err
		}
		cfg.World = &w
	}
	return serve(ctx, cfg, o.World, listening{o.Listen, o.TLS, s.out}, func(base string, srv *server.Server) error {
		if err := printMinted(s.err, srv.Applied); err != nil {
			return err
		}
		admin, err := srv.Directory().Tokens.CreateFirstAdminToken(ctx)
		if err != nil {
			return err
		}
		if admin != "" {
			fmt.Fprintf(s.err, "admin token, shown once: %s\n", admin.Reveal())
		}
		_, err = fmt.Fprintf(s.out, "listening on %s\n", base)
		return err
	})
}

// serve opens the service, tells ready its address, and runs it until ctx ends.
func serve(ctx context.Context, cfg server.Config, worldFile string, on listening, ready func(base string, srv *server.Server) error) (err error) {
	srv, err := server.Open(ctx, cfg)
	if err != nil {
		return locate(worldFile, err)
	}
	defer func() { err = errors.Join(err, srv.Close(ctx)) }()
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", on.address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", on.address, err)
	}
	secured, err := on.secure(ctx, cfg.Data)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	base := "http://" + ln.Addr().String()
	srv.SetURL(base)
	if err := ready(base, srv); err != nil {
		err = errors.Join(err, ln.Close())
		for _, s := range secured {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	return srv.Run(ctx, ln, secured...)
}

// origin returns the address that a flag gives, without a slash at its end; empty when the flag is.
func origin(flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || strings.ContainsAny(text, "?#") {
		return "", usageError{fmt.Errorf("%s: want an address such as https://bellhop.example, without a path", flag)}
	}
	return u.Scheme + "://" + u.Host, nil
}

func readWorld(file string) (world.World, error) {
	data, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if err != nil {
		return world.World{}, err
	}
	return world.Parse(file, data)
}

// locate says where in a world file the faults are that an error tells of.
func locate(file string, err error) error {
	if err == nil || file == "" {
		return err
	}
	data, readErr := os.ReadFile(file) //nolint:gosec // the user names the file
	if readErr != nil {
		return err
	}
	return world.Locate(file, data, err)
}

// readLimits returns the rate limits that --limits names.
func readLimits(file string) (ratelimit.Policy, error) {
	switch file {
	case "":
		return ratelimit.Default(), nil
	case "off":
		return ratelimit.Off(), nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if err != nil {
		return ratelimit.Policy{}, fmt.Errorf("--limits: %w", err)
	}
	return ratelimit.Load(file, data)
}
