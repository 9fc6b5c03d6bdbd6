package main

import (
	"context"
	"errors"
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

// yardstickCommand is the first argument of a process of this program that is a yardstick.
const yardstickCommand = "yardstick"

// stage is what the cases of one run share: a folder to write to, the binary under test, and the servers that several
// cases load. Servers start when the first case asks for them.
type stage struct {
	options
	*workDir
	root   string // of the module
	stderr io.Writer
	serial workload.Serial // numbers the writes of the run

	small *registry // near empty: what most cases load
	large *registry // scale commands

	limited *registry // near empty, with limits
	picker  *registry // a guild with many applications

	fleet *cluster // nodes on PostgreSQL and Redis

	hall           *lobbyServer   // with few lobbies
	quiet, crowded *lobbyServer   // with fewer still, and with scale of them
	running          []*lobbyServer // all that run
	ended          *expiry

	invoked *registry // a guild with two applications that answer at once
	// sharedInvoked is the same on PostgreSQL and Redis, sharedInvoke the request with which the person uses its first command.
	sharedInvoked *registry
	sharedInvoke     []byte
	apps          []*process.Process // those applications: one answers, one defers
	use           []byte             // the request that uses a command of the first
}

func openStage(ctx context.Context, o options, stderr io.Writer) (*stage, error) {
	s := &stage{options: o, stderr: stderr}
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

// close stops the servers and removes what they wrote.
func (s *stage) close() error {
	var errs []error
	for _, r := range []*registry{s.small, s.large, s.limited, s.picker, s.invoked, s.sharedInvoked} {
		if r != nil {
			errs = append(errs, r.Stop())
		}
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.stop())
	}
	for _, h := range s.running {
		errs = append(errs, h.Stop())
	}
	for _, p := range s.apps {
		errs = append(errs, p.Stop())
	}
	return errors.Join(append(errs, s.remove())...)
}

// say tells the person who waits what happens.
func (s *stage) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.stderr, "bench: "+format+"\n", args...) // nobody is left to tell when it fails
}

// loaded returns a side that loads p with requests.
func (s *stage) loaded(p *process.Process, requests load.Source) compare.Runner {
	target := s.target(p.Addr, requests)
	return compare.Runner{Run: func(ctx context.Context, d time.Duration) (load.Result, error) { return measured(ctx, p, target, d) }}
}

// measured loads p for a while and notes how much processor time that took it.
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

// target returns a load of requests on the server at addr.
func (s *stage) target(addr string, requests load.Source) load.Target {
	return load.Target{Addr: addr, Connections: s.connections, Requests: requests}
}

// bare starts a server that gives the answer a to requests.
func (s *stage) bare(ctx context.Context, a reply, requests load.Source) (compare.Runner, error) {
	file, err := s.file("answer", a.body)
	if err != nil {
		return compare.Runner{}, err
	}
	return s.yardstick(ctx, yardstick.Args(file, a.contentType), requests)
}

// durable starts a server that stores requests in so many rows each and then gives the answer a.
func (s *stage) durable(ctx context.Context, a reply, rows int, requests load.Source) (compare.Runner, error) {
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

// yardstick starts this program again as a yardstick.
func (s *stage) yardstick(ctx context.Context, args []string, requests load.Source) (compare.Runner, error) {
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

// build returns the binary under test. It is built when the first case needs it.
func (s *stage) build(ctx context.Context) (string, error) {
	if s.bellhop != "" {
		return s.bellhop, nil
	}
	s.logf("building bellhop")
	binary := s.path("bellhop")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/bellhop") //nolint:gosec // G204: binary is in our own folder
	cmd.Dir = s.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bellhop: %w\n%s", err, out)
	}
	s.bellhop = binary
	return binary, nil
}
