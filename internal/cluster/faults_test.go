package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// faultTest injects faults into nodes while clients edit and read lobbies, receive their events and invoke a command. Each node
// has its own proxies to PostgreSQL and Redis.
type faultTest struct {
	t        *testing.T
	cluster  *cluster
	random   *rand.Rand // of the goroutine of the test
	lobbies  []*lobbyHistory
	clients  []*eventClient
	invoked  *invocations    // nil: no invocations
	answered map[string]bool // interactions that checkInteraction has answered

	// clocks has the time by which the clock of each node is ahead.
	clocks []time.Duration
	// postgres has a proxy for each node and server; primary is the number of the server that accepts writes.
	postgres [][]*engines.Proxy
	primary  int
	redis    []*engines.Proxy // for each node
	// programs are the binaries of the nodes. An empty one stands for this version.
	programs []string

	mu     sync.Mutex
	nodes  []*process
	paused map[*process]bool // the response times of these processes do not count
	failed []string          // what went wrong in this round

	restarts time.Duration // the longest time from the start of a killed node until it accepted a write
	outage   time.Duration // the longest time without an accepted write while one node was cut off from PostgreSQL
}

// injectedFault is a kind of fault. do injects it and ends it.
type injectedFault struct {
	name   string
	prompt bool // events arrive in time although it lasts
	do     func(ctx context.Context) error
}

const (
	faultLobbies = 4
	// The bounds on faultRow.slowest, recovery and lag, and on faultTest.restarts and outage. Short runs allow
	// busySlack more, because other tests and their builds run at the same time.
	maxResponseTime = 3 * time.Second
	maxRecovery     = 2 * time.Second
	maxLag          = 3 * time.Second
	maxRestart      = 2 * time.Second
	maxOutage       = time.Second
	busySlack       = 20 * time.Second
	// maxFailures is the number of rounds with a failed check after which a run ends.
	maxFailures = 20
)

// clocks has the times by which the clocks of the nodes are ahead in TestFaults.
var clocks = []time.Duration{-31 * time.Second, 31 * time.Second, 0, -500 * time.Millisecond, 500 * time.Millisecond, -2 * time.Second}

// TestFaults injects faults into six nodes with different clocks, PostgreSQL and Redis, while clients use all nodes.
// The history of each lobby must be linearizable. Every session must receive its events once and in order, or get op 9.
// Every invocation must end. BELLHOP_FAULTS sets the number of random faults and BELLHOP_FAULTS_SEED their order;
// without them each kind of fault happens once. BELLHOP_FAULTS_ONLY is a part of the names of the faults to inject.
func TestFaults(t *testing.T) {
	t.Parallel()
	seed, slack := uint64(1), busySlack
	if n, err := strconv.ParseUint(os.Getenv("BELLHOP_FAULTS_SEED"), 10, 64); err == nil {
		seed = n
	}
	c := &faultTest{t: t, random: rand.New(rand.NewPCG(seed, 0)), clocks: clocks}
	dir := t.TempDir()
	c.startAll(&cluster{dir: dir, world: writeFaultsWorld(t, dir), args: []string{"--dev", "--limits", "off"}}, "")
	c.invoked = startInvocations(c)
	c.createVictims()
	var faults []injectedFault
	for _, f := range c.faults() {
		if strings.Contains(f.name, os.Getenv("BELLHOP_FAULTS_ONLY")) {
			faults = append(faults, f)
		}
	}
	count := len(faults)
	if n, err := strconv.Atoi(os.Getenv("BELLHOP_FAULTS")); err == nil {
		count, slack = n, 0
	}
	table, failures, run := map[string]*faultRow{}, 0, newCampaign(t, "fault", count)
	for i := range count {
		f := faults[i%len(faults)]
		if i >= len(faults) {
			f = faults[c.random.IntN(len(faults))]
		}
		row := table[f.name]
		if row == nil {
			row = &faultRow{}
			table[f.name] = row
		}
		began := time.Now()
		c.round(f, row, slack)
		if problems := c.takeFailures(); len(problems) > 0 {
			t.Errorf("fault %d of seed %d: %s:\n%s\n%s", i+1, seed, f.name, strings.Join(problems, "\n"), c.logs())
			if failures++; failures == maxFailures {
				break
			}
		}
		if !run.step(f.name, time.Since(began)) {
			break
		}
	}
	if c.outage > maxOutage+slack {
		t.Errorf("nodes that reach PostgreSQL accepted no write for %v, want at most %v", c.outage, maxOutage)
	}
	c.report(faults, table, run.summary(seed))
}

// failf records that a check of this round failed.
func (c *faultTest) failf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.failed) < 20 {
		c.failed = append(c.failed, fmt.Sprintf(format, args...))
	}
}

// takeFailures returns what went wrong since the last call.
func (c *faultTest) takeFailures() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	failed := c.failed
	c.failed = nil
	return failed
}

// faultRow is the result of one kind of fault.
type faultRow struct {
	count, writes, refused, reads, unread, events, invalid, invoked, answered int
	slowest, recovery, lag                                                    time.Duration
}

// startAll starts the engines, the nodes, lobbies and gateway clients. program is the binary of the nodes; an empty one
// stands for this version.
func (c *faultTest) startAll(cl *cluster, program string) {
	t := c.t
	t.Helper()
	c.cluster, c.paused = cl, map[*process]bool{}
	cl.startEngines(t)
	if cl.world == "" {
		cl.world = writeAppsWorld(t, cl.dir)
	}
	servers := []string{cl.postgres.Addr()}
	if program == "" {
		cl.startSpares(t)
		servers = append(servers, cl.sparePostgres.Addr())
	}
	for i := range c.clocks {
		c.postgres = append(c.postgres, nil)
		for _, address := range servers {
			c.postgres[i] = append(c.postgres[i], startProxy(t, address))
		}
		c.redis = append(c.redis, startProxy(t, cl.redis.Addr()))
		c.programs = append(c.programs, program)
		c.nodes = append(c.nodes, c.start(i))
	}
	cl.nodes = append(cl.nodes, c.nodes...)
	for i, p := range c.nodes {
		if _, _, err := p.Send(t.Context(), "GET", "/healthz", "", ""); err != nil {
			t.Fatalf("node %d, whose clock is %v ahead, does not answer after all nodes have started: %v\n%s", i, c.clocks[i], err, c.logs())
		}
	}
	token := cl.bearer(t, 0)
	for range faultLobbies {
		c.lobbies = append(c.lobbies, c.createLobby())
	}
	for i := range c.nodes {
		l := &eventClient{faultTest: c, node: i, token: token, record: recordLobby}
		t.Cleanup(l.stop)
		l.begin()
		c.clients = append(c.clients, l)
	}
}

func startProxy(t *testing.T, target string) *engines.Proxy {
	t.Helper()
	p, err := engines.StartProxy(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, p.Close) })
	return p
}

// start starts node i.
func (c *faultTest) start(i int) *process {
	c.t.Helper()
	u, err := url.Parse(c.cluster.url)
	if err != nil {
		c.t.Fatal(err)
	}
	var hosts []string
	for _, p := range c.postgres[i] {
		hosts = append(hosts, p.Addr())
	}
	u.Host = strings.Join(hosts, ",")
	if len(hosts) > 1 {
		u.RawQuery += "&target_session_attrs=read-write"
	}
	args := []string{
		"serve", "--data", filepath.Join(c.cluster.dir, fmt.Sprint("node", i)), "--world", c.cluster.world, "--listen", "127.0.0.1:0",
		"--postgres", u.String(), "--redis", "redis://" + c.redis[i].Addr(), "--lobby-users", "auto",
	}
	args = append(args, c.cluster.args...)
	program := c.programs[i]
	if program == "" && c.clocks[i] == 0 {
		program = programs.Path(c.t, "bellhop")
	} else if program == "" {
		program = wrongClockProgram(c.t)
	}
	return startProgram(c.t, program, []string{clockAhead + "=" + c.clocks[i].String()}, args...)
}

func (c *faultTest) createLobby() *lobbyHistory {
	c.t.Helper()
	status, text, err := c.node(0).SendUntilAvailable(c.t.Context(), "POST", "/api/v10/lobbies", "Bot bot-V7mQ2xK9tR4zL8pW3n-0",
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
		var lines []string
		for line := range strings.Lines(c.node(i).Log()) {
			if !strings.Contains(line, `"msg":"request"`) {
				lines = append(lines, line)
			}
		}
		fmt.Fprintf(&b, "node %d:\n%s\n", i, strings.Join(lines[max(0, len(lines)-10):], ""))
	}
	return b.String()
}

// round injects a fault under load, waits for the recovery, and checks the history and the events of all lobbies, and that all
// invocations end.
func (c *faultTest) round(f injectedFault, row *faultRow, slack time.Duration) {
	c.t.Helper()
	for _, h := range c.lobbies {
		h.beginRound(len(c.nodes))
	}
	ctx, stop := context.WithCancel(c.t.Context())
	var load sync.WaitGroup
	for i := range c.nodes {
		for j, h := range c.lobbies {
			if (i+j)%2 == 0 || len(c.nodes) < 6 { // three nodes edit a lobby
				load.Go(func() { c.edit(ctx, i, h) })
			}
			if (i+j)%2 == 1 || len(c.nodes) < 6 { // three read it
				load.Go(func() { c.read(ctx, i, h) })
			}
		}
	}
	if c.invoked != nil {
		load.Go(func() { c.invoked.run(ctx) })
	}
	time.Sleep(100 * time.Millisecond)
	if err := f.do(ctx); err != nil {
		c.failf("%v", err)
	}
	recovery := c.recovered(time.Now())
	stop()
	load.Wait()
	result := faultRow{count: 1, recovery: recovery}
	for _, h := range c.lobbies {
		c.readFinal(h)
		c.checkLinearizable(h, &result)
	}
	for _, l := range c.clients {
		l.catchUp()
	}
	c.checkEvents(&result)
	if c.invoked != nil {
		c.invoked.check(&result)
	}
	if result.slowest > maxResponseTime+slack {
		c.failf("a response took %v, want at most %v", result.slowest, maxResponseTime)
	}
	if result.recovery > maxRecovery+slack {
		c.failf("recovery took %v, want at most %v", result.recovery, maxRecovery)
	}
	if c.restarts > maxRestart+slack {
		c.failf("a killed node accepted its first write after %v, want at most %v", c.restarts, maxRestart)
		c.restarts = 0
	}
	if f.prompt && result.lag > maxLag+slack {
		c.failf("an event arrived %v after its write was acknowledged, want at most %v", result.lag, maxLag)
	}
	row.add(result)
}

// add adds the result of a round.
func (r *faultRow) add(o faultRow) {
	r.count += o.count
	r.writes += o.writes
	r.refused += o.refused
	r.reads += o.reads
	r.unread += o.unread
	r.events += o.events
	r.invalid += o.invalid
	r.invoked += o.invoked
	r.answered += o.answered
	r.slowest, r.recovery, r.lag = max(r.slowest, o.slowest), max(r.recovery, o.recovery), max(r.lag, o.lag)
}

// recovered waits until every node accepts a write and returns how long that took.
func (c *faultTest) recovered(since time.Time) time.Duration {
	c.t.Helper()
	var wg sync.WaitGroup
	for i := range c.nodes {
		wg.Go(func() {
			for end := since.Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				path := "/api/v10/lobbies/" + c.lobbies[i%len(c.lobbies)].id
				status, text, err := c.node(i).Send(c.t.Context(), "PATCH", path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{"flags":0}`)
				if err == nil && status == 200 {
					return
				}
				if time.Now().After(end) {
					c.failf("node %d accepts no write after the fault: %d %s %v", i, status, text, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(since)
}

// report prints the table of results, and writes it to docs/faults.md in a long run.
func (c *faultTest) report(faults []injectedFault, table map[string]*faultRow, summary string) {
	var b strings.Builder
	var all faultRow
	var rows strings.Builder
	for _, f := range faults {
		r := table[f.name]
		if r == nil {
			continue
		}
		all.add(*r)
		fmt.Fprintf(&rows, "| %s | %d | %d | %d | %d | %d | %d | %d | %d of %d | %v | %v | %v |\n", f.name, r.count, r.writes, r.refused, r.reads,
			r.unread, r.events, r.invalid, r.answered, r.invoked, r.slowest.Round(time.Millisecond), r.recovery.Round(time.Millisecond), r.lag.Round(time.Millisecond))
	}
	fmt.Fprintf(&b, "%s\n\nSlowest answer %v, longest recovery %v, longest restart %v, longest outage %v.\n\n", summary,
		all.slowest.Round(time.Millisecond), all.recovery.Round(time.Millisecond), c.restarts.Round(time.Millisecond), c.outage.Round(time.Millisecond))
	b.WriteString("| fault | times | writes | refused | reads | refused | events received | op 9 | invocations answered | slowest answer | longest recovery | slowest event |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|\n" + rows.String())
	c.t.Log("\n" + b.String())
	writeSection(c.t, "### Faults", b.String())
}
