package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/load"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/system"
	"github.com/bellhop/bellhop/internal/tools/terminal"
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
	Service     devService    `embed:""`
	Say         []string      `sep:"none" placeholder:"TEXT" help:"Write this message instead of using a command. Can be repeated, and given beside commands. Draws values as commands do."`
	Commands    []string      `arg:"" optional:"" name:"command" help:"Commands as a user types them. Each invocation draws values: {Ada,Bob} from a list, {1..6} from a range; {{ is a brace."`
}

// errThreshold means that a condition of --fail holds. The report shows it.
var errThreshold = errors.New("the load test failed")

// Run uses the commands, writes the messages and prints the report.
func (o loadOptions) Run(ctx context.Context, s streams) error {
	plan, err := o.plan(ctx)
	if err != nil {
		return err
	}
	shown := terminal.NewProgress(s.err, "load")
	report, err := load.Test{
		Service: remote.Root(o.Service.BaseURL), Wait: o.Wait, Plan: plan, Clock: clock.System{}, CPU: system.ProcessorTime,
		Progress: func(p load.Progress) {
			shown.Rename(fmt.Sprintf("load, %.0f a second, p99 %s, %s", p.Throughput, p.P99.Round(time.Millisecond/10), terminal.Plural(p.Failed, "failure")))
			shown.Step(int64(p.Elapsed.Seconds()), int64(p.Total.Seconds()))
		},
	}.Run(ctx)
	shown.Clear()
	if err != nil {
		return err
	}
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
		if err := files.Create(o.HTML, report.HTML); err != nil {
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
func (o loadOptions) plan(ctx context.Context) (p load.Plan, err error) {
	if o.File != "" {
		text, err := os.ReadFile(o.File)
		if err != nil {
			return p, err
		}
		if p, err = load.ParsePlan(files.Shown(o.File), text); err != nil {
			return p, usageError{err}
		}
	}
	err = load.Settings{
		Rate: o.Rate, Concurrency: o.Concurrency, InFlight: o.InFlight, For: o.For, Ramp: o.Ramp, Timeout: o.Timeout, Seed: o.Seed,
		Think: o.Think, Fail: o.Fail, Commands: o.Commands, Say: o.Say,
	}.Override(&p)
	if err != nil {
		return p, usageError{err}
	}
	if err := p.Place(ctx, remote.Root(o.Service.BaseURL), o.In, o.As); err != nil {
		return p, err
	}
	if p, err = p.Complete(); err != nil {
		return p, usageError{err}
	}
	return p, nil
}
