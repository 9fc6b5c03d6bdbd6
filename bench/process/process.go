// Package process runs servers as child processes: it starts one, learns where it listens, stops it and says how much
// memory it holds. A server under load and the load generator are processes of their own, so that neither pays for the
// other's memory and scheduler.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// patience is how long a server may take until it listens.
	patience = 2 * time.Minute
	// farewell is how long a server may take to stop before it is killed.
	farewell = 15 * time.Second
)

// Process is a server that runs.
type Process struct {
	// Addr is the host and port where it listens.
	Addr string
	// Ready is the time from its start until it listened.
	Ready time.Duration

	cmd    *exec.Cmd
	cancel context.CancelFunc
	exited chan struct{} // closed when err is set
	err    error
	stderr tail
}

// Start runs a program and waits until it prints "listening on http://HOST:PORT" on a line of its own. The program is
// told to stop when ctx ends. Whoever starts a process stops it.
func Start(ctx context.Context, program string, args ...string) (*Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{cancel: cancel, exited: make(chan struct{})}
	said := announcement{found: make(chan string, 1)}
	p.cmd = exec.CommandContext(ctx, program, args...) //nolint:gosec // G204: to run what it is given is its task
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = farewell
	p.cmd.Stdout, p.cmd.Stderr = &said, &p.stderr
	dieWithParent(p.cmd)

	begun := time.Now()
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() { // ends with the process, which Stop waits for
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	listens := func(addr string) (*Process, error) {
		p.Addr, p.Ready = addr, time.Since(begun)
		return p, nil
	}
	select {
	case addr := <-said.found:
		return listens(addr)
	case <-p.exited:
		select {
		case addr := <-said.found: // it listened and then ended, before this goroutine got to run
			return listens(addr)
		default:
		}
		err := errors.Join(p.err, ctx.Err())
		cancel()
		return nil, fmt.Errorf("%s ended before it listened: %w%s", program, err, p.stderr.quote())
	case <-time.After(patience):
		return nil, errors.Join(fmt.Errorf("%s does not listen after %v%s", program, patience, p.stderr.quote()), p.Stop())
	}
}

// Stop ends the process in good order. It returns an error when the process had ended before, or ends badly.
func (p *Process) Stop() error {
	select {
	case <-p.exited:
		p.cancel()
		return fmt.Errorf("%s ended by itself: %w%s", p.cmd.Path, errors.Join(p.err, errGone), p.stderr.quote())
	default:
	}
	p.cancel()
	<-p.exited
	if p.cmd.ProcessState.Success() || stoppedBy(p.cmd.ProcessState, syscall.SIGTERM) {
		return nil
	}
	return fmt.Errorf("stop %s: %w%s", p.cmd.Path, p.err, p.stderr.quote())
}

var errGone = errors.New("nobody had asked it to")

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	<-p.exited
	p.cancel()
	return nil
}

func stoppedBy(state *os.ProcessState, signal syscall.Signal) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == signal
}

// announcement takes what a program prints and finds the address in it.
type announcement struct {
	found chan string // holds one
	line  []byte
	done  bool
}

// Write looks at whole lines only.
func (a *announcement) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		if a.done {
			break
		}
		a.line = append(a.line, part...)
		line, whole := bytes.CutSuffix(a.line, []byte("\n"))
		if !whole {
			break
		}
		if addr, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("listening on http://")); ok {
			a.found <- string(addr)
			a.done = true
		}
		a.line = a.line[:0]
	}
	return len(p), nil
}

// tail keeps the last part of what a program prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if excess := len(t.text) - tailSize; excess > 0 {
		t.text = append(t.text[:0], t.text[excess:]...)
	}
	return len(p), nil
}

// quote returns the tail for the end of an error message.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return ""
	}
	return "; it said:\n" + string(t.text)
}
