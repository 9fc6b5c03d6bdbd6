package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/botrun"
	"github.com/bellhop/bellhop/internal/tools/devservice"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/logging"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/world"
)

// runOptions are the flags of "bellhop run".
type runOptions struct {
	Listen  string   `type:"listen" default:"127.0.0.1:8080" help:"Address of the service that is started, or a port. Port 0 selects a free port."`
	BaseURL string   `placeholder:"URL" help:"Use the running service with dev controls at this URL, instead of starting one."`
	World   string   `type:"path" placeholder:"FILE" help:"World file to use instead of the demo world. The bot runs as its first application."`
	Record  string   `type:"path" placeholder:"FILE" help:"Append every request, delivery and gateway payload to a file, as lines of JSON."`
	Watch   bool     `env:"-" help:"Start the bot again when a file in this folder changes."`
	Command []string `arg:"" optional:"" passthrough:"partial" help:"The command that starts the bot, after --."`
}

// Run runs a bot against a service until the bot ends.
func (o runOptions) Run(ctx context.Context, s streams) error {
	if len(o.Command) > 0 && o.Command[0] == "--" {
		o.Command = o.Command[1:]
	}
	if len(o.Command) == 0 {
		return usageError{errors.New("name the command that starts the bot, such as: bellhop run -- node index.js")}
	}
	if _, err := exec.LookPath(o.Command[0]); err != nil {
		return fmt.Errorf("there is no program %s: %w", o.Command[0], errors.Unwrap(err))
	}
	lines := &botrun.Lines{Out: s.out}
	style := newStyle(s.out)
	r := &botrun.Runner{
		Command: o.Command, Input: os.Stdin, Watch: o.Watch, Clock: clock.System{}, Environment: os.Environ(),
		Service: lines.Writer(style.Dim("bellhop | ")), Output: lines.Writer(style.Cyan("bot     | ")),
	}
	if o.BaseURL == "" {
		return o.startService(ctx, r)
	}
	bot, err := botrun.FindBot(ctx, remote.Root(o.BaseURL), os.Getenv)
	if err != nil {
		return err
	}
	return exited(r.Run(ctx, bot))
}

// exited returns the error for the exit code of a bot.
func exited(code int, err error) error {
	if err == nil && code != 0 {
		return exitCode(code)
	}
	return err
}

// startService starts a service and runs the bot while it serves.
func (o runOptions) startService(ctx context.Context, r *botrun.Runner) error {
	return o.withService(ctx, r.Service, func(ctx context.Context, info devservice.Info) error {
		bot, err := botrun.NewBot(ctx, devservice.Reachable(info.URL), info.Applications[0].BotToken)
		if err != nil {
			return err
		}
		return exited(r.Run(ctx, bot))
	})
}

// withService starts a service with temporary data, which writes its lines to out, and stops it when work has ended.
func (o runOptions) withService(ctx context.Context, out io.Writer, work func(context.Context, devservice.Info) error) (err error) {
	w := world.Demo()
	if o.World != "" {
		if w, err = files.ReadWorld(o.World); err != nil {
			return err
		}
	}
	if len(w.Applications) == 0 {
		return fmt.Errorf("%s has no application that the bot could run as", o.World)
	}
	data, err := os.MkdirTemp("", "bellhop-run-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	log, queue := logging.Open(out, logging.Options{Format: "text", Level: "warn", Dev: true})
	defer queue.Close()
	logging.RedirectStandard(log)
	server.LimitHeap(devMemory)
	feed := devservice.NewFeed(out, newStyle(io.Discard), clock.System{})
	cfg := server.Config{
		Clock: clock.System{}, Data: data, Volatile: true, Dev: true, AllIntents: true, AnyBotToken: true, World: &w, Version: version, Log: log, LogDropped: queue.Lost,
		Memory: devMemory, Limits: ratelimit.Default(), Ended: feed.Add,
	}
	return devOptions{Record: o.Record}.recorded(func(traffic io.Writer) error {
		cfg.Traffic = traffic
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ended := make(chan error, 1)
		started := false
		err := serveWorld(ctx, cfg, o.World, addresses{o.Listen, tlsOptions{}, out, log}, func(base string, srv *server.Server) error {
			started = true
			go func() {
				defer stop()
				ended <- work(ctx, devservice.NewInfo(base, w, srv.Applied))
			}()
			go feed.Run(ctx, srv.Directory()) // until the service stops
			return nil
		})
		if started {
			stop()
			err = errors.Join(<-ended, err)
		}
		return err
	})
}
