package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram is the environment variable that makes the test binary run as bellhop.
const asProgram = "BELLHOP_TEST_AS_PROGRAM"

// fileLimit is the environment variable with the size in bytes beyond which no file of the program can grow. It makes a
// full disk.
const fileLimit = "BELLHOP_TEST_FILE_LIMIT"

func limitFiles(size string) {
	signal.Ignore(syscall.SIGXFSZ) // then a write beyond the limit fails instead
	n, err := strconv.ParseUint(size, 10, 64)
	if err != nil {
		return // no limit
	}
	var limit syscall.Rlimit
	err = syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit)
	limit.Cur = n
	if err = errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)); err != nil {
		panic(err)
	}
}

// openFiles is the environment variable with the number of files that the program may open.
const openFiles = "BELLHOP_TEST_OPEN_FILES"

func limitOpenFiles(number string) {
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		limitFiles(os.Getenv(fileLimit))
		limitOpenFiles(os.Getenv(openFiles))
		main()
	}
	testscript.Main(cleanedRun{m}, map[string]func(){"bellhop": main})
}

// cleanedRun runs the tests and removes the binary of nodes.
type cleanedRun struct{ *testing.M }

func (r cleanedRun) Run() int {
	defer func() { _ = os.RemoveAll(nodeFolder) }() // "" removes nothing
	return r.M.Run()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// process is a running bellhop.
type process struct {
	*exec.Cmd

	base   string      // URL
	output string      // what it printed before it was ready
	lines  chan string // what it prints later; closed at its end, lines that do not fit are dropped
}

// start starts bellhop and waits until it is ready. The process is killed when the test ends.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, nil, args...)
}

// startWith is start with environment variables.
func startWith(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	return startProgram(t, os.Args[0], append([]string{asProgram + "=1"}, environment...), args...)
}

// startProgram is startWith for the binary of any version.
func startProgram(t *testing.T, program string, environment []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), program, args...), lines: make(chan string, 100)}
	p.Env = append(os.Environ(), environment...)
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := newScreen()
	p.Stderr = stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill() // the process may have exited already
		_ = p.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if base, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			p.base = base
			go p.forward(lines) // ends with the process
			return p
		}
		p.output += lines.Text() + "\n"
	}
	_ = p.Wait()
	t.Fatalf("bellhop %v exited before it was ready:\n%s", args, stderr.String())
	return nil
}

// forward sends lines to p.lines until there are no more.
func (p *process) forward(lines *bufio.Scanner) {
	defer close(p.lines)
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		default:
		}
	}
}

// waitLine waits until the process prints a line that matches.
func (p *process) waitLine(t *testing.T, matches func(line string) bool) {
	t.Helper()
	timeout := time.After(time.Minute)
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

// stop sends SIGTERM and checks that the process exits with code 0.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, p.Stderr)
	}
}

// send sends a request to the process. It returns the status and the body of the response.
func (p *process) send(ctx context.Context, method, path, token, body string) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
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

// sendPatiently is send for tests that do not count the answer 503, which a busy machine causes. It sends the request again
// for a minute at most.
func (p *process) sendPatiently(ctx context.Context, method, path, token, body string) (int, string, error) {
	for end := time.Now().Add(time.Minute); ; {
		status, text, err := p.send(ctx, method, path, token, body)
		if status != http.StatusServiceUnavailable || time.Now().After(end) {
			return status, text, err
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"--help"}, exitOK},
		{[]string{"serve", "--help"}, exitOK},
		{[]string{}, exitOK},
		{[]string{"version"}, exitOK},
		{[]string{"nonsense"}, exitUsage},
		{[]string{"serve"}, exitUsage},
		{[]string{"serve", "--data", t.TempDir(), "--colour"}, exitUsage},
		{[]string{"serve", "--data", t.TempDir(), "--lobby-users", "some"}, exitUsage},
		{[]string{"dev", "--lobby-activity", "reads"}, exitUsage},
		{[]string{"dev", "--lobbies-per-user", "0"}, exitUsage},
		{[]string{"token", "client", "--app", "ping"}, exitUsage},
		{[]string{"world", "check", "/does/not/exist.yaml"}, exitFailed},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			if got := run(t.Context(), tt.args, &out, &errs); got != tt.want {
				t.Errorf("exit code %d, want %d\n%s%s", got, tt.want, out.String(), errs.String())
			}
		})
	}
}
