package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/load"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/system"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
)

// loadOptions are the flags of "bellhop load". A flag overrides the load file.
type loadOptions struct {
	File        string        `short:"f" type:"path" placeholder:"FILE" help:"Load file with the commands, their weights and all other settings."`
	As          []string      `placeholder:"USER" help:"People who use the commands and write: ids or usernames. Default: all members of the channel's guild."`
	In          string        `placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL. Default: the first text channel of the world."`
	Rate        float64       `placeholder:"N" help:"Start N invocations a second, whether or not earlier ones have an answer."`
	Concurrency int           `short:"c" placeholder:"N" help:"N people use commands at the same time. Each waits for the answer."`
	For         time.Duration `placeholder:"TIME" help:"How long invocations start. Default: 10s."`
	Ramp        time.Duration `placeholder:"TIME" help:"How long the rate or the concurrency takes to grow from 0."`
	Think       string        `placeholder:"TIME" help:"Pause of a person after an answer, such as 2s or 1s..3s. Needs --concurrency."`
	Timeout     time.Duration `placeholder:"TIME" help:"How long an invocation waits for its answer. Default: 10s."`
	InFlight    int           `placeholder:"N" help:"Maximum number of invocations in progress with --rate. Default: 200."`
	Seed        uint64        `placeholder:"N" help:"Selects the drawn values. The same seed gives the same commands."`
	Wait        string        `default:"answer" enum:"answer,final" help:"What to wait for. answer: the first response of the app. final: also the result of a deferred response."`
	Fail        []string      `sep:"none" placeholder:"CONDITION" help:"Exit with code 1 if the condition holds, such as 'p99>500ms', 'errors>1%' or 'throughput<100'. Can be repeated."`
	JSON        bool          `name:"json" help:"Print the report as JSON."`
	HTML        string        `name:"html" type:"path" placeholder:"FILE" help:"Write the report as an HTML page with plots."`
	BaseURL     string        `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
	Say         []string      `sep:"none" placeholder:"TEXT" help:"Write this message instead of using a command. Can be repeated, and given beside commands. Draws values as commands do."`
	Commands    []string      `arg:"" optional:"" name:"command" help:"Commands as a user types them. Each invocation draws values: {Ada,Bob} from a list, {1..6} from a range; {{ is a brace."`
}

// errThreshold means that a condition of --fail holds. The report shows it.
var errThreshold = errors.New("the load test failed")

// seenWithin bounds how long the end of a run waits until apps have seen the messages.
const seenWithin = 2 * time.Second

// Run uses the commands, writes the messages and prints the report.
func (o loadOptions) Run(ctx context.Context, s streams) error {
	plan, err := o.plan(ctx)
	if err != nil {
		return err
	}
	root := remote.Root(o.BaseURL)
	shown := terminal.NewProgress(s.err, "load")
	target := load.NewTarget(root, o.Wait, plan, clock.System{})
	if plan.Says() {
		if target.Watcher, err = load.Watch(ctx, target); err != nil {
			return err
		}
	}
	runner := &load.Runner{
		Plan: plan, Clock: clock.System{}, Send: target.Send, CPU: system.ProcessorTime,
		Progress: func(p load.Progress) {
			shown.Rename(fmt.Sprintf("load, %.0f a second, p99 %s, %s", p.Throughput, p.P99.Round(time.Millisecond/10), terminal.Plural(p.Failed, "failure")))
			shown.Step(int64(p.Elapsed.Seconds()), int64(p.Total.Seconds()))
		},
	}
	report := runner.Run(ctx)
	report.Generator.Processors = runtime.NumCPU()
	if target.Watcher != nil {
		seen := target.Watcher.Close(ctx, seenWithin)
		report.Seen = &seen
	}
	shown.Clear()
	target.HTTP.CloseIdleConnections()
	if err := o.write(report, s); err != nil {
		return err
	}
	if !report.Passed() {
		return errThreshold
	}
	return nil
}

// write prints the report and writes the page.
func (o loadOptions) write(report *load.Report, s streams) error {
	if o.HTML != "" {
		f, err := os.Create(o.HTML)
		if err != nil {
			return err
		}
		if err := errors.Join(report.HTML(f), f.Close()); err != nil {
			return err
		}
	}
	if !o.JSON {
		return report.Text(s.out)
	}
	text, err := report.JSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s\n", text)
	return err
}

// plan returns the plan of the load file and the flags, with people and channels of the service's world.
func (o loadOptions) plan(ctx context.Context) (load.Plan, error) {
	var p load.Plan
	if o.File != "" {
		text, err := os.ReadFile(o.File)
		if err != nil {
			return p, err
		}
		if p, err = load.ParsePlan(shownPath(o.File), text); err != nil {
			return p, usageError{err}
		}
	}
	if err := o.override(&p); err != nil {
		return p, usageError{err}
	}
	text, err := remote.Request{Method: http.MethodGet, URL: remote.Root(o.BaseURL) + "/_dev/world"}.Send(ctx)
	if err != nil {
		return p, err
	}
	w, err := world.Parse("world of the service", text)
	if err != nil {
		return p, err
	}
	for i := range p.Mix {
		if err := p.Mix[i].Place(w, o.In, o.As); err != nil {
			return p, err
		}
	}
	if p, err = p.Complete(); err != nil {
		return p, usageError{err}
	}
	return p, nil
}

// override replaces the settings of a plan by the flags that are given.
func (o loadOptions) override(p *load.Plan) error {
	if o.Rate != 0 || o.Concurrency != 0 {
		p.Rate, p.Concurrency = o.Rate, o.Concurrency
	}
	p.For, p.Ramp, p.Timeout = cmp.Or(o.For, p.For), cmp.Or(o.Ramp, p.Ramp), cmp.Or(o.Timeout, p.Timeout)
	p.InFlight, p.Seed = cmp.Or(o.InFlight, p.InFlight), cmp.Or(o.Seed, p.Seed)
	if o.Think != "" {
		think, err := load.ParseSpan(o.Think)
		if err != nil {
			return fmt.Errorf("--think: %w", err)
		}
		p.Think = think
	}
	for _, text := range o.Fail {
		t, err := load.ParseThreshold(text)
		if err != nil {
			return fmt.Errorf("--fail: %w", err)
		}
		p.Fail = append(p.Fail, t)
	}
	if len(o.Commands)+len(o.Say) > 0 {
		p.Mix = nil
	}
	for i, text := range slices.Concat(o.Commands, o.Say) {
		line, err := load.ParseLine(text)
		if err != nil {
			return err
		}
		p.Mix = append(p.Mix, load.Step{Use: line, Say: i >= len(o.Commands), Weight: 1})
	}
	return nil
}
