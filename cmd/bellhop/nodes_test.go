package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
)

// cluster is a group of nodes that share a PostgreSQL and a Redis server.
type cluster struct {
	postgres *enginetest.Postgres
	redis    *enginetest.Redis
	nodes    []*process

	url, world, dir string
	args            []string
	patient         bool // the nodes wait long for PostgreSQL, which may answer late on a busy machine
}

// startCluster starts nodes with the world of writeWorld. They get args as additional arguments. PostgreSQL must not
// fail in the test.
func startCluster(t *testing.T, nodes int, args ...string) *cluster {
	t.Helper()
	return (&cluster{dir: t.TempDir(), args: args, patient: true}).startAll(t, nodes)
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
	cl.writeWorld(t)
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
	var err error
	if cl.postgres, err = enginetest.StartPostgres(t.Context(), slices.Concat(enginetest.Quick, settings)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, cl.postgres.Stop) })
	if cl.redis, err = enginetest.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, cl.redis.Stop) })
	if cl.url, err = cl.postgres.Database(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cl.patient {
		cl.url += "&statement_timeout=60000&connect_timeout=20"
	}
}

// writeWorld writes a world file with testApps applications. Their bot tokens end with their numbers.
func (cl *cluster) writeWorld(t *testing.T) {
	t.Helper()
	cl.world = filepath.Join(cl.dir, "world.yaml")
	var w strings.Builder
	w.WriteString("users: [{id: \"200000000000000000\", username: ada}]\napplications:\n")
	for i := range testApps {
		fmt.Fprintf(&w, "  - {id: \"%d\", name: App%d, owner: \"200000000000000000\", bot_token: bot-token-of-application-%d}\n", appID(i), i, i)
	}
	if err := os.WriteFile(cl.world, []byte(w.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

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
	return startProgram(t, nodeProgram(t), nil, append(args, cl.args...)...)
}

// nodeFolder holds the binary of nodes. It is "" until a test starts a node.
var nodeFolder string

// buildNode builds the binary of nodes once.
var buildNode = sync.OnceValue(func() (err error) {
	if nodeFolder, err = os.MkdirTemp("", "bellhop-node-"); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", nodeFolder, ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build a node: %w\n%s", err, out)
	}
	return nil
})

// nodeProgram returns the path of a binary without the race detector. With it, three nodes under load are too slow for the time
// limits of the service when the machine is busy. The tests of the packages that nodes consist of do use the detector.
func nodeProgram(t *testing.T) string {
	t.Helper()
	if err := buildNode(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(nodeFolder, "bellhop")
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
		p.stop(t)
	}
}

// writeAndRead writes a command with one node and reads it with another.
func writeAndRead(ctx context.Context, writer, reader *process, app, generation int) error {
	path, token := fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprintf("Bot bot-token-of-application-%d", app)
	want := fmt.Sprintf(`"description":"%d"`, generation)
	status, text, err := writer.sendPatiently(ctx, "POST", path, token, `{"name":"only",`+want+`}`)
	if err != nil || status >= 300 {
		return fmt.Errorf("write %d: %d %s %w", generation, status, text, err)
	}
	status, text, err = reader.sendPatiently(ctx, "GET", path, token, "")
	if err != nil || status != 200 || !strings.Contains(text, want) {
		return fmt.Errorf("read after generation %d was acknowledged: %d %s %w", generation, status, text, err)
	}
	return nil
}
