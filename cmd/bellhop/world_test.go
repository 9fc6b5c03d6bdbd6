package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// largeWorldFile writes a world file that is applied in parts, because it has many blanks.
func largeWorldFile(t *testing.T) string {
	t.Helper()
	var users []string
	for i := range 1500 {
		users = append(users, fmt.Sprintf(`{"id": "%d", "username": "u"}`, 1000+i)+strings.Repeat(" ", 1000))
	}
	file := filepath.Join(t.TempDir(), "world.json")
	text := `{"users": [` + strings.Join(users, ",\n") + `], "guilds": [{"id": "300", "members": [{"user": "2000"}]}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestApplyLargeWorldFile(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	file := largeWorldFile(t)
	bellhop := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...) // not in this process, whose memory it would limit
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("bellhop %v: %v", args, err)
		}
		return string(out)
	}
	const want = "applied: 1502 records\n"
	if got := bellhop("world", "check", file); !strings.HasSuffix(got, ": 1502 records, no faults\n") {
		t.Errorf("world check = %q", got)
	}
	data := filepath.Join(t.TempDir(), "data")
	for range 2 {
		if got := bellhop("world", "apply", "--data", data, file); got != want {
			t.Errorf("world apply --data = %q, want %q", got, want)
		}
	}
	if world := bellhop("world", "export", "--data", data); strings.Count(world, "username: u") != 1500 {
		t.Errorf("world export has %d users", strings.Count(world, "username: u"))
	}
	p := start(t, "dev", "--listen", "127.0.0.1:0", "--no-demo-app")
	if got := bellhop("world", "apply", "--base-url", p.Base, file); got != want {
		t.Errorf("world apply --base-url = %q, want %q", got, want)
	}
	start(t, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "served"), "--world", file) // waits until it serves
}
