// Package process runs servers as child processes: it starts a server, reads its address, stops it, and reads its
// memory and CPU time. A server under load and the load generator run in different processes, so that they do not share
// memory and scheduler.
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
	// startTimeout is the longest time from the start of a server until it listens.
	startTimeout = 2 * time.Minute
	// A server that does not stop within stopTimeout is killed.
	stopTimeout = 15 * time.Second
)

// Process is a running server.
type Process struct {
	// Addr is the host and port that the server listens on.
	Addr string
	// Ready is the time from the start until the server listened.
	Ready time.Duration

	cmd    *exec.Cmd
	cancel context.CancelFunc
	exited chan struct{} // closed when err is set
	err    error
	stderr tail
}

// Start starts a program and waits until it prints a line "listening on http://HOST:PORT". The program gets SIGTERM
// when ctx ends. The caller must call Stop or Kill.
func Start(ctx context.Context, program string, args ...string) (*Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{cancel: cancel, exited: make(chan struct{})}
	stdout := addressFinder{found: make(chan string, 1)}
	p.cmd = exec.CommandContext(ctx, program, args...)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = stopTimeout
	p.cmd.Stdout, p.cmd.Stderr = &stdout, &p.stderr
	dieWithParent(p.cmd)

	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() { // Stop waits for it
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	listens := func(addr string) (*Process, error) {
		p.Addr, p.Ready = addr, time.Since(began)
		return p, nil
	}
	select {
	case addr := <-stdout.found:
		return listens(addr)
	case <-p.exited:
		select {
		case addr := <-stdout.found: // it listened and then exited, before this goroutine ran
			return listens(addr)
		default:
		}
		err := errors.Join(p.err, ctx.Err())
		cancel()
		return nil, fmt.Errorf("%s exited before it listened: %w%s", program, err, p.stderr.quote())
	case <-time.After(startTimeout):
		return nil, errors.Join(fmt.Errorf("%s does not listen after %v%s", program, startTimeout, p.stderr.quote()), p.Stop())
	}
}

// Stop sends SIGTERM and waits for the exit. It returns an error if the process exited before, or with a failure.
func (p *Process) Stop() error {
	select {
	case <-p.exited:
		p.cancel()
		return fmt.Errorf("%s exited unexpectedly: %w%s", p.cmd.Path, errors.Join(p.err, errExited), p.stderr.quote())
	default:
	}
	p.cancel()
	<-p.exited
	if p.cmd.ProcessState.Success() || stoppedBy(p.cmd.ProcessState, syscall.SIGTERM) {
		return nil
	}
	return fmt.Errorf("stop %s: %w%s", p.cmd.Path, p.err, p.stderr.quote())
}

var errExited = errors.New("Stop was not called")

// Kill kills the process, like a crash.
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

// addressFinder finds the address in the output of a program.
type addressFinder struct {
	found chan string // capacity 1
	line  []byte
	done  bool
}

// Write searches complete lines.
func (a *addressFinder) Write(p []byte) (int, error) {
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

// tail keeps the end of the output of a program.
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

// quote returns the tail, for the end of an error message.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return ""
	}
	return "; its output:\n" + string(t.text)
}
