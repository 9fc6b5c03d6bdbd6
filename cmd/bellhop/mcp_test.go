package main

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpProgram returns the command "bellhop mcp", and where it writes its lines.
func mcpProgram(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], append([]string{"mcp"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// startSleeper starts a bot that does nothing, and returns its process id. The call ends when the bot has not connected in time, or with
// the session.
func startSleeper(ctx context.Context, t *testing.T, session *sdk.ClientSession) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	command := []string{"sh", "-c", "echo $$ >" + file + ".new; mv " + file + ".new " + file + "; exec sleep 300"}
	go func() {
		_, _ = session.CallTool(ctx, &sdk.CallToolParams{Name: "start_bot", Arguments: map[string]any{"command": command}}) // it is cut
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		if time.Now().After(end) {
			t.Fatal("the bot has not started within 20 s")
		}
	}
}

// checkGone checks that a process does not run any more.
func checkGone(t *testing.T, pid int) {
	t.Helper()
	if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Errorf("the bot still runs after bellhop mcp has ended")
		_ = p.Kill()
	}
}

// checkStatus calls a tool.
func checkStatus(ctx context.Context, t *testing.T, session *sdk.ClientSession) {
	t.Helper()
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "status", Arguments: map[string]any{}})
	if err != nil || result.IsError || !strings.Contains(result.Content[0].(*sdk.TextContent).Text, "general") {
		t.Errorf("status: %v %v", result, err)
	}
}

// TestMCP starts bellhop as an agent does: with the protocol on standard input and output, and a service of its own.
func TestMCP(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd, stderr := mcpProgram(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test fails
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := c.Connect(ctx, &sdk.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	checkStatus(ctx, t, session)
	bot := startSleeper(ctx, t, session)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("after standard input was closed: %v\n%s", err, stderr.String())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("bellhop mcp runs 10 s after standard input was closed")
	}
	checkGone(t, bot)
}

// withToken sends a token with each request.
type withToken string

// RoundTrip implements http.RoundTripper.
func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPListen starts bellhop with the protocol over HTTP and a token, and ends it with a signal.
func TestMCPListen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	const token = "3f9c1d7e8a5b4c2d90e6f1a2b3c4d5e6"
	cmd, stderr := mcpProgram(t, "--listen", "127.0.0.1:0", "--mcp-token", token)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test fails
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the first line is %q: %v\n%s", line, err, stderr.String())
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	if _, err := c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true}, nil); err == nil {
		t.Error("a client without the token is connected")
	}
	session, err := c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withToken(token)}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	checkStatus(ctx, t, session)
	bot := startSleeper(ctx, t, session)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, stderr.String())
	}
	checkGone(t, bot)
}

func TestMCPFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"--listen 0.0.0.0:0", "Set --mcp-token"},
		{"--listen 0.0.0.0:0 --mcp-token aaaa", "too easy to guess"},
	} {
		var out, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"mcp"}, strings.Fields(tt.args)...), &out, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("mcp %s: exit code %d: %s", tt.args, code, stderr.String())
		}
	}
}
