package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// previousVersion is the commit of the version that TestUpgrade upgrades from: one whose nodes renew one key in Redis for all of their
// users. After a release it is the tag of the release.
const previousVersion = "f0ddcac5dc7f0c7a9003d0c82a1d1dee0a1ee37e"

// TestUpgrade replaces three nodes of the previous version by nodes of this one, one after another, and then two of them by the
// previous version again, all under load. Only the node that is replaced may refuse requests. Each session must receive every
// event once, without a new Identify. The versions must answer interactions together.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	previous := buildPrevious(t)
	c := &faultTest{t: t, clocks: make([]time.Duration, 3), answered: map[string]bool{}}
	c.startAll(&cluster{dir: t.TempDir(), args: []string{"--dev", "--limits", "off"}, longTimeouts: true}, previous)
	command := c.node(1).registerRoll(t)
	if err := os.WriteFile(c.cluster.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err) // the first new node applies it
	}
	for _, step := range []struct {
		name    string
		node    int
		program string
	}{
		{"node 0 gets the new version", 0, ""},
		{"node 1 gets the new version", 1, ""},
		{"node 2 gets the new version", 2, ""},
		{"node 0 gets the old version back", 0, previous},
		{"node 1 gets the old version back", 1, previous},
	} {
		row := &faultRow{}
		c.round(injectedFault{step.name, false, func(context.Context) error { return c.replace(step.node, step.program) }}, row, busySlack)
		c.checkReplaced(step.name, step.node, row)
		for i := range c.nodes {
			c.checkInteraction(command, step.name, i)
		}
		if problems := c.takeFailures(); len(problems) > 0 || t.Failed() {
			t.Fatalf("%s: %s\n%s", step.name, strings.Join(problems, "\n"), c.logs())
		}
		t.Logf("%s: %d writes, %d reads, %d events; the node refused %d writes and %d reads meanwhile", step.name,
			row.writes, row.reads, row.events, row.refused, row.unread)
	}
}

// buildPrevious builds the binary of previousVersion and returns its path.
func buildPrevious(t *testing.T) string {
	t.Helper()
	run := func(dir, program string, args ...string) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build the previous version: %s %s: %v\n%s\nThe test needs commit %s. In a shallow clone, run `git fetch --unshallow`.",
				program, strings.Join(args, " "), err, out, previousVersion)
		}
	}
	dir := t.TempDir()
	source, archive := filepath.Join(dir, "source"), filepath.Join(dir, "source.tar")
	run("../..", "git", "archive", "-o", archive, previousVersion)
	if err := os.Mkdir(source, 0o700); err != nil {
		t.Fatal(err)
	}
	run(source, "tar", "-xf", archive)
	binary := filepath.Join(dir, "bellhop")
	run(source, "go", "build", "-buildvcs=false", "-trimpath", "-o", binary, "./cmd/bellhop") // -trimpath: the cache has the packages of the last run
	return binary
}

// replace stops node i with SIGTERM and starts it with another binary.
func (c *faultTest) replace(i int, program string) error {
	old := c.node(i)
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := old.Wait(); err != nil {
		return fmt.Errorf("after SIGTERM: %w\n%s", err, old.Log())
	}
	c.programs[i] = program
	next := c.start(i)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[i] = next
	return nil
}

// checkReplaced checks that hardly any node but the replaced one refused requests, and that no session had to identify again.
// On a busy machine PostgreSQL can miss a deadline, and clients try again.
func (c *faultTest) checkReplaced(name string, replaced int, row *faultRow) {
	c.t.Helper()
	for _, h := range c.lobbies {
		for i, refused := range h.refusedBy {
			if i != replaced && refused > (row.writes+row.reads)/100 {
				c.t.Errorf("%s: node %d refused %d requests", name, i, refused)
			}
		}
	}
	if row.invalid > 0 {
		c.t.Errorf("%s: %d sessions had to identify again", name, row.invalid)
	}
	if row.writes == 0 || row.reads == 0 || row.events == 0 {
		c.t.Errorf("%s: no load: %+v", name, row)
	}
}

// checkInteraction invokes a command at node i. The app receives it at the next node and answers at the one after that.
func (c *faultTest) checkInteraction(command rollCommand, name string, i int) {
	c.t.Helper()
	invokeNode, appNode, callbackNode := c.node(i), c.node((i+1)%len(c.nodes)), c.node((i+2)%len(c.nodes))
	bot := connectGateway(c.t, appNode, "bot-V7mQ2xK9tR4zL8pW3n-0", 512)
	user := connectGateway(c.t, invokeNode, "user-H3kD8vB5yN0cF6jX2s-ada", 0)
	nonce := fmt.Sprint(name, i)
	invokeNode.roll(c.t, command, nonce)
	var received struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	// A node that is behind may still send the interaction of the call before, which the app has answered.
	for received.ID == "" || c.answered[received.ID] {
		if err := json.Unmarshal(bot.waitFor("INTERACTION_CREATE"), &received); err != nil {
			c.t.Fatal(err)
		}
	}
	c.answered[received.ID] = true
	status, text, err := callbackNode.Send(c.t.Context(), "POST", "/api/v10/interactions/"+received.ID+"/"+received.Token+"/callback", "",
		fmt.Sprintf(`{"type":4,"data":{"content":%q}}`, nonce))
	if err != nil || status != 204 {
		c.t.Fatalf("callback: %d %s %v", status, text, err)
	}
	// A node that is behind may still send the message of the call before, too.
	for !strings.Contains(string(user.waitFor("MESSAGE_CREATE")), nonce) {
	}
	_ = bot.conn.Close()
	_ = user.conn.Close()
}
