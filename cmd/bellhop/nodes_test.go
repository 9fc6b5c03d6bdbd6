package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
)

// fleet is a few nodes on one PostgreSQL and one Redis.
type fleet struct {
	postgres *enginetest.Postgres
	redis    *enginetest.Redis
	nodes    []*process

	url, world, dir string
	args            []string
}

// startFleet runs so many nodes with a world of applications that token-0, token-1 … are the bots of.
func startFleet(t *testing.T, nodes int, args ...string) *fleet {
	t.Helper()
	f := &fleet{dir: t.TempDir(), args: args}
	f.startEngines(t)
	f.writeWorld(t)
	f.nodes = make([]*process, nodes)
	f.nodes[0] = f.start(t, 0)
	var wg sync.WaitGroup
	for i := 1; i < nodes; i++ {
		wg.Go(func() { f.nodes[i] = f.start(t, i) })
	}
	wg.Wait()
	return f
}

// startEngines runs PostgreSQL and Redis until the test ends, and makes a database.
func (f *fleet) startEngines(t *testing.T) {
	t.Helper()
	var err error
	if f.postgres, err = enginetest.StartPostgres(t.Context(), enginetest.Quick...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, f.postgres.Stop) })
	if f.redis, err = enginetest.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, f.redis.Stop) })
	if f.url, err = f.postgres.Database(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// writeWorld writes the world of applications that token-0, token-1 … are the bots of.
func (f *fleet) writeWorld(t *testing.T) {
	t.Helper()
	f.world = filepath.Join(f.dir, "world.yaml")
	var w strings.Builder
	w.WriteString("users: [{id: \"200000000000000000\", username: ada}]\napplications:\n")
	for i := range crowd {
		fmt.Fprintf(&w, "  - {id: \"%d\", name: App%d, owner: \"200000000000000000\", bot_token: token-%d}\n", appID(i), i, i)
	}
	if err := os.WriteFile(f.world, []byte(w.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func stopEngine(t *testing.T, stop func() error) {
	t.Helper()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// start runs node i, again when it has ended.
func (f *fleet) start(t *testing.T, i int) *process {
	t.Helper()
	args := []string{
		"serve", "--data", filepath.Join(f.dir, fmt.Sprint("node", i)), "--world", f.world, "--listen", "127.0.0.1:0",
		"--postgres", f.url, "--redis", f.redis.URL(),
	}
	return start(t, append(args, f.args...)...)
}

// TestNodesReadYourWrites writes on one node and reads on another, thousands of times: what was acknowledged is seen.
func TestNodesReadYourWrites(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--limits", "off")
	const pairs = 3000
	var next, stale atomic.Int64
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			for n := next.Add(1); n <= pairs; n = next.Add(1) {
				writer, reader := f.nodes[rand.IntN(len(f.nodes))], f.nodes[rand.IntN(len(f.nodes))]
				if err := writeAndRead(t.Context(), writer, reader, i, int(n)); err != nil {
					t.Error(err)
					if stale.Add(1) > 10 {
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for _, p := range f.nodes {
		p.stop(t)
	}
}

// writeAndRead stores a generation of an application's command on one node and looks for it on another.
func writeAndRead(ctx context.Context, writer, reader *process, app, generation int) error {
	path, token := fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprintf("Bot token-%d", app)
	want := fmt.Sprintf(`"description":"%d"`, generation)
	status, text, err := writer.send(ctx, "POST", path, token, `{"name":"only",`+want+`}`)
	if err != nil || status >= 300 {
		return fmt.Errorf("write %d: %d %s %w", generation, status, text, err)
	}
	status, text, err = reader.send(ctx, "GET", path, token, "")
	if err != nil || status != 200 || !strings.Contains(text, want) {
		return fmt.Errorf("read after generation %d was acknowledged: %d %s %w", generation, status, text, err)
	}
	return nil
}
