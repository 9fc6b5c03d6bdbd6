// Command soak runs mixed traffic over a service for a long time, restarts the service meanwhile, and samples its memory,
// goroutines, open files, rows and latency. It fails if requests fail or if a value grows, and writes the samples as a plot.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a request failed or a value grows
	exitUsage  = 2
)

// maxLate is the share of requests that may be answers after the deadline of an interaction: the machine may stand still.
const maxLate = 0.001

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	length, every time.Duration
	bellhop, plot string
}

// run soaks the service as args say.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&o.length, "for", time.Hour, "`length` of the run")
	flags.DurationVar(&o.every, "every", 0, "`time` between two samples (default: a 200th of the run, at most 5s)")
	flags.StringVar(&o.bellhop, "bellhop", "", "the `binary` to run")
	flags.StringVar(&o.plot, "plot", "soak.svg", "`file` for the plot")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case o.bellhop == "" || flags.NArg() > 0 || o.length <= 0 || o.every < 0:
		_, _ = fmt.Fprintln(stderr, "soak: -bellhop FILE is required, -for and -every are positive, and there are no arguments") // cannot be reported
		return exitUsage
	}
	if o.every == 0 {
		o.every = min(o.length/200, 5*time.Second)
	}
	if err := o.soak(ctx, stdout, stderr); err != nil {
		_, _ = fmt.Fprintln(stderr, "soak:", err) // cannot be reported
		return exitFailed
	}
	return exitOK
}

// soak runs the traffic, prints the verdicts and writes the plot.
func (o options) soak(ctx context.Context, stdout, stderr io.Writer) error {
	version, err := exec.CommandContext(ctx, o.bellhop, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", o.bellhop, err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	r, err := newRun(ctx, o, stderr)
	if err != nil {
		return err
	}
	err = r.run(ctx)
	failed := r.close() // names the failed requests of the app
	if err != nil {
		return errors.Join(err, failed)
	}
	p := plot{
		Heading: fmt.Sprintf("%v of mixed traffic, %d requests, %d restarts, %d late answers of the app", o.length, r.requests, len(r.restarts), r.late),
		Version: strings.TrimSpace(first),
		Machine: fmt.Sprintf("%d cores, %s/%s, SQLite, --memory %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, memory),
		Length:  o.length, Judged: o.length / 2, Restarts: r.restarts, Samples: r.samples,
	}
	for _, s := range series {
		p.Verdicts = append(p.Verdicts, s.judge(r.samples, p.Judged))
	}
	if err := os.WriteFile(o.plot, p.svg(), 0o644); err != nil {
		return err
	}
	var grows []string
	for i, s := range series {
		_, _ = fmt.Fprintf(stdout, "%-12s %s\n", s.name, p.Verdicts[i]) // cannot be reported
		if p.Verdicts[i].grows {
			grows = append(grows, s.name)
		}
	}
	if float64(r.late) > maxLate*float64(r.requests) {
		failed = errors.Join(failed, fmt.Errorf("late: %d of %d requests were answers after the deadline, or had none", r.late, r.requests))
	}
	if len(grows) > 0 {
		failed = errors.Join(failed, fmt.Errorf("not flat: %s", strings.Join(grows, ", ")))
	}
	return failed
}
