package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCP starts bellhop as an agent does: with the protocol on standard input and output, and a service of its own.
func TestMCP(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "mcp")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := c.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "status", Arguments: map[string]any{}})
	if err != nil || result.IsError || !strings.Contains(result.Content[0].(*sdk.TextContent).Text, "general") {
		t.Errorf("status: %v %v\n%s", result, err, stderr.String())
	}
	if err := session.Close(); err != nil {
		t.Errorf("after standard input was closed: %v\n%s", err, stderr.String())
	}
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
