package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/devservice"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/logging"
	"github.com/bellhop/bellhop/internal/tools/system"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"
)

// devMemory is the memory limit of "bellhop dev".
const devMemory = 512 << 20

// devOptions are the flags of "bellhop dev".
type devOptions struct {
	Listen  string     `type:"listen" default:"127.0.0.1:8080" help:"Address to listen on, or a port of this machine. Port 0 selects a free port."`
	World   string     `type:"path" placeholder:"FILE" help:"World file to use instead of the demo world."`
	Data    string     `type:"path" placeholder:"DIR" help:"Folder for the database. Default: a temporary folder that is deleted at the end."`
	Limits  string     `placeholder:"FILE|off" help:"File with rate limits that replace the default ones. off: no limits."`
	Creates *int       `name:"daily-creates" placeholder:"N" help:"Maximum number of commands that an app can create per scope and day. 0: any number. Default: that of --limits, which is 200, or any number with --limits off."`
	Record  string     `type:"path" placeholder:"FILE" help:"Append every request, delivery and gateway payload to a file, as lines of JSON."`
	TLS     tlsOptions `embed:"" prefix:"tls-"`
	JSON    bool       `help:"Print one line of JSON with URLs and tokens, and exit when standard input is closed. For programs that start bellhop."`

	NoDemoApp bool `help:"Leave out the app Guesthouse, which answers commands in the demo world. A service with --world or --json never has it."`

	DevToken devTokenOptions `embed:"" prefix:"dev-"`

	Quiet    bool           `short:"q" help:"Do not print a line for each interaction."`
	Log      logOptions     `embed:"" prefix:"log-"`
	Lobbies  lobbyOptions   `embed:""`
	Browsers browserOptions `embed:""`
}

// Run serves a world for development until the process gets SIGINT or SIGTERM.
func (o devOptions) Run(ctx context.Context, s streams) (err error) {
	w := world.Demo()
	if o.World != "" {
		if w, err = files.ReadWorld(o.World); err != nil {
			return err
		}
	}
	var demo *devservice.DemoApp
	shown := w // what the banner lists
	if o.World == "" && !o.JSON && !o.NoDemoApp {
		demo, w = &devservice.DemoApp{}, devservice.WithDemoApp(w)
	}
	volatile := o.Data == ""
	if volatile {
		if o.Data, err = os.MkdirTemp("", "bellhop-dev-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.Data)) }()
	}
	limits, err := chooseLimits(o.Limits, o.Creates)
	if err != nil {
		return err
	}
	if err := o.TLS.check(true); err != nil {
		return err
	}
	lobbies, err := o.Lobbies.settings(true)
	if err != nil {
		return err
	}
	hosts, err := o.Browsers.hosts(o.Listen, o.TLS.Listen)
	if err != nil {
		return err
	}
	token, err := o.DevToken.choose(o.Listen, o.TLS.Listen)
	if err != nil {
		return err
	}
	log, queue := logging.Open(s.err, logging.Options{Format: o.Log.Format, Level: o.Log.Level, Dev: !o.JSON})
	defer queue.Close()
	logging.RedirectStandard(log)
	cfg := server.Config{
		Clock: clock.System{}, Data: o.Data, Volatile: volatile, Dev: true, AllIntents: true, World: &w, Version: version, Log: log, LogDropped: queue.Lost,
		Memory: devMemory, Limits: limits, Lobbies: lobbies, AllowHosts: hosts, AllowOrigins: o.Browsers.AllowOrigin, DevToken: token,
	}
	server.LimitHeap(devMemory)
	return o.recorded(func(traffic io.Writer) error {
		cfg.Traffic = traffic
		if o.JSON {
			return o.serveParent(ctx, cfg, s)
		}
		return o.serveTerminal(ctx, cfg, shown, demo, s)
	})
}

// recorded calls serve with the file of --record, which is nil without the flag, and closes the file afterwards.
func (o devOptions) recorded(serve func(traffic io.Writer) error) (err error) {
	if o.Record == "" {
		return serve(nil)
	}
	file, err := os.OpenFile(o.Record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return serve(file)
}

// serveTerminal serves, prints how to use the service, and prints a line for each interaction. demo may be nil.
func (o devOptions) serveTerminal(ctx context.Context, cfg server.Config, shown world.World, demo *devservice.DemoApp, s streams) (err error) {
	ctx, stop := context.WithCancel(ctx)
	background, ctx := errgroup.WithContext(ctx) // the programs that run with the service
	defer func() { stop(); err = errors.Join(err, background.Wait()) }()
	if demo != nil {
		demo.Log = cfg.Log.With("part", "demo")
		cfg.Restored = demo.Register
	}
	lines := devservice.NewFeed(s.out, newStyle(s.out), clock.System{})
	if !o.Quiet {
		cfg.Ended = lines.Add
	}
	return serveWorld(ctx, cfg, o.World, addresses{o.Listen, o.TLS, s.out, cfg.Log}, func(base string, srv *server.Server) error {
		admin, err := srv.Operators().CreateFirst(ctx)
		if err != nil {
			return err
		}
		b := devservice.Banner{Printer: terminal.Printer{Out: s.out}, Style: newStyle(s.out), Base: base}
		b.Start(shown, srv.Applied, admin)
		if exposed(o.Listen) || exposed(o.TLS.Listen) {
			b.Exposed(cfg.DevToken)
		}
		if demo != nil {
			if err := demo.Listen(ctx, base); err != nil {
				return err
			}
			background.Go(func() error { return demo.Run(ctx) })
			b.Line("  Open the console and type / to use a command: the app Guesthouse answers.")
			b.Line("")
		}
		b.Line("listening on %s", base)
		if b.Err == nil {
			go lines.Run(ctx, srv.Directory()) // until the service stops
		}
		return b.Err
	})
}

// serveParent serves until the parent process closes standard input or exits.
func (o devOptions) serveParent(ctx context.Context, cfg server.Config, s streams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // runs until the process exits
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	warnDev(ctx, cfg.Log, o.Listen, o.TLS.Listen)
	return serveWorld(ctx, cfg, o.World, addresses{o.Listen, o.TLS, s.err, cfg.Log}, func(base string, srv *server.Server) error {
		info := devservice.NewInfo(base, *cfg.World, srv.Applied)
		admin, err := srv.Operators().CreateFirst(ctx)
		if err != nil {
			return err
		}
		info.AdminToken, info.DevToken = admin.Reveal(), cfg.DevToken.Reveal()
		text, err := json.Marshal(info)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", text)
		return err
	})
}

// serveWorld listens, opens a service for development, which has what package bellhop does not offer, calls ready with its URL, and
// runs it until ctx ends. While the service is opened, it answers that it is starting.
func serveWorld(ctx context.Context, cfg server.Config, worldFile string, on addresses, ready func(base string, srv *server.Server) error) (err error) {
	ln, err := system.Listen(ctx, "--listen", on.listen)
	if err != nil {
		return err
	}
	secured, line, err := on.listenTLS(ctx, cfg.Data)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	var tlsListeners []server.TLSListener
	for _, l := range secured {
		tlsListeners = append(tlsListeners, server.TLSListener{Listener: l.Listener, Config: l.Config})
	}
	cfg.Docs = bellhop.Documentation
	err = devservice.Serve(ctx, cfg, ln, tlsListeners, func(base string, srv *server.Server) error {
		if _, err := fmt.Fprint(on.out, line); err != nil {
			return err
		}
		return ready(base, srv)
	})
	return files.Locate(worldFile, err)
}
