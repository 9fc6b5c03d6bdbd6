package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/enginetest"
)

// faultTest injects faults into three nodes while clients edit and read lobbies and receive their events. Each node has its own
// proxy to PostgreSQL.
type faultTest struct {
	t       *testing.T
	cluster *cluster
	proxies []*enginetest.Proxy
	lobbies []*lobbyHistory
	clients []*eventClient

	// programs are the binaries of the nodes. An empty one stands for this version.
	programs [faultNodes]string

	mu     sync.Mutex
	nodes  []*process
	paused map[*process]bool // the response times of these processes do not count

	slowest  time.Duration // the longest response time, without paused nodes
	recovery time.Duration // the longest time from the end of a fault until every node accepted a write
	restarts time.Duration // the longest time from the start of a killed node until it accepted a write
	outage   time.Duration // the longest time without an accepted write while one node was cut off from PostgreSQL
}

// injectedFault is a kind of fault. do injects it and ends it.
type injectedFault struct {
	name string
	do   func(ctx context.Context) error
}

const (
	faultNodes   = 3
	faultLobbies = 4
	// The bounds on faultTest.slowest, recovery, restarts and outage. Short runs allow busySlack more, because other tests and their
	// builds run at the same time.
	maxResponseTime = 3 * time.Second
	maxRecovery     = 2 * time.Second
	maxRestart      = 2 * time.Second
	maxOutage       = time.Second
	busySlack       = 20 * time.Second
)

// TestFaults injects faults into nodes, PostgreSQL and Redis while clients edit and read lobbies on all nodes. The history of each
// lobby must be linearizable. Every session must receive its events once and in order, or get op 9. BELLHOP_FAULTS sets the
// number of random faults; without it each kind of fault happens once.
func TestFaults(t *testing.T) {
	t.Parallel()
	c := startFaultTest(t, "", false)
	faults := c.faults()
	count, long := len(faults), false
	if n, err := strconv.Atoi(os.Getenv("BELLHOP_FAULTS")); err == nil {
		count, long = n, true
	}
	table := map[string]*faultRow{}
	for i := range count {
		f := faults[i%len(faults)]
		if long && i >= len(faults) {
			f = faults[rand.IntN(len(faults))]
		}
		row := table[f.name]
		if row == nil {
			row = &faultRow{}
			table[f.name] = row
		}
		c.round(f, row)
		if t.Failed() {
			t.Fatalf("fault %d: %s\n%s", i, f.name, c.logs())
		}
	}
	slack := busySlack
	if long {
		slack = 0
	}
	if c.slowest > maxResponseTime+slack {
		t.Errorf("a response took %v, want at most %v", c.slowest, maxResponseTime)
	}
	if c.recovery > maxRecovery+slack {
		t.Errorf("recovery took %v, want at most %v", c.recovery, maxRecovery)
	}
	if c.restarts > maxRestart+slack {
		t.Errorf("a killed node accepted its first write after %v, want at most %v", c.restarts, maxRestart)
	}
	if c.outage > maxOutage+slack {
		t.Errorf("nodes that reach PostgreSQL accepted no write for %v, want at most %v", c.outage, maxOutage)
	}
	c.report(faults, table, count)
}

// faultRow is the result of one kind of fault.
type faultRow struct {
	count, writes, refused, reads, unread, events, invalid int
	slowest, recovery                                      time.Duration
}

// startFaultTest starts nodes with a binary, lobbies and gateway clients. The nodes are patient if PostgreSQL does not
// fail in the test.
func startFaultTest(t *testing.T, program string, patient bool) *faultTest {
	t.Helper()
	cl := &cluster{dir: t.TempDir(), args: []string{"--dev", "--limits", "off"}, patient: patient}
	c := &faultTest{t: t, cluster: cl, paused: map[*process]bool{}}
	cl.startEngines(t)
	cl.world = writeAppsWorld(t, cl.dir)
	for i := range faultNodes {
		p, err := enginetest.StartProxy(t.Context(), cl.postgres.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stopEngine(t, p.Close) })
		c.proxies = append(c.proxies, p)
		c.programs[i] = program
		cl.nodes = append(cl.nodes, c.start(i))
	}
	c.nodes = append(c.nodes, cl.nodes...)
	token := cl.bearer(t, 0)
	for range faultLobbies {
		c.lobbies = append(c.lobbies, c.createLobby())
	}
	for i := range faultNodes {
		l := &eventClient{faultTest: c, node: i, token: token}
		t.Cleanup(l.stop)
		l.begin()
		c.clients = append(c.clients, l)
	}
	return c
}

// start starts node i.
func (c *faultTest) start(i int) *process {
	c.t.Helper()
	url, err := c.proxies[i].URL(c.cluster.url)
	if err != nil {
		c.t.Fatal(err)
	}
	args := []string{
		"serve", "--data", filepath.Join(c.cluster.dir, fmt.Sprint("node", i)), "--world", c.cluster.world, "--listen", "127.0.0.1:0",
		"--postgres", url, "--redis", c.cluster.redis.URL(), "--lobby-users", "auto",
	}
	args = append(args, c.cluster.args...)
	return startProgram(c.t, cmp.Or(c.programs[i], programs.Path(c.t, "bellhop")), nil, args...)
}

func (c *faultTest) createLobby() *lobbyHistory {
	c.t.Helper()
	status, text, err := c.nodes[0].SendPatiently(c.t.Context(), "POST", "/api/v10/lobbies", "Bot bot-token-of-application-0",
		`{"idle_timeout_seconds":604800,"metadata":{"n":"0"},"members":[{"id":"200000000000000000"}]}`)
	if err != nil || status != 201 {
		c.t.Fatalf("create: %d %s %v", status, text, err)
	}
	return &lobbyHistory{id: strings.Split(text, `"`)[3], value: "0"}
}

// node returns the current process of node i.
func (c *faultTest) node(i int) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[i]
}

func (c *faultTest) isPaused(p *process) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused[p]
}

// logs returns the end of the log of each node.
func (c *faultTest) logs() string {
	var b strings.Builder
	for i := range c.nodes {
		text := c.node(i).Log()
		fmt.Fprintf(&b, "node %d:\n%s\n", i, text[max(0, len(text)-3000):])
	}
	return b.String()
}

// faults returns all kinds of faults.
func (c *faultTest) faults() []injectedFault {
	cl := c.cluster
	pause := func(d time.Duration, begin, end func() error) func(context.Context) error {
		return func(context.Context) error {
			err := begin()
			time.Sleep(d) // under load
			return errors.Join(err, end())
		}
	}
	restart := func(stop func() error, begin func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			err := stop()
			time.Sleep(500 * time.Millisecond)
			return errors.Join(err, begin(ctx))
		}
	}
	return []injectedFault{
		{"nothing", func(context.Context) error { time.Sleep(time.Second); return nil }},
		{"node killed and restarted", func(context.Context) error { return c.restart(rand.IntN(faultNodes)) }},
		{"node crashes three times in a row", c.crashLoop},
		{"node stopped for 2 s", func(context.Context) error { return c.pauseNode(rand.IntN(faultNodes), 2*time.Second) }},
		{"PostgreSQL stopped for 4 s", pause(4*time.Second, cl.postgres.Freeze, cl.postgres.Thaw)},
		{"PostgreSQL restarted", restart(cl.postgres.Halt, cl.postgres.Start)},
		{"PostgreSQL crashes", restart(cl.postgres.Kill, cl.postgres.Start)},
		{"connections to PostgreSQL cut", func(context.Context) error {
			for range 5 {
				for _, p := range c.proxies {
					p.Cut()
				}
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}},
		{"one node black-holed from PostgreSQL for 3 s", c.blackHole},
		{"Redis stopped for 3 s", pause(3*time.Second, cl.redis.Freeze, cl.redis.Thaw)},
		{"Redis restarted with its data", restart(cl.redis.Halt, cl.redis.Start)},
		{"Redis loses its data", restart(func() error { return errors.Join(cl.redis.Kill(), cl.redis.Forget()) }, cl.redis.Start)},
	}
}

// restart kills node i and starts it again. The node must accept a write.
func (c *faultTest) restart(i int) error {
	p := c.node(i)
	c.mu.Lock()
	c.paused[p] = true
	c.mu.Unlock()
	if err := p.Process.Kill(); err != nil {
		return err
	}
	_ = p.Wait() // reports the kill
	began := time.Now()
	next := c.start(i)
	status, text, err := next.SendPatiently(c.t.Context(), "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot bot-token-of-application-0", `{"flags":0}`)
	if err != nil || status != 200 {
		return fmt.Errorf("the first write after a restart: %d %s %w", status, text, err)
	}
	c.restarts = max(c.restarts, time.Since(began))
	c.mu.Lock()
	c.nodes[i] = next
	c.mu.Unlock()
	return nil
}

// crashLoop kills and restarts a node three times.
func (c *faultTest) crashLoop(context.Context) error {
	i := rand.IntN(faultNodes)
	for range 3 {
		if err := c.restart(i); err != nil {
			return err
		}
	}
	return nil
}

// pauseNode stops the process of a node with SIGSTOP for a time.
func (c *faultTest) pauseNode(i int, d time.Duration) error {
	p := c.node(i)
	c.mu.Lock()
	c.paused[p] = true
	c.mu.Unlock()
	err := p.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	err = errors.Join(err, p.Process.Signal(syscall.SIGCONT))
	time.Sleep(time.Second) // until the node has answered its old requests
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused[p] = false
	return err
}

// blackHole drops all packets between one node and PostgreSQL for 3 s, and longer if no other node has accepted a write
// by then. It measures how long the other nodes accept none.
func (c *faultTest) blackHole(ctx context.Context) error {
	i := rand.IntN(faultNodes)
	c.proxies[i].Swallow(true)
	defer c.proxies[i].Swallow(false)
	began, accepted := time.Now(), false
	last := began
	for n := 0; time.Since(began) < 3*time.Second || !accepted && time.Since(began) <= maxOutage+busySlack; n++ {
		other := c.node((i + 1 + n%2) % faultNodes)
		status, _, err := other.Send(ctx, "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot bot-token-of-application-0", `{"flags":0}`)
		now := time.Now()
		c.outage = max(c.outage, now.Sub(last))
		if err == nil && status == 200 {
			accepted, last = true, now
		}
	}
	return nil
}

// round injects a fault under load, waits for the recovery, and checks the history and the events of all lobbies.
func (c *faultTest) round(f injectedFault, row *faultRow) {
	c.t.Helper()
	for _, h := range c.lobbies {
		h.beginRound()
	}
	ctx, stop := context.WithCancel(c.t.Context())
	var load sync.WaitGroup
	for i := range faultNodes {
		for _, h := range c.lobbies {
			load.Go(func() { c.edit(ctx, i, h) })
			load.Go(func() { c.read(ctx, i, h) })
		}
	}
	time.Sleep(100 * time.Millisecond)
	if err := f.do(ctx); err != nil {
		c.t.Errorf("%s: %v", f.name, err)
	}
	recovery := c.recovered(time.Now())
	stop()
	load.Wait()
	row.count++
	row.recovery = max(row.recovery, recovery)
	c.recovery = max(c.recovery, recovery)
	for _, h := range c.lobbies {
		c.readFinal(h)
		h.checkLinearizable(c.t, f.name, row)
	}
	for _, l := range c.clients {
		l.catchUp()
	}
	checkEvents(c.t, f.name, c.lobbies, c.clients, row)
	c.slowest = max(c.slowest, row.slowest)
}

// recovered waits until every node accepts a write and returns how long that took.
func (c *faultTest) recovered(since time.Time) time.Duration {
	c.t.Helper()
	var wg sync.WaitGroup
	for i := range faultNodes {
		wg.Go(func() {
			for end := since.Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				status, text, err := c.node(i).Send(c.t.Context(), "PATCH", "/api/v10/lobbies/"+c.lobbies[i].id, "Bot bot-token-of-application-0", `{"flags":0}`)
				if err == nil && status == 200 {
					return
				}
				if time.Now().After(end) {
					c.t.Errorf("node %d accepts no write after the fault: %d %s %v", i, status, text, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(since)
}

// report prints the table of results.
func (c *faultTest) report(faults []injectedFault, table map[string]*faultRow, count int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d faults, slowest answer %v, longest recovery %v, longest restart %v\n\n", count,
		c.slowest.Round(time.Millisecond), c.recovery.Round(time.Millisecond), c.restarts.Round(time.Millisecond))
	b.WriteString("| fault | times | writes | refused | reads | refused | events received | sessions that got op 9 | slowest answer | longest recovery |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, f := range faults {
		r := table[f.name]
		if r == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %v | %v |\n", f.name, r.count, r.writes, r.refused, r.reads, r.unread, r.events,
			r.invalid, r.slowest.Round(time.Millisecond), r.recovery.Round(time.Millisecond))
	}
	c.t.Log("\n" + b.String())
}
