package engines

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// processTimeout is the longest time that a test waits for something that a process does, on a busy machine.
const processTimeout = 30 * time.Second

// Node is a running bellhop.
type Node struct {
	*exec.Cmd

	Base   string // URL
	Output string // what it printed before it was ready

	lines chan string // what it prints later; closed at its end, lines that do not fit are dropped
	log   logText
}

// logText collects what a process writes to its standard error.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Log returns what the process has written to its standard error.
func (p *Node) Log() string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.log.text.String()
}

// StartNode starts bellhop with additional environment variables and waits until it is ready. The process is killed when the
// test ends.
func StartNode(t testing.TB, program string, environment []string, args ...string) *Node {
	t.Helper()
	p := &Node{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), program, args...), lines: make(chan string, 100)}
	p.Env = append(os.Environ(), environment...)
	p.Stderr = &p.log
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill() // the process may have exited already
		_ = p.Wait()
	})
	late := time.AfterFunc(processTimeout, func() { _ = p.Process.Kill() })
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if base, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			late.Stop()
			p.Base = base
			go p.forward(lines) // ends with the process
			return p
		}
		p.Output += lines.Text() + "\n"
	}
	how := "exited before it was ready"
	if !late.Stop() {
		how = "was not ready after " + processTimeout.String()
	}
	_ = p.Wait()
	t.Fatalf("bellhop %v %s. It printed\n%s\nand logged\n%s", args, how, p.Output, p.Log())
	return nil
}

// forward sends lines to p.lines until there are no more.
func (p *Node) forward(lines *bufio.Scanner) {
	defer close(p.lines)
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		default:
		}
	}
}

// WaitLine waits until the process prints a line that matches.
func (p *Node) WaitLine(t testing.TB, matches func(line string) bool) {
	t.Helper()
	timeout := time.After(processTimeout)
	var seen []string
	for {
		select {
		case line, ok := <-p.lines:
			if ok && matches(line) {
				return
			}
			if seen = append(seen, line); ok {
				continue
			}
		case <-timeout:
		}
		t.Fatalf("the expected line is missing: %q", seen)
	}
}

// StopCleanly sends SIGTERM and checks that the process exits with code 0.
func (p *Node) StopCleanly(t testing.TB) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(processTimeout, func() { _ = p.Process.Kill() })
	err := p.Wait()
	if !late.Stop() {
		t.Errorf("bellhop did not exit within %v after SIGTERM", processTimeout)
	}
	if err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, p.Log())
	}
}

// Send sends a request to the process. It returns the status and the body of the response.
func (p *Node) Send(ctx context.Context, method, path, token, body string) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.Base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), errors.Join(err, resp.Body.Close())
}

// SendUntilAvailable is Send for tests that do not count the answer 503, which a busy machine causes. It sends the request again
// for 30 s at most.
func (p *Node) SendUntilAvailable(ctx context.Context, method, path, token, body string) (int, string, error) {
	for end := time.Now().Add(processTimeout); ; {
		status, text, err := p.Send(ctx, method, path, token, body)
		if status != http.StatusServiceUnavailable || time.Now().After(end) {
			return status, text, err
		}
	}
}

// WaitReady waits until /readyz has a status, and returns the body.
func (p *Node) WaitReady(t testing.TB, status int) string {
	t.Helper()
	for end := time.Now().Add(processTimeout); ; time.Sleep(50 * time.Millisecond) {
		got, text, err := p.Send(t.Context(), http.MethodGet, "/readyz", "", "")
		if err != nil {
			t.Fatalf("/readyz does not become %d: %v", status, err)
		}
		if got == status {
			return text
		}
		if time.Now().After(end) {
			t.Fatalf("/readyz is still %d %s after %v, want %d", got, text, processTimeout, status)
		}
	}
}
