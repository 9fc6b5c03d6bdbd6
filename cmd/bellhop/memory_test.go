package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemoryOfSessions connects many bots to a service with little memory. What the sessions keep for a resume, a large guild,
// is more than the heap may hold: they must drop it.
func TestMemoryOfSessions(t *testing.T) {
	t.Parallel()
	const bots, channels = 45, 500
	var world strings.Builder
	world.WriteString("users: [{id: \"200\", username: ada}]\napplications:\n")
	for i := range bots {
		fmt.Fprintf(&world, "  - {id: \"1%03d\", name: App %d, owner: \"200\", bot_token: bot-token-of-application-%d}\n", i, i, i)
	}
	world.WriteString("guilds:\n  - id: \"300\"\n    name: Lab\n    owner: \"200\"\n    installs:\n")
	for i := range bots {
		fmt.Fprintf(&world, "      - {application: \"1%03d\", scopes: [bot]}\n", i)
	}
	world.WriteString("    channels:\n")
	for i := range channels {
		fmt.Fprintf(&world, "      - {id: \"4%03d\", name: channel-%d, topic: %s}\n", i, i, strings.Repeat("x", 1000))
	}
	file := filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(file, []byte(world.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--world", file, "--memory", "64MiB")
	for i := range bots {
		connectGateway(t, p, fmt.Sprintf("bot-token-of-application-%d", i), 1).waitFor("GUILD_CREATE")
	}
	p.Stderr.(*screen).await(t, "memory is short: gateway sessions drop old events")
	if status, text, err := p.send(t.Context(), "GET", "/readyz", "", ""); err != nil || status != 200 {
		t.Errorf("%d %s %v", status, text, err)
	}
	p.stop(t)
}
