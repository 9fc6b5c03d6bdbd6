package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/go-json-experiment/json"
)

// wrongClocks is the binary of nodes whose clocks are wrong. It has another package time, so that the whole program sees the wrong
// time, as on a machine with a wrong clock; the monotonic time is right. The program itself has no setting for it.
var (
	wrongClocks     = engines.Programs{Packages: []string{"cmd/bellhop"}}
	wrongClockFlags sync.Once
)

// clockAhead is the environment variable that says how far the clock of a node is ahead, such as "-2s".
const clockAhead = "BELLHOP_TEST_CLOCK_AHEAD"

// wrongTime is a file of package time.
const wrongTime = `package time

import "syscall"

var ahead = func() Duration {
	text, _ := syscall.Getenv("` + clockAhead + `")
	d, _ := ParseDuration(text)
	return d
}()

func wrongNow() (int64, int32, int64) {
	sec, nsec, mono := runtimeNow()
	n := sec*int64(Second) + int64(nsec) + int64(ahead)
	return n / int64(Second), int32(n % int64(Second)), mono
}
`

// wrongClockProgram returns the path of the binary. Its first build takes longer: all packages depend on package time.
func wrongClockProgram(t *testing.T) string {
	t.Helper()
	wrongClockFlags.Do(func() { wrongClocks.Flags = []string{"-overlay=" + overlay(t)} })
	return wrongClocks.Path(t, "bellhop")
}

// overlay writes a file for "go build -overlay" that replaces package time.
func overlay(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, dir := filepath.Join(strings.TrimSpace(string(root)), "src", "time"), t.TempDir()
	text, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	const call = "sec, nsec, mono := runtimeNow()"
	if strings.Count(string(text), call) != 1 {
		t.Fatalf("package time does not contain %q once: change this test for the new version of Go", call)
	}
	replace := map[string]string{}
	for name, text := range map[string]string{
		"time.go":  strings.Replace(string(text), call, "sec, nsec, mono := wrongNow()", 1),
		"wrong.go": wrongTime,
	} {
		replace[filepath.Join(source, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestWrongClock checks that a node has the time that a test gives it.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--lobby-users", "auto"}
	p := startProgram(t, wrongClockProgram(t), []string{clockAhead + "=-1h"}, args...)
	before := time.Now().Add(-time.Hour - time.Second)
	status, text, err := p.Send(t.Context(), "POST", "/api/v10/lobbies", "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{}`)
	if err != nil || status != 201 {
		t.Fatalf("create: %d %s %v", status, text, err)
	}
	var id int64
	if _, err := fmt.Sscan(strings.Split(text, `"`)[3], &id); err != nil {
		t.Fatal(err)
	}
	const epoch = 1420070400000 // of snowflakes
	if made := time.UnixMilli(id>>22 + epoch); made.Before(before) || made.After(before.Add(time.Minute)) {
		t.Errorf("a node whose clock is an hour behind makes an id at %v, want about %v", made, before)
	}
	p.StopCleanly(t)
}

// TestClocksInteraction answers interactions at nodes whose clocks are off by more than an interaction lasts. All nodes must use
// the time of PostgreSQL, whatever their machines show.
func TestClocksInteraction(t *testing.T) {
	t.Parallel()
	cl := &cluster{dir: t.TempDir(), longTimeouts: true}
	cl.startEngines(t)
	cl.world = filepath.Join(cl.dir, "world.yaml")
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	var nodes []*process
	for i, ahead := range []string{"-31s", "31s", "20m"} {
		args := []string{
			"serve", "--data", filepath.Join(cl.dir, fmt.Sprint("node", i)), "--world", cl.world, "--listen", "127.0.0.1:0",
			"--postgres", cl.url, "--redis", cl.redis.URL(), "--limits", "off",
		}
		nodes = append(nodes, startProgram(t, wrongClockProgram(t), []string{clockAhead + "=" + ahead}, args...))
	}
	command := nodes[0].registerRoll(t)
	bot := connectGateway(t, nodes[1], "bot-V7mQ2xK9tR4zL8pW3n-0", 512)
	user := connectGateway(t, nodes[2], "user-H3kD8vB5yN0cF6jX2s-ada", 0)
	for n := range 9 {
		invoked, answered := n/3, n%3
		nodes[invoked].roll(t, command, strconv.Itoa(n))
		var i struct {
			ID    string `json:"id"`
			Token string `json:"token"`
		}
		if err := json.Unmarshal(bot.waitFor("INTERACTION_CREATE"), &i); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		status, text, err := nodes[answered].Send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"pong"}}`)
		if err != nil || status != 204 {
			t.Errorf("an invocation at node %d is answered at node %d after %v: %d %s %v", invoked, answered, time.Since(began), status, text, err)
			continue
		}
		user.waitFor("MESSAGE_CREATE")
	}
}
