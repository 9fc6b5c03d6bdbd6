package main

import (
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

// campaign is three nodes, each behind a proxy of its own to PostgreSQL, that lobbies are edited and read on and heard of
// while faults happen.
type campaign struct {
	t       *testing.T
	fleet   *fleet
	proxies []*enginetest.Proxy
	lobbies []*lobbyHistory
	clients []*eventClient

	mu     sync.Mutex
	nodes  []*process // as clients see them
	paused map[*process]bool

	slowest  time.Duration // of all answers of nodes that were not stopped themselves
	recovery time.Duration // the longest time after a fault until every node had taken a write
	restarts time.Duration // the longest time from the start of a node that was killed until it had taken a write
}

// campaignFault is something that breaks, and what ends it.
type campaignFault struct {
	name string
	do   func(ctx context.Context) error
}

const (
	campaignNodes   = 3
	campaignLobbies = 4
	// answerBound is how long a node may take to answer whatever happens, recoveryBound how long until it takes writes after a
	// fault, restartBound how long from the start of a process to its first write. On a machine that does other work too,
	// tests allow more.
	answerBound   = 3 * time.Second
	recoveryBound = 2 * time.Second
	restartBound  = 2 * time.Second
	busySlack     = 5 * time.Second
)

// TestFaults breaks what three nodes are made of, while lobbies are edited, read and heard of on all of them. Every
// subject's history must be linearizable, and every session must hear its events in order, each once, or be told to identify
// again. BELLHOP_FAULTS is how many random faults there are; without it each kind happens once.
func TestFaults(t *testing.T) {
	t.Parallel()
	c := startCampaign(t)
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
	if c.slowest > answerBound+slack {
		t.Errorf("an answer took %v, want at most %v", c.slowest, answerBound)
	}
	if c.recovery > recoveryBound+slack {
		t.Errorf("recovery took %v, want at most %v", c.recovery, recoveryBound)
	}
	if c.restarts > restartBound+slack {
		t.Errorf("a node that was killed took its first write after %v, want at most %v", c.restarts, restartBound)
	}
	c.report(faults, table, count)
}

// faultRow is what came of one kind of fault.
type faultRow struct {
	count, writes, refused, reads, unread, events, invalid int
	slowest, recovery                                      time.Duration
}

func startCampaign(t *testing.T) *campaign {
	t.Helper()
	f := &fleet{dir: t.TempDir(), args: []string{"--dev", "--limits", "off"}}
	c := &campaign{t: t, fleet: f, paused: map[*process]bool{}}
	f.startEngines(t)
	f.writeWorld(t)
	for i := range campaignNodes {
		p, err := enginetest.StartProxy(t.Context(), f.postgres.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stopEngine(t, p.Close) })
		c.proxies = append(c.proxies, p)
		f.nodes = append(f.nodes, c.start(i))
	}
	c.nodes = append(c.nodes, f.nodes...)
	token := f.bearer(t, 0)
	for range campaignLobbies {
		c.lobbies = append(c.lobbies, c.createLobby())
	}
	for i := range campaignNodes {
		l := &eventClient{campaign: c, node: i, token: token}
		t.Cleanup(l.stop)
		l.begin()
		c.clients = append(c.clients, l)
	}
	return c
}

// start runs node i, again when it has ended.
func (c *campaign) start(i int) *process {
	c.t.Helper()
	url, err := c.proxies[i].URL(c.fleet.url)
	if err != nil {
		c.t.Fatal(err)
	}
	args := []string{
		"serve", "--data", filepath.Join(c.fleet.dir, fmt.Sprint("node", i)), "--world", c.fleet.world, "--listen", "127.0.0.1:0",
		"--postgres", url, "--redis", c.fleet.redis.URL(),
	}
	return start(c.t, append(args, c.fleet.args...)...)
}

func (c *campaign) createLobby() *lobbyHistory {
	c.t.Helper()
	status, text, err := c.nodes[0].send(c.t.Context(), "POST", "/api/v10/lobbies", "Bot token-0",
		`{"idle_timeout_seconds":604800,"metadata":{"n":"0"},"members":[{"id":"200000000000000000"}]}`)
	if err != nil || status != 201 {
		c.t.Fatalf("create: %d %s %v", status, text, err)
	}
	return &lobbyHistory{id: strings.Split(text, `"`)[3], value: "0"}
}

// node returns node i as it is now.
func (c *campaign) node(i int) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[i]
}

func (c *campaign) isPaused(p *process) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused[p]
}

func (c *campaign) logs() string {
	var b strings.Builder
	for i := range c.nodes {
		text := fmt.Sprint(c.node(i).Stderr)
		fmt.Fprintf(&b, "node %d:\n%s\n", i, text[max(0, len(text)-3000):])
	}
	return b.String()
}

// faults are the kinds of faults.
func (c *campaign) faults() []campaignFault {
	f := c.fleet
	pause := func(d time.Duration, begin, end func() error) func(context.Context) error {
		return func(context.Context) error {
			err := begin()
			time.Sleep(d) // load goes on
			return errors.Join(err, end())
		}
	}
	again := func(stop func() error, begin func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			err := stop()
			time.Sleep(500 * time.Millisecond)
			return errors.Join(err, begin(ctx))
		}
	}
	return []campaignFault{
		{"nothing", func(context.Context) error { time.Sleep(time.Second); return nil }},
		{"node killed and restarted", func(context.Context) error { return c.restart(rand.IntN(campaignNodes)) }},
		{"node crashes three times in a row", c.crashLoop},
		{"node stopped for 2 s", func(context.Context) error { return c.pauseNode(rand.IntN(campaignNodes), 2*time.Second) }},
		{"PostgreSQL stopped for 4 s", pause(4*time.Second, f.postgres.Freeze, f.postgres.Thaw)},
		{"PostgreSQL restarted", again(f.postgres.Halt, f.postgres.Start)},
		{"PostgreSQL crashes", again(f.postgres.Kill, f.postgres.Start)},
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
		{"Redis stopped for 3 s", pause(3*time.Second, f.redis.Freeze, f.redis.Thaw)},
		{"Redis restarted with its data", again(f.redis.Halt, f.redis.Start)},
		{"Redis loses its data", again(func() error { return errors.Join(f.redis.Kill(), f.redis.Forget()) }, f.redis.Start)},
	}
}

// restart kills a node and starts it again. It must take a write soon after.
func (c *campaign) restart(i int) error {
	p := c.node(i)
	c.mu.Lock()
	c.paused[p] = true // its answers do not count any more
	c.mu.Unlock()
	if err := p.Process.Kill(); err != nil {
		return err
	}
	_ = p.Wait() // it was killed
	began := time.Now()
	next := c.start(i)
	status, text, err := next.send(c.t.Context(), "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot token-0", `{"flags":0}`)
	if err != nil || status != 200 {
		return fmt.Errorf("the first write after a restart: %d %s %w", status, text, err)
	}
	c.restarts = max(c.restarts, time.Since(began))
	c.mu.Lock()
	c.nodes[i] = next
	c.mu.Unlock()
	return nil
}

func (c *campaign) crashLoop(context.Context) error {
	i := rand.IntN(campaignNodes)
	for range 3 {
		if err := c.restart(i); err != nil {
			return err
		}
	}
	return nil
}

func (c *campaign) pauseNode(i int, d time.Duration) error {
	p := c.node(i)
	c.mu.Lock()
	c.paused[p] = true
	c.mu.Unlock()
	err := p.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	err = errors.Join(err, p.Process.Signal(syscall.SIGCONT))
	time.Sleep(time.Second) // requests that it had taken up before are answered
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused[p] = false
	return err
}

// blackHole cuts one node off. The others must go on meanwhile.
func (c *campaign) blackHole(ctx context.Context) error {
	i := rand.IntN(campaignNodes)
	c.proxies[i].Swallow(true)
	defer c.proxies[i].Swallow(false)
	end := time.Now().Add(3 * time.Second)
	for n := 0; time.Now().Before(end); n++ {
		other := c.node((i + 1 + n%2) % campaignNodes)
		began := time.Now()
		status, text, err := other.send(ctx, "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot token-0", `{"flags":0}`)
		if took := time.Since(began); err != nil || status != 200 || took > time.Second+busySlack {
			return fmt.Errorf("a write on another node while one is cut off: %d %s %w after %v", status, text, err, took)
		}
	}
	return nil
}

// round has load on the nodes while a fault happens and until all is well again, and judges what was seen.
func (c *campaign) round(f campaignFault, row *faultRow) {
	c.t.Helper()
	for _, h := range c.lobbies {
		h.beginRound()
	}
	ctx, stop := context.WithCancel(c.t.Context())
	var load sync.WaitGroup
	for i := range campaignNodes {
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
		c.settle(h)
		h.judge(c.t, f.name, row)
	}
	for _, l := range c.clients {
		l.catchUp()
	}
	judgeEvents(c.t, f.name, c.lobbies, c.clients, row)
	c.slowest = max(c.slowest, row.slowest)
}

// recovered waits until every node takes writes and returns how long that took.
func (c *campaign) recovered(since time.Time) time.Duration {
	c.t.Helper()
	var wg sync.WaitGroup
	for i := range campaignNodes {
		wg.Go(func() {
			for end := since.Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				status, text, err := c.node(i).send(c.t.Context(), "PATCH", "/api/v10/lobbies/"+c.lobbies[i].id, "Bot token-0", `{"flags":0}`)
				if err == nil && status == 200 {
					return
				}
				if time.Now().After(end) {
					c.t.Errorf("node %d takes no write after the fault: %d %s %v", i, status, text, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(since)
}

// report prints the table of results.
func (c *campaign) report(faults []campaignFault, table map[string]*faultRow, count int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d faults, slowest answer %v, longest recovery %v, longest restart %v\n\n", count,
		c.slowest.Round(time.Millisecond), c.recovery.Round(time.Millisecond), c.restarts.Round(time.Millisecond))
	b.WriteString("| fault | times | writes | refused | reads | refused | events heard | sessions told to identify again | slowest answer | longest recovery |\n|---|---|---|---|---|---|---|---|---|---|\n")
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
