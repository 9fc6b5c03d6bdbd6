package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
)

// yardstickCommand is the first argument of a process of this program that runs as a yardstick.
const yardstickCommand = "yardstick"

// environment has the values that all cases of a run share: the flags, a folder for files, and the binary under test.
type environment struct {
	options
	*workDir
	root   string // folder of the module
	stderr io.Writer
	serial workload.Serial // numbers the writes of the run
}

func openEnvironment(ctx context.Context, o options, stderr io.Writer) (*environment, error) {
	s := &environment{options: o, stderr: stderr}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/bellhop/bellhop").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	s.root = strings.TrimSpace(string(out))
	if s.results == "" {
		s.results = filepath.Join(s.root, "bench", "results")
	}
	s.workDir, err = newWorkDir()
	return s, err
}

// logf prints the progress of the run.
func (s *environment) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.stderr, "bench: "+format+"\n", args...) // a progress message may be lost
}

// loaded returns a side that sends requests to p.
func (s *environment) loaded(p *process.Process, requests load.Source) compare.Runner {
	target := s.target(p.Addr, requests)
	return compare.Runner{Run: func(ctx context.Context, d time.Duration) (load.Result, error) { return measured(ctx, p, target, d) }}
}

// measured loads p for the time d and records the CPU time of p.
func measured(ctx context.Context, p *process.Process, target load.Target, d time.Duration) (load.Result, error) {
	before, err := p.CPU()
	if err != nil {
		return load.Result{}, err
	}
	result, err := target.Run(ctx, d)
	if err != nil {
		return load.Result{}, err
	}
	after, err := p.CPU()
	result.CPU = after - before
	return result, err
}

// target returns a load of requests for the server at addr.
func (s *environment) target(addr string, requests load.Source) load.Target {
	return load.Target{Addr: addr, Connections: s.connections, Requests: requests}
}

// bare starts a server that responds with a to all requests.
func (s *environment) bare(ctx context.Context, a reply, requests load.Source) (compare.Runner, error) {
	file, err := s.file("answer", a.body)
	if err != nil {
		return compare.Runner{}, err
	}
	return s.yardstick(ctx, yardstick.Args(file, a.contentType), requests)
}

// durable starts a server that stores each request in the given number of rows and then responds with a.
func (s *environment) durable(ctx context.Context, a reply, rows int, requests load.Source) (compare.Runner, error) {
	file, err := s.file("answer", a.body)
	if err != nil {
		return compare.Runner{}, err
	}
	data, err := s.folder("durable")
	if err != nil {
		return compare.Runner{}, err
	}
	return s.yardstick(ctx, yardstick.DurableArgs(file, a.contentType, data, rows), requests)
}

// yardstick starts this program as a yardstick with the given arguments.
func (s *environment) yardstick(ctx context.Context, args []string, requests load.Source) (compare.Runner, error) {
	program, err := os.Executable()
	if err != nil {
		return compare.Runner{}, err
	}
	p, err := process.Start(ctx, program, append([]string{yardstickCommand}, args...)...)
	if err != nil {
		return compare.Runner{}, err
	}
	side := s.loaded(p, requests)
	side.Close = p.Stop
	return side, nil
}

// build returns the path of the binary under test. The first call builds it.
func (s *environment) build(ctx context.Context) (string, error) {
	if s.bellhop != "" {
		return s.bellhop, nil
	}
	s.logf("building bellhop")
	binary := s.path("bellhop")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/bellhop")
	cmd.Dir, cmd.Env = s.root, append(os.Environ(), "CGO_ENABLED=0") // as a release is built
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bellhop: %w\n%s", err, out)
	}
	s.bellhop = binary
	return binary, nil
}
