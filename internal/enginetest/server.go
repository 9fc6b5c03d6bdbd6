// Package enginetest starts real PostgreSQL and Redis servers, on loopback ports of their own and in folders that go with
// them, for tests and benchmarks. It never skips: where the programs are missing it says what to install.
package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// patience is how long a server may take until it answers.
	patience = time.Minute
	// farewell is how long a server may take to stop before it is killed.
	farewell = 20 * time.Second
	// pause lies between two tries to reach a server that starts.
	pause = 20 * time.Millisecond
)

// server is a program that serves on a port of its own and can be started again on the same port and folder.
type server struct {
	program string
	args    []string
	owner   *syscall.Credential // nil: who runs the test
	dir     string
	port    int
	probe   func(ctx context.Context) error // nil once the server answers

	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
	output tail
}

// folder makes a folder for a server and says who the server runs as. PostgreSQL refuses to run as root.
func folder(name string) (string, *syscall.Credential, error) {
	dir, err := os.MkdirTemp("", "bellhop-"+name+"-")
	if err != nil || os.Getuid() != 0 {
		return dir, nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, owner, os.Chown(dir, int(owner.Uid), int(owner.Gid))
}

// unprivileged returns the user that servers run as when the test is run by root.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("there is no user postgres or nobody to run servers as")
}

// freePort returns a port that nobody listens on.
func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := ln.Addr().(*net.TCPAddr).Port
	return port, ln.Close()
}

// command returns a program that runs as the server's owner and ends with this process.
func (s *server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // G204: the programs are found by this package
	cmd.Dir = s.dir
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: s.owner}
	return cmd
}

// start runs the server until it answers.
func (s *server) start(ctx context.Context) error {
	// The server outlives the call: whoever starts it stops it.
	cmd := s.command(context.WithoutCancel(ctx), s.program, s.args...)
	exited := make(chan struct{})
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the process, which Stop and Kill wait for
		_ = cmd.Wait() // how it ended shows in what it said
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
	deadline := time.Now().Add(patience)
	for {
		err := s.probe(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return fmt.Errorf("%s ended before it answered: %s", s.program, s.output.String())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), s.Kill())
		case <-time.After(pause):
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("%s does not answer: %w: %s", s.program, err, s.output.String()), s.Kill())
		}
	}
}

// Start runs the server again after Halt or Kill, on the same port.
func (s *server) Start(ctx context.Context) error { return s.start(ctx) }

// Halt ends the server in good order; its data stay.
func (s *server) Halt() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(farewell):
		return s.Kill()
	}
}

// Kill ends the server at once, as a crash would; its data stay.
func (s *server) Kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.exited
	return nil
}

// Freeze stops the server with all of its processes, as a machine that hangs would, until Thaw.
func (s *server) Freeze() error {
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil { // first, so that it starts no more processes
		return err
	}
	return s.signalChildren(syscall.SIGSTOP)
}

// Thaw lets a frozen server continue.
func (s *server) Thaw() error {
	return errors.Join(s.signalChildren(syscall.SIGCONT), s.cmd.Process.Signal(syscall.SIGCONT))
}

// signalChildren sends a signal to the processes that the server has started. PostgreSQL has one for each connection.
func (s *server) signalChildren(sig syscall.Signal) error {
	pid := strconv.Itoa(s.cmd.Process.Pid)
	text, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children") //nolint:gosec // G304: a number
	if err != nil {
		return err
	}
	for child := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(child)
		if err != nil {
			return err
		}
		if err := syscall.Kill(n, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// Stop ends the server and removes its data.
func (s *server) Stop() error { return errors.Join(s.Halt(), os.RemoveAll(s.dir)) }

// tail keeps the last part of what a program prints.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if excess := t.text.Len() - tailSize; excess > 0 {
		t.text.Next(excess)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
