package cluster

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// faults returns all kinds of faults.
func (c *faultTest) faults() []injectedFault {
	return []injectedFault{
		{"nothing", true, func(context.Context) error { time.Sleep(time.Second); return nil }},
		{"node killed and restarted", false, func(context.Context) error { return c.restart(c.randomNode()) }},
		{"node crashes three times in a row", false, c.crashLoop},
		{"node stopped for 2 s", false, c.pauseNode},
		{"node killed between commit and wake-up", false, c.killAfterCommit},
		{"PostgreSQL stopped for 4 s", false, c.hangPostgres},
		{"PostgreSQL restarted", false, func(ctx context.Context) error { return c.restartPostgres(ctx, c.cluster.postgres.Halt) }},
		{"PostgreSQL crashes", false, func(ctx context.Context) error { return c.restartPostgres(ctx, c.cluster.postgres.Kill) }},
		{"PostgreSQL fails over to a synchronous replica", false, c.failOverPostgres},
		{"connections to PostgreSQL cut", false, c.cutConnections},
		{"connections cut in the middle of a commit", false, c.cutCommits},
		{"one node black-holed from PostgreSQL for 3 s", false, c.blackHole},
		{"lobbies locked for 10 s", false, c.lockLobbies},
		{"a random table locked for 10 s", false, c.lockRandomTable},
		{"one damaged row in each table", false, c.damageRows},
		{"Redis stopped for 3 s", false, c.hangRedis},
		{"Redis restarted with its data", false, func(ctx context.Context) error { return c.restartRedis(ctx, c.cluster.redis.Halt) }},
		{"Redis loses its data", false, func(ctx context.Context) error {
			return c.restartRedis(ctx, func() error { return errors.Join(c.cluster.redis.Kill(), c.cluster.redis.Forget()) })
		}},
		{"Redis fails over to a lagging replica", false, c.failOverRedis},
		{"clients that do not read", true, c.stallClients},
	}
}

func (c *faultTest) randomNode() int { return c.random.IntN(len(c.nodes)) }

// restart kills node i and starts it again. The node must accept a write.
func (c *faultTest) restart(i int) error {
	p := c.node(i)
	c.setPaused(p, true)
	if err := p.Process.Kill(); err != nil {
		return err
	}
	_ = p.Wait() // reports the kill
	began := time.Now()
	next := c.start(i)
	status, text, err := next.SendUntilAvailable(c.t.Context(), "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{"flags":0}`)
	if err != nil || status != 200 {
		return fmt.Errorf("the first write after a restart: %d %s %w", status, text, err)
	}
	c.restarts = max(c.restarts, time.Since(began))
	c.mu.Lock()
	c.nodes[i] = next
	c.mu.Unlock()
	return nil
}

// setPaused sets whether the response times of a process do not count.
func (c *faultTest) setPaused(p *process, paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused[p] = paused
}

// crashLoop kills and restarts a node three times.
func (c *faultTest) crashLoop(context.Context) error {
	i := c.randomNode()
	for range 3 {
		if err := c.restart(i); err != nil {
			return err
		}
	}
	return nil
}

// pauseNode stops the process of a node with SIGSTOP for 2 s.
func (c *faultTest) pauseNode(context.Context) error {
	p := c.node(c.randomNode())
	c.setPaused(p, true)
	err := p.Process.Signal(syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	err = errors.Join(err, p.Process.Signal(syscall.SIGCONT))
	time.Sleep(time.Second) // until the node has answered its old requests
	c.setPaused(p, false)
	return err
}

// written is in the data of every commit that writes the metadata of a lobby.
const written = `"n":"`

// killAfterCommit kills a node after it has sent a commit to PostgreSQL and before it learns that the commit succeeded.
func (c *faultTest) killAfterCommit(context.Context) error {
	i := c.randomNode()
	if err := c.awaitCut(i, engines.CutAfter); err != nil {
		return err
	}
	return c.restart(i)
}

// awaitCut cuts the connection of the next commit of node i.
func (c *faultTest) awaitCut(i int, f engines.Fault) error {
	proxy := c.postgres[i][c.primary]
	happened := proxy.FailOn(f, written)
	select {
	case <-happened:
		return nil
	case <-time.After(10 * time.Second):
		proxy.FailOn(engines.NoFault, "")
		return fmt.Errorf("node %d sent no commit for 10 s", i)
	}
}

// cutCommits cuts connections before, within and after commits.
func (c *faultTest) cutCommits(context.Context) error {
	for range 30 {
		f := []engines.Fault{engines.CutBefore, engines.CutWithin, engines.CutAfter, engines.CutAfter}[c.random.IntN(4)]
		if err := c.awaitCut(c.randomNode(), f); err != nil {
			return err
		}
	}
	return nil
}

// cutConnections cuts all connections to PostgreSQL five times.
func (c *faultTest) cutConnections(context.Context) error {
	for range 5 {
		for _, p := range c.postgres {
			p[c.primary].Cut()
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// hangPostgres stops PostgreSQL with SIGSTOP for 4 s.
func (c *faultTest) hangPostgres(context.Context) error {
	err := c.cluster.postgres.Freeze()
	time.Sleep(4 * time.Second)
	return errors.Join(err, c.cluster.postgres.Thaw())
}

func (c *faultTest) restartPostgres(ctx context.Context, stop func() error) error {
	err := stop()
	time.Sleep(500 * time.Millisecond)
	return errors.Join(err, c.cluster.postgres.Start(ctx))
}

// failOverPostgres makes the other server a synchronous replica, kills the primary, and promotes the replica.
func (c *faultTest) failOverPostgres(ctx context.Context) error {
	cl := c.cluster
	if err := cl.sparePostgres.Follow(ctx, cl.postgres); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // commits wait for the replica
	if err := errors.Join(cl.postgres.Fence(), cl.sparePostgres.Promote(ctx)); err != nil {
		return err
	}
	cl.postgres, cl.sparePostgres = cl.sparePostgres, cl.postgres
	c.primary = 1 - c.primary
	return nil
}

// hangRedis stops Redis with SIGSTOP for 3 s.
func (c *faultTest) hangRedis(context.Context) error {
	err := c.cluster.redis.Freeze()
	time.Sleep(3 * time.Second)
	return errors.Join(err, c.cluster.redis.Thaw())
}

func (c *faultTest) restartRedis(ctx context.Context, stop func() error) error {
	err := stop()
	time.Sleep(500 * time.Millisecond)
	return errors.Join(err, c.cluster.redis.Start(ctx))
}

// failOverRedis makes the other server a replica, cuts it from the primary for a second, during which one node gets what it reads
// late, kills the primary, and promotes the replica, which has lost a second of writes.
func (c *faultTest) failOverRedis(ctx context.Context) (err error) {
	cl := c.cluster
	if err := errors.Join(cl.spareRedis.Forget(), cl.spareRedis.Start(ctx)); err != nil {
		return err
	}
	link, err := engines.StartProxy(ctx, cl.redis.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, link.Close()) }()
	if err := cl.spareRedis.Follow(ctx, link.Addr()); err != nil {
		return err
	}
	behind := c.redis[c.randomNode()]
	behind.Delay(200 * time.Millisecond)
	link.Kill()
	time.Sleep(time.Second)
	if err := errors.Join(cl.redis.Kill(), cl.spareRedis.Promote(ctx)); err != nil {
		return err
	}
	cl.redis, cl.spareRedis = cl.spareRedis, cl.redis
	for _, p := range c.redis {
		p.Retarget(cl.redis.Addr())
		p.Cut()
	}
	behind.Delay(0)
	return nil
}

// blackHole drops all packets between one node and PostgreSQL for 3 s, and longer if no other node has accepted a write
// by then. It measures how long the other nodes accept none.
func (c *faultTest) blackHole(ctx context.Context) error {
	i := c.randomNode()
	for _, p := range c.postgres[i] {
		p.Swallow(true)
		defer p.Swallow(false)
	}
	began, accepted := time.Now(), false
	last := began
	for n := 0; time.Since(began) < 3*time.Second || !accepted && time.Since(began) <= maxOutage+busySlack; n++ {
		other := c.node((i + 1 + n%2) % len(c.nodes))
		status, _, err := other.Send(ctx, "PATCH", "/api/v10/lobbies/"+c.lobbies[0].id, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{"flags":0}`)
		now := time.Now()
		c.outage = max(c.outage, now.Sub(last))
		if err == nil && status == 200 {
			accepted, last = true, now
		}
	}
	return nil
}
