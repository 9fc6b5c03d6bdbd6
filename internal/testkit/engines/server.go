// Package engines starts real PostgreSQL and Redis servers for tests and benchmarks, on free loopback ports and in
// temporary folders. Need skips a test whose programs are missing.
package engines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	// startTimeout is the longest time from the start of a server until it answers.
	startTimeout = 30 * time.Second
	// A server that does not stop within stopTimeout is killed.
	stopTimeout = 20 * time.Second
	// probeInterval is the pause between two attempts to reach a server that starts.
	probeInterval = 20 * time.Millisecond
)

// server is a program that listens on a port and can be restarted with the same port and folder.
type server struct {
	program string
	args    []string
	owner   *syscall.Credential // nil: the user who runs the test
	dir     string
	port    int
	probe   func(ctx context.Context) error // returns nil once the server answers

	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
	output tail
}

// folder creates a folder for a server and returns the user that the server runs as. PostgreSQL refuses to run as root.
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

// unprivileged returns the user that servers run as if root runs the test.
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
	return nil, errors.New("neither the user postgres nor nobody exists")
}

// freePort returns a free port. The system gives ports from 32768 on to clients and to listeners that want any port; a lower
// one stays free until the server listens, and while it is stopped.
func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	var err error
	for range 100 {
		port := 20000 + rand.IntN(12000)
		var ln net.Listener
		if ln, err = lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, ln.Close()
		}
	}
	return 0, err
}

// command returns a command that runs as the server's owner. On Linux it is killed with this process.
func (s *server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.dir
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	cmd.SysProcAttr = attributes(s.owner)
	return cmd
}

// start starts the server and waits until it answers.
func (s *server) start(ctx context.Context) error {
	// The server outlives the call. The caller stops it.
	cmd := s.command(context.WithoutCancel(ctx), s.program, s.args...)
	exited := make(chan struct{})
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the process, which Stop and Kill wait for
		_ = cmd.Wait() // the output shows how it ended
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
	deadline := time.Now().Add(startTimeout)
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
		case <-time.After(probeInterval):
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("%s does not answer: %w: %s", s.program, err, s.output.String()), s.Kill())
		}
	}
}

// PID returns the number of the process. The server must run.
func (s *server) PID() int { return s.cmd.Process.Pid }

// Start starts the server again after Halt or Kill, on the same port.
func (s *server) Start(ctx context.Context) error { return s.start(ctx) }

// Halt stops the server cleanly and keeps its data.
func (s *server) Halt() error {
	if s.cmd == nil {
		return nil // it never ran
	}
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(stopTimeout):
		return s.Kill()
	}
}

// Kill kills the server, as a crash would, and keeps its data.
func (s *server) Kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.exited
	return nil
}

// Freeze stops all processes of the server, as a machine that hangs would, until Thaw.
func (s *server) Freeze() error {
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil { // first, so that it starts no more processes
		return err
	}
	return s.signalChildren(syscall.SIGSTOP)
}

// Fence kills all processes of the server at once, so that none of them answers any more.
func (s *server) Fence() error {
	return errors.Join(s.Freeze(), s.signalChildren(syscall.SIGKILL), s.Kill())
}

// Thaw lets a frozen server continue.
func (s *server) Thaw() error {
	return errors.Join(s.signalChildren(syscall.SIGCONT), s.cmd.Process.Signal(syscall.SIGCONT))
}

// signalChildren sends a signal to the child processes of the server. PostgreSQL has one for each connection.
func (s *server) signalChildren(sig syscall.Signal) error {
	pid := strconv.Itoa(s.cmd.Process.Pid)
	text, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
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

// Stop stops the server and deletes its data.
func (s *server) Stop() error { return errors.Join(s.Halt(), os.RemoveAll(s.dir)) }

// tail keeps the last part of a program's output.
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
