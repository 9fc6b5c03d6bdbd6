package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// testApps is the number of applications in the test worlds.
const testApps = 16

// TestKill kills the process during concurrent writes, several times with the same data. Every acknowledged write must be
// stored, every bulk overwrite must be complete or absent, and the data must be sound at the end. BELLHOP_KILLS sets the number of
// kills, and BELLHOP_FAULTS_SEED when they happen.
func TestKill(t *testing.T) {
	t.Parallel()
	kills, seed := 5, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("BELLHOP_KILLS")); err == nil {
		kills = n
	}
	if n, err := strconv.ParseUint(os.Getenv("BELLHOP_FAULTS_SEED"), 10, 64); err == nil {
		seed = n
	}
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	worldFile := writeAppsWorld(t, dir)
	acknowledged := make([]int, testApps) // per application: the latest acknowledged generation
	writes, run := 0, newCampaign(t, "kill", kills)
	for kill := range kills {
		began := time.Now()
		p := start(t, "serve", "--data", dir, "--world", worldFile, "--listen", "127.0.0.1:0", "--limits", "off")
		for i := range testApps {
			checkGeneration(t, p, i, acknowledged[i])
		}
		answers := 1 + random.IntN(300)
		writeUntilKilled(t, p, acknowledged, answers)
		writes += answers
		_ = p.Wait()
		if t.Failed() {
			t.Fatalf("after kill %d of seed %d", kill+1, seed)
		}
		if !run.step(fmt.Sprint(answers, " writes"), time.Since(began)) {
			break
		}
	}
	p := start(t, "serve", "--data", dir, "--listen", "127.0.0.1:0")
	for i := range testApps {
		checkGeneration(t, p, i, acknowledged[i])
	}
	p.StopCleanly(t)
	bellhop(t, "doctor", "--data", dir)
	result := fmt.Sprintf("%s At least %d writes were acknowledged, and none was lost.", run.summary(seed), writes)
	t.Log(result)
	writeSection(t, "### Kills", result)
}

// writeAppsWorld writes a world file with the test applications into a folder and returns its path.
func writeAppsWorld(t *testing.T, dir string) string {
	t.Helper()
	var w strings.Builder
	w.WriteString("users: [{id: \"200000000000000000\", username: ada}]\napplications:\n")
	for i := range testApps {
		fmt.Fprintf(&w, "  - {id: \"%d\", name: App%d, owner: \"200000000000000000\", bot_token: bot-V7mQ2xK9tR4zL8pW3n-%d}\n", appID(i), i, i)
	}
	file := filepath.Join(dir, "world.yaml")
	if err := os.WriteFile(file, []byte(w.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func appID(i int) int { return 130000000000000000 + i }

// writeUntilKilled writes for all applications at once and kills the process after the given number of responses.
func writeUntilKilled(t *testing.T, p *process, acknowledged []int, answers int) {
	t.Helper()
	var answered atomic.Int32
	var wg sync.WaitGroup
	for i := range testApps {
		wg.Go(func() {
			for generation := acknowledged[i] + 1; ; generation++ {
				status, text, err := write(context.WithoutCancel(t.Context()), p, i, generation)
				if err != nil {
					return // the process was killed
				}
				if status >= 300 {
					t.Errorf("write of generation %d: %d %s", generation, status, text)
					return
				}
				acknowledged[i] = generation
				if int(answered.Add(1)) == answers {
					_ = p.Process.Kill() // cannot fail: the process runs
				}
			}
		})
	}
	wg.Wait()
}

// write stores a generation: even applications overwrite twenty commands in bulk, odd ones create one command.
func write(ctx context.Context, p *process, i, generation int) (int, string, error) {
	path := fmt.Sprintf("/api/v10/applications/%d/commands", appID(i))
	token := fmt.Sprintf("Bot bot-V7mQ2xK9tR4zL8pW3n-%d", i)
	if i%2 == 1 {
		return p.Send(ctx, "POST", path, token, fmt.Sprintf(`{"name":"only","description":"%d"}`, generation))
	}
	items := make([]string, 20)
	for j := range items {
		items[j] = fmt.Sprintf(`{"name":"c%d","description":"%d"}`, j, generation)
	}
	return p.Send(ctx, "PUT", path, token, "["+strings.Join(items, ",")+"]")
}

// checkGeneration checks that all commands of an application have the same generation, not older than the acknowledged one.
func checkGeneration(t *testing.T, p *process, i, acknowledged int) {
	t.Helper()
	status, text, err := p.Send(t.Context(), "GET", fmt.Sprintf("/api/v10/applications/%d/commands", appID(i)), fmt.Sprintf("Bot bot-V7mQ2xK9tR4zL8pW3n-%d", i), "")
	if err != nil || status != 200 {
		t.Fatalf("list: %d %s %v", status, text, err)
	}
	var list []struct {
		Description string `json:"description"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	want := 20
	if i%2 == 1 {
		want = 1
	}
	if acknowledged == 0 && len(list) == 0 {
		return
	}
	if len(list) != want {
		t.Fatalf("application %d has %d commands, want %d", i, len(list), want)
	}
	for _, c := range list {
		var generation int
		if _, err := fmt.Sscan(c.Description, &generation); err != nil || generation < acknowledged || c.Description != list[0].Description {
			t.Errorf("application %d has generations %q and %q, acknowledged was %d", i, c.Description, list[0].Description, acknowledged)
		}
	}
}
