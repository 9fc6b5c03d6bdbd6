// Command bench loads Bellhop and, in the same run on the same cores, minimal servers called yardsticks, and prints the ratios.
// README.md explains the table and how to add a case.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // an error occurred or a bound was missed
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	run         *regexp.Regexp
	rounds      int
	seconds     float64
	connections int
	scale       int
	json        bool
	quick       bool
	bellhop     string
	results     string
}

// run runs the benchmarks that args select. If the first argument is "yardstick", the process is a yardstick instead.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == yardstickCommand {
		return exitCode(yardstick.Main(ctx, args[1:], stdout), exitFailed, stderr)
	}
	o, err := parse(args, stderr)
	if err != nil {
		return exitCode(err, exitUsage, stderr)
	}
	return exitCode(o.bench(ctx, stdout, stderr), exitFailed, stderr)
}

// exitCode prints err and returns the exit code.
func exitCode(err error, code int, stderr io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	_, _ = fmt.Fprintln(stderr, "bench:", err) // an error here cannot be reported
	return code
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "measure only the cases whose names match this `regexp`")
	flags.IntVar(&o.rounds, "rounds", 10, "`number` of rounds for each side of a case")
	flags.Float64Var(&o.seconds, "seconds", 1, "`length` of a round")
	flags.IntVar(&o.connections, "connections", 64, "`number` of concurrent requests")
	flags.IntVar(&o.scale, "scale", 1_000_000, "`number` of commands in the large registry, 50 per application, and of lobbies")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON instead of the table")
	flags.BoolVar(&o.quick, "quick", false, "run one short round on a small scale; check no bounds and save no results")
	flags.StringVar(&o.bellhop, "bellhop", "", "measure this `binary` instead of building one from the module")
	flags.StringVar(&o.results, "results", "", "save raw results in this `folder` instead of bench/results of the module")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.quick {
		o.rounds, o.seconds, o.connections, o.scale = 1, 0.2, 8, 1000
	}
	var err error
	if o.run, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.rounds < 1 || o.seconds <= 0 || o.connections < 1:
		return o, errors.New("-rounds, -seconds and -connections must be positive")
	case o.scale < workload.ListLength:
		return o, fmt.Errorf("-scale must be at least %d", workload.ListLength)
	}
	return o, nil
}

func (o options) plan() compare.Plan {
	round := time.Duration(o.seconds * float64(time.Second))
	return compare.Plan{Rounds: o.rounds, Round: round, Warmup: round / 2}
}

// bench runs the cases, prints and saves the report, and fails if a value is out of its bound.
func (o options) bench(ctx context.Context, stdout, stderr io.Writer) (err error) {
	e, err := openEnvironment(ctx, o, stderr)
	if err != nil {
		return err
	}
	s := newSuite(e)
	defer func() { err = errors.Join(err, s.close()) }()
	report := s.report(ctx)
	var failed []error
	for _, c := range s.cases() {
		if !o.run.MatchString(c.Name) {
			continue
		}
		if o.quick {
			c.Bound = compare.Bound{}
		}
		s.logf("measuring %s", c.Name)
		outcome, err := c.Run(ctx, o.plan())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the other cases are measured all the same
			failed = append(failed, fmt.Errorf("%s: %w", c.Name, err))
			s.logf("%v", failed[len(failed)-1])
			continue
		}
		report.Outcomes = append(report.Outcomes, outcome)
	}
	if len(report.Outcomes) == 0 && len(failed) == 0 {
		return fmt.Errorf("no case matches %q", o.run)
	}
	if len(report.Outcomes) == 0 {
		return errors.Join(failed...)
	}
	if err := o.publish(report, e, stdout); err != nil {
		return err
	}
	if missed := report.Missed(); len(missed) > 0 {
		failed = append(failed, fmt.Errorf("bounds missed: %s", strings.Join(missed, ", ")))
	}
	return errors.Join(failed...)
}
