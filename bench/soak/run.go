package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellhop/bellhop/bench/clients"
	"github.com/bellhop/bellhop/bench/process"
	"golang.org/x/sync/errgroup"
)

const (
	memory    = "80MiB" // of the service: a small limit is reached soon, so that growth beyond it shows
	listeners = 20      // gateway sessions that receive events all the time
	opensWith = 2       // events at the start of a session: READY and one guild
)

// soakRun is a run. Its service is restarted meanwhile.
type soakRun struct {
	options
	stderr    io.Writer
	dir, data string
	admin     []byte // token
	http      *http.Client
	began     time.Time
	samples   []sample
	restarts  []time.Duration // since the start

	// open is held for reading by the traffic and for writing by a restart. It guards the four fields below.
	open      sync.RWMutex
	service   *process.Process
	listeners *clients.Group
	bot       *bot
	command   command

	mu       sync.Mutex // guards the fields below
	took     []time.Duration
	requests int
	sent     []time.Time // when interactions were sent
	invoked  int         // interactions since the start of the service
	late     int         // answers of the app that came after the deadline
}

func newRun(ctx context.Context, o options, stderr io.Writer) (*soakRun, error) {
	dir, err := os.MkdirTemp("", "bellhop-soak-")
	if err != nil {
		return nil, err
	}
	r := &soakRun{options: o, stderr: stderr, dir: dir, data: filepath.Join(dir, "data"), http: &http.Client{Timeout: 30 * time.Second}}
	err = os.WriteFile(filepath.Join(dir, "world.yaml"), []byte(world), 0o600)
	if err == nil {
		r.admin, err = exec.CommandContext(ctx, o.bellhop, "token", "admin", "--data", r.data).Output()
	}
	if err == nil {
		err = r.start(ctx)
	}
	if err == nil {
		err = r.register(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// logf prints progress.
func (r *soakRun) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.stderr, "soak: "+format+"\n", args...) // a progress message may be lost
}

// run sends traffic, samples and restarts the service until the length of the run has passed.
func (r *soakRun) run(ctx context.Context) error {
	r.began = time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.length)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	for _, w := range r.traffic() {
		g.Go(func() error { return r.repeat(ctx, w.every, w.do) })
	}
	g.Go(func() error {
		return r.repeat(ctx, r.every, func(ctx context.Context, _ int) error { return r.sample(ctx) })
	})
	g.Go(func() error { return r.restartAll(ctx) })
	if err := g.Wait(); err != nil {
		return err
	}
	if len(r.samples) == 0 {
		return errors.New("the run ended before the first sample")
	}
	return r.waitAnswered(context.WithoutCancel(ctx))
}

// repeat calls do at an interval until ctx ends. It does not call it during a restart.
func (r *soakRun) repeat(ctx context.Context, every time.Duration, do func(ctx context.Context, n int) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		r.open.RLock()
		err := do(context.WithoutCancel(ctx), n) // the end of the run breaks nothing off
		r.open.RUnlock()
		if err != nil {
			return err
		}
	}
}

// restartAll restarts the service three times in the first half of the run; the second time after a crash.
func (r *soakRun) restartAll(ctx context.Context) error {
	for i := range 3 {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(r.began.Add(time.Duration(i+1) * r.length / 8))):
		}
		if err := r.restart(ctx, i == 1); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// restart stops or kills the service, when the app has answered all interactions, and starts it again.
func (r *soakRun) restart(ctx context.Context, crash bool) error {
	r.open.Lock()
	defer r.open.Unlock()
	if err := r.waitAnswered(ctx); err != nil {
		return err
	}
	r.logf("restart, after a crash: %v", crash)
	r.restarts = append(r.restarts, time.Since(r.began))
	if err := r.stop(crash); err != nil {
		return err
	}
	return r.start(context.WithoutCancel(ctx))
}

// start starts the service, the app and the listeners.
func (r *soakRun) start(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx) // stop ends them
	r.service, err = process.Start(ctx, r.bellhop, "serve", "--data", r.data, "--world", filepath.Join(r.dir, "world.yaml"),
		"--listen", "127.0.0.1:0", "--limits", "off", "--memory", memory, "--log-level", "warn")
	if err != nil {
		return err
	}
	if r.bot, err = r.connectBot(ctx); err != nil {
		return err
	}
	r.listeners, err = clients.Open(ctx, r.service.Addr, socket, identifyAs(listenerToken, everything), listeners, opensWith)
	return err
}

// stop disconnects the clients and stops the service, or kills it.
func (r *soakRun) stop(crash bool) error {
	var errs []error
	if r.listeners != nil {
		errs = append(errs, r.listeners.Close())
		r.listeners = nil
	}
	if r.bot != nil {
		errs = append(errs, r.bot.close())
		r.bot = nil
	}
	if r.service != nil {
		end := r.service.Stop
		if crash {
			end = r.service.Kill
		}
		errs = append(errs, end())
		r.service = nil
	}
	return errors.Join(errs...)
}

// close stops everything and removes the data.
func (r *soakRun) close() error {
	r.http.CloseIdleConnections()
	return errors.Join(r.stop(false), os.RemoveAll(r.dir))
}
