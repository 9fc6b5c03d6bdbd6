package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/watch"
	"github.com/bellhop/bellhop/internal/world"
)

// testOptions are the flags of "bellhop test".
type testOptions struct {
	Lint     bool     `env:"-" help:"Only check the files. Errors have a line and a column."`
	Schema   bool     `env:"-" help:"Print the JSON Schema of scenario files, for editors."`
	Only     string   `name:"run" env:"-" placeholder:"REGEXP" help:"Run only the scenarios whose name matches."`
	Parallel int      `short:"p" placeholder:"N" help:"How many scenarios run at once. Default: one per processor."`
	Update   bool     `env:"-" help:"Write the answers to snapshot files beside the scenario files."`
	Watch    bool     `env:"-" help:"Run the scenarios again when a file in the folder of a scenario file changes."`
	Format   string   `enum:"pretty,junit,tap,github,json" default:"pretty" env:"-" help:"Format of the results: pretty, junit, tap, github or json."`
	Output   string   `short:"o" env:"-" type:"path" placeholder:"FILE" help:"Write the results in the format to this file, and print them for people."`
	JSON     bool     `name:"json" env:"-" help:"The same as --format json."`
	Gaps     string   `enum:"list,fail" default:"list" env:"-" help:"What to do if an app calls an operation of Discord that Bellhop does not serve. list: name it at the end. fail: also fail."`
	Quiet    bool     `short:"q" help:"Print only the scenarios that failed."`
	Verbose  bool     `short:"v" env:"-" help:"Print everything that is known about a failure: the last request, and the output of the app."`
	Files    []string `arg:"" optional:"" help:"Scenario files."`
}

// Run runs the scenarios of the files.
func (o testOptions) Run(ctx context.Context, s streams) error {
	if o.Schema {
		text, err := scenario.Schema()
		if err != nil {
			return err
		}
		_, err = s.out.Write(text)
		return err
	}
	if len(o.Files) == 0 {
		return usageError{errors.New("name a scenario file")}
	}
	if o.JSON {
		o.Format = string(scenario.JSON)
	}
	match, err := regexp.Compile(o.Only)
	if err != nil {
		return usageError{fmt.Errorf("--run: %w", err)}
	}
	if o.Lint {
		list, err := o.load(s)
		if err != nil {
			return err
		}
		p := terminal.Printer{Out: s.out}
		for _, f := range list {
			p.Line("%s: %s, no faults", f.Name(), terminal.Plural(len(f.Scenarios), "scenario"))
		}
		return p.Err
	}
	if o.Watch {
		o.runOnChange(ctx, s, match)
		return nil
	}
	return o.runOnce(ctx, s, match)
}

// load reads the files. It prints the problems of all files, and returns a usage error if there are any: nothing ran.
func (o testOptions) load(s streams) ([]*scenario.File, error) {
	list, faults, err := scenario.LoadAll(o.Files)
	if err != nil {
		return nil, usageError{err}
	}
	for _, fault := range faults {
		fmt.Fprintln(s.err, fault)
	}
	if len(faults) > 0 {
		return nil, exitCode(exitUsage)
	}
	return list, nil
}

// runOnce runs the scenarios and prints the results.
func (o testOptions) runOnce(ctx context.Context, s streams, match *regexp.Regexp) error {
	list, err := o.load(s)
	if err != nil {
		return err
	}
	r := scenario.Runner{Open: openScenarioServer, Clock: clock.System{}, Parallel: o.Parallel, Match: match, Update: o.Update}
	total := r.Count(list)
	if total == 0 {
		return usageError{errors.New("no scenario has a name that matches --run")}
	}
	pretty := o.Format == "pretty" || o.Output != ""
	shown, bar, ended := &scenario.Pretty{Printer: terminal.Printer{Out: s.out}, Style: newStyle(s.out), Verbose: o.Verbose}, terminal.NewProgress(s.err, "scenarios"), 0
	r.Done = func(result scenario.Result) {
		ended++
		if pretty && (result.Failure != nil || !o.Quiet) {
			bar.Clear()
			shown.Result(result)
		}
		bar.Steps(ended, total)
	}
	began := time.Now()
	results, err := r.Run(ctx, list)
	bar.Clear()
	if err != nil {
		return err
	}
	if pretty {
		shown.Summary(results, time.Since(began))
	}
	if err := errors.Join(shown.Err, o.write(s.out, results)); err != nil {
		return err
	}
	if scenario.Failed(results) > 0 || o.Gaps == "fail" && len(scenario.Gaps(results)) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// runOnChange runs the scenarios, and again each time when a file in the folder of a scenario file changes, until ctx ends.
func (o testOptions) runOnChange(ctx context.Context, s streams, match *regexp.Regexp) {
	watch.Repeat(ctx, o.Files, o.Update, func() {
		err := o.runOnce(ctx, s, match)
		if ctx.Err() != nil {
			return // the user has ended the watch
		}
		if _, ok := errors.AsType[exitCode](err); !ok && err != nil {
			fmt.Fprintf(s.err, "bellhop: %v\n", err)
		}
		fmt.Fprintln(s.out, "waiting for a change")
	})
}

// openScenarioServer opens a service for one scenario.
func openScenarioServer(ctx context.Context, w *world.World, folder string, limited bool) (*scenario.Server, error) {
	limits := ratelimit.Off()
	if limited {
		limits = ratelimit.Default()
	}
	srv, err := server.Open(ctx, server.Config{
		Clock: clock.System{}, Data: folder, World: w, Dev: true, AllIntents: true, AnyBotToken: true, Volatile: true, Version: version, Log: slog.New(slog.DiscardHandler), Limits: limits, Docs: bellhop.Documentation,
	})
	if err != nil {
		return nil, err
	}
	return &scenario.Server{
		Secrets: secrets.Reveal(srv.Applied), Close: srv.Close,
		Serve: func(ctx context.Context, ln net.Listener) error { return srv.Run(ctx, ln) },
	}, nil
}

// write writes the results for programs.
func (o testOptions) write(out io.Writer, results []scenario.Result) error {
	if o.Output == "" && o.Format == "pretty" {
		return nil
	}
	format := scenario.Format(o.Format)
	if o.Format == "pretty" {
		format = scenario.FormatOf(o.Output)
	}
	if o.Output == "" {
		return scenario.Write(out, format, results)
	}
	return files.Create(o.Output, func(w io.Writer) error { return scenario.Write(w, format, results) })
}
