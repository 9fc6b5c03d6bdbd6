package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Each mistake in a call of "bellhop run" gets one sentence that names the cause, and an exit code.
func TestRunMistakes(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	address := taken.Addr().String()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no command", nil, exitUsage, "name the command that starts the bot"},
		{"an unknown program", []string{"--", "no-such-bot"}, exitFailed, "there is no program no-such-bot"},
		{"a port in use", []string{"--listen", address, "--", "true"}, exitFailed, address},
		{"a bot that ends at once", []string{"--listen", "127.0.0.1:0", "--", "sh", "-c", "exit 7"}, 7, "the bot has ended: exit code 7"},
		{
			"a bot that asks for another host",
			[]string{"--listen", "127.0.0.1:0", "--", "sh", "-c", "curl --silent https://bellhop.example/; exit 3"},
			3, "bellhop.example was refused: a bot under bellhop run reaches Discord's hosts only",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"run"}, tt.args...)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			out, err := cmd.CombinedOutput()
			code := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != tt.code || !strings.Contains(string(out), tt.want) {
				t.Errorf("exit code %d after %v, want %d and %q\n%s", code, ctx.Err(), tt.code, tt.want, out)
			}
		})
	}
}
