package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// cluster is a group of nodes that share a PostgreSQL and a Redis server.
type cluster struct {
	postgres *engines.Postgres
	redis    *engines.Redis
	nodes    []*process

	// sparePostgres and spareRedis do not run until a test fails over to them. Only startSpares sets them.
	sparePostgres *engines.Postgres
	spareRedis    *engines.Redis

	url, world, dir string
	args            []string
	longTimeouts    bool // the nodes wait long for PostgreSQL, which may answer late on a busy machine
}

// startCluster starts nodes with the world of writeWorld. They get args as additional arguments. PostgreSQL must not
// fail in the test.
func startCluster(t *testing.T, nodes int, args ...string) *cluster {
	t.Helper()
	return (&cluster{dir: t.TempDir(), args: args, longTimeouts: true}).startAll(t, nodes)
}

// startFaultyCluster is like startCluster for a test in which PostgreSQL fails.
func startFaultyCluster(t *testing.T, nodes int, args ...string) *cluster {
	t.Helper()
	return (&cluster{dir: t.TempDir(), args: args}).startAll(t, nodes)
}

// startAll starts the engines and nodes.
func (cl *cluster) startAll(t *testing.T, nodes int) *cluster {
	t.Helper()
	cl.startEngines(t)
	cl.world = writeAppsWorld(t, cl.dir)
	cl.nodes = make([]*process, nodes)
	cl.nodes[0] = cl.start(t, 0)
	var wg sync.WaitGroup
	for i := 1; i < nodes; i++ {
		wg.Go(func() { cl.nodes[i] = cl.start(t, i) })
	}
	wg.Wait()
	return cl
}

// startEngines starts PostgreSQL, with additional settings, and Redis, and creates a database. Both stop when the test ends.
func (cl *cluster) startEngines(t *testing.T, settings ...string) {
	t.Helper()
	engines.Need(t, "postgres", "redis-server")
	var err error
	if cl.postgres, err = engines.StartPostgres(t.Context(), slices.Concat(engines.Quick, settings)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopLater(t, cl.postgres.Stop))
	if cl.redis, err = engines.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopLater(t, cl.redis.Stop))
	if cl.url, err = cl.postgres.Database(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cl.longTimeouts {
		cl.url += "&statement_timeout=60000&connect_timeout=20"
	}
}

// startSpares makes a second PostgreSQL and a second Redis server, which do not run yet.
func (cl *cluster) startSpares(t *testing.T) {
	t.Helper()
	var err error
	if cl.sparePostgres, err = engines.SparePostgres(t.Context(), engines.Quick...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopLater(t, cl.sparePostgres.Stop))
	if cl.spareRedis, err = engines.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopLater(t, cl.spareRedis.Stop))
	if err := cl.spareRedis.Kill(); err != nil {
		t.Fatal(err)
	}
}

func stopLater(t *testing.T, stop func() error) func() { return func() { stopEngine(t, stop) } }

func stopEngine(t *testing.T, stop func() error) {
	t.Helper()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// start starts node i.
func (cl *cluster) start(t *testing.T, i int) *process {
	t.Helper()
	args := []string{
		"serve", "--data", filepath.Join(cl.dir, fmt.Sprint("node", i)), "--world", cl.world, "--listen", "127.0.0.1:0",
		"--postgres", cl.url, "--redis", cl.redis.URL(), "--lobby-users", "auto",
	}
	return start(t, append(args, cl.args...)...)
}

// TestNodesReadYourWrites writes on one node and reads on another, thousands of times. Each read must show the acknowledged write.
func TestNodesReadYourWrites(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--limits", "off")
	const pairs = 3000
	var next, stale atomic.Int64
	var wg sync.WaitGroup
	for i := range testApps {
		wg.Go(func() {
			for n := next.Add(1); n <= pairs; n = next.Add(1) {
				writer, reader := cl.nodes[rand.IntN(len(cl.nodes))], cl.nodes[rand.IntN(len(cl.nodes))]
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
	for _, p := range cl.nodes {
		p.StopCleanly(t)
	}
}

// writeAndRead writes a command with one node and reads it with another.
func writeAndRead(ctx context.Context, writer, reader *process, app, generation int) error {
	path, token := fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprintf("Bot bot-V7mQ2xK9tR4zL8pW3n-%d", app)
	want := fmt.Sprintf(`"description":"%d"`, generation)
	status, text, err := writer.SendUntilAvailable(ctx, "POST", path, token, `{"name":"only",`+want+`}`)
	if err != nil || status >= 300 {
		return fmt.Errorf("write %d: %d %s %w", generation, status, text, err)
	}
	status, text, err = reader.SendUntilAvailable(ctx, "GET", path, token, "")
	if err != nil || status != 200 || !strings.Contains(text, want) {
		return fmt.Errorf("read after generation %d was acknowledged: %d %s %w", generation, status, text, err)
	}
	return nil
}
