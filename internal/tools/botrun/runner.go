package botrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/watch"
)

// Runner runs a bot. All fields are required, except Folder, Input and Watch.
type Runner struct {
	Command     []string
	Folder      string    // of the bot; empty: the current folder
	Input       io.Reader // of the bot; nil: none
	Watch       bool      // start the bot again when a file in the folder changes
	Clock       clock.Clock
	Environment []string    // of this process
	Service     *LineWriter // for lines of the service
	Output      *LineWriter // for the output of the bot
}

// Run runs the bot until it ends, or until ctx ends. It returns the exit code of the bot, 0 if ctx has ended.
func (r *Runner) Run(ctx context.Context, bot Bot) (code int, err error) {
	folder, err := filepath.Abs(r.Folder)
	if err != nil {
		return 0, err
	}
	variables, err := bot.Variables(folder)
	if err != nil {
		return 0, err
	}
	redirect, end, err := Open(ctx, bot.URL, r.Clock.Now(), r.Environment, func(host string) {
		r.say("%s was refused: a bot under bellhop run reaches Discord's hosts only, and these are answered here", host)
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, end()) }()
	r.say("the console is at %s/", bot.URL)
	env := slices.Concat(r.Environment, redirect, variables)
	for {
		before := state(folder)
		p, err := r.start(env)
		if err != nil {
			return 0, err
		}
		changed := r.await(ctx, p, before, folder)
		p.Stop()
		if err := r.Output.Flush(); err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, nil
		}
		if !changed {
			code, reason := exitOf(p.Err)
			r.say("the bot has ended: %s", reason)
			if !r.Watch {
				return code, nil
			}
			if !watch.Await(ctx, before, func() string { return state(folder) }) {
				return 0, nil
			}
		}
		r.say("a file has changed")
	}
}

// start starts the bot.
func (r *Runner) start(env []string) (*Process, error) {
	cmd := Program(r.Command[0], r.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Folder, env, r.Input, r.Output, r.Output
	r.say("starting %s", strings.Join(r.Command, " "))
	p, err := Start(cmd, r.Clock)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", r.Command[0], err)
	}
	return p, nil
}

// await waits until the bot or ctx ends or, with Watch, until a file changes. It reports whether a file has changed.
func (r *Runner) await(ctx context.Context, p *Process, before, folder string) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan bool, 1)
	if r.Watch {
		go func() { changed <- watch.Await(ctx, before, func() string { return state(folder) }) }()
	}
	select {
	case <-p.Ended:
		return false
	case <-ctx.Done():
		return false
	case again := <-changed:
		return again
	}
}

// state returns a text that changes when a file of the folder changes.
func state(folder string) string { return watch.State([]string{filepath.Join(folder, "bot")}) }

// exitOf returns the exit code of a process, and how it ended. A signal has the code that shells give it.
func exitOf(err error) (code int, reason string) {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, "exit code 0"
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), status.Signal().String()
	}
	return exit.ExitCode(), fmt.Sprintf("exit code %d", exit.ExitCode())
}

// say prints a line of the service.
func (r *Runner) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Service, format+"\n", args...) // without a terminal there is no reader
}
