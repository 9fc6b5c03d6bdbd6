package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// commandLoad writes and reads commands on all nodes of a cluster and checks the reads. Each application has one command, whose
// description is a number that each write increments.
type commandLoad struct {
	cluster *cluster
	mu      sync.Mutex // guards cluster.nodes
	stopped sync.Map   // processes that were stopped or killed

	acknowledged [testApps / 2]atomic.Int64
	tried        [testApps / 2]atomic.Int64
	writes, refused, reads,
	unread atomic.Int64
}

func (l *commandLoad) randomNode() *process {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cluster.nodes[rand.IntN(len(l.cluster.nodes))]
}

// send sends a request to a random node. If the node was stopped, the status is 0 and the error nil.
func (l *commandLoad) send(ctx context.Context, method string, app int, body string) (int, string, error) {
	p := l.randomNode()
	path, token := fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprintf("Bot bot-V7mQ2xK9tR4zL8pW3n-%d", app)
	status, text, err := p.Send(ctx, method, path, token, body)
	if _, stopped := l.stopped.Load(p); err != nil && (stopped || ctx.Err() != nil) {
		err = nil
	}
	return status, text, err
}

func (l *commandLoad) write(ctx context.Context, app int) error {
	n := l.tried[app].Add(1)
	status, text, err := l.send(ctx, "POST", app, fmt.Sprintf(`{"name":"only","description":"%d"}`, n))
	switch {
	case err != nil:
		return err
	case status == 200 || status == 201:
		l.writes.Add(1)
		l.acknowledged[app].Store(n)
	case status == 503 || status == 0:
		l.refused.Add(1)
	default:
		return fmt.Errorf("write: %d %s", status, text)
	}
	return nil
}

func (l *commandLoad) read(ctx context.Context, app int) error {
	least := l.acknowledged[app].Load()
	status, text, err := l.send(ctx, "GET", app, "")
	switch {
	case err != nil:
		return err
	case status == 503 || status == 0:
		l.unread.Add(1)
		return nil
	case status != 200:
		return fmt.Errorf("read: %d %s", status, text)
	}
	l.reads.Add(1)
	_, rest, _ := strings.Cut(text, `"description":"`)
	shown, _, _ := strings.Cut(rest, `"`)
	got, _ := strconv.ParseInt(shown, 10, 64) // no command counts as 0
	if got < least || got > l.tried[app].Load() {
		return fmt.Errorf("application %d has generation %d, want %d (acknowledged) to %d (sent)", app, got, least, l.tried[app].Load())
	}
	return nil
}

// runDuring writes and reads while do runs, and then until each application has had a successful write.
func (l *commandLoad) runDuring(t *testing.T, do func(ctx context.Context) error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	var wg sync.WaitGroup
	var done atomic.Bool
	started := make(chan struct{}, 1)
	for app := range l.acknowledged {
		for _, act := range []func(context.Context, int) error{l.write, l.read, l.read} {
			wg.Go(func() {
				for !done.Load() {
					call := time.Now()
					if err := act(ctx, app); err != nil {
						t.Error(err)
						done.Store(true)
					}
					pause(ctx, time.Since(call))
					if l.writes.Load() > 0 {
						select {
						case started <- struct{}{}:
						default:
						}
					}
				}
			})
		}
	}
	select {
	case <-started:
	case <-ctx.Done():
		t.Error("no write succeeded for 30 s before the fault")
	}
	if err := do(ctx); err != nil {
		t.Error(err)
	}
	for app := range l.acknowledged {
		for was := l.acknowledged[app].Load(); l.acknowledged[app].Load() == was && !done.Load(); {
			if ctx.Err() != nil {
				t.Errorf("application %d: no successful write after the fault: write %d was tried, %d acknowledged", app, l.tried[app].Load(), l.acknowledged[app].Load())
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	done.Store(true)
	wg.Wait()
}

// TestNodesFaults stops nodes, Redis and PostgreSQL under load. No acknowledged write may be lost, no read may be stale, and the
// cluster must recover by itself.
func TestNodesFaults(t *testing.T) {
	t.Parallel()
	cl := startFaultyCluster(t, 3, "--limits", "off")
	l := &commandLoad{cluster: cl}
	stopAndStart := func(stop, start func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			err := stop(ctx)
			time.Sleep(time.Second) // under load
			return errors.Join(err, start(ctx))
		}
	}
	for _, fault := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"nothing", func(context.Context) error { return nil }},
		{"a node is killed and restarted", func(context.Context) error { return l.killAndRestart(t, 1) }},
		{"redis restarts with its data", stopAndStart(func(context.Context) error { return cl.redis.Kill() }, cl.redis.Start)},
		{"redis restarts without its data", stopAndStart(func(context.Context) error {
			return errors.Join(cl.redis.Kill(), cl.redis.Forget())
		}, cl.redis.Start)},
		{"redis hangs", stopAndStart(func(context.Context) error { return cl.redis.Freeze() }, func(context.Context) error { return cl.redis.Thaw() })},
		{"connections to postgres are cut", cl.postgres.Cut},
		{"postgres restarts", stopAndStart(func(context.Context) error { return cl.postgres.Halt() }, cl.postgres.Start)},
		{"postgres crashes", stopAndStart(func(context.Context) error { return cl.postgres.Kill() }, cl.postgres.Start)},
	} {
		l.check(t, fault.name, fault.do)
	}
	for _, p := range cl.nodes {
		p.StopCleanly(t)
	}
}

// check runs the load while do runs, and logs the counts.
func (l *commandLoad) check(t *testing.T, name string, do func(context.Context) error) {
	t.Helper()
	began := time.Now()
	l.runDuring(t, do)
	t.Logf("%s: %v, %d writes, %d failed, %d reads, %d failed", name, time.Since(began).Round(time.Millisecond),
		l.writes.Swap(0), l.refused.Swap(0), l.reads.Swap(0), l.unread.Swap(0))
	if t.Failed() {
		t.Fatalf("after: %s", name)
	}
}

// killAndRestart kills node i and starts it again.
func (l *commandLoad) killAndRestart(t *testing.T, i int) error {
	t.Helper()
	l.stopped.Store(l.cluster.nodes[i], true)
	if err := l.cluster.nodes[i].Process.Kill(); err != nil {
		return err
	}
	_ = l.cluster.nodes[i].Wait() // reports the kill
	p := l.cluster.start(t, i)
	l.mu.Lock()
	l.cluster.nodes[i] = p
	l.mu.Unlock()
	return nil
}

// TestNodesLimits sends requests to three nodes at once. Together they must admit as many as the rate limit allows.
func TestNodesLimits(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3)
	path := fmt.Sprintf("/api/v10/applications/%d/commands", appID(0))
	for round := range 3 {
		// The window of one second begins with the first request. Usually all requests fit into it.
		var admitted, limited atomic.Int64
		began := time.Now()
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				for range 10 {
					status, text, err := cl.nodes[i%3].Send(t.Context(), "GET", path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", "")
					switch {
					case err == nil && status == 200:
						admitted.Add(1)
					case err == nil && status == 429:
						limited.Add(1)
					default:
						t.Errorf("%d %s %v", status, text, err)
					}
				}
			})
		}
		wg.Wait()
		took := time.Since(began)
		windows := int64(took/time.Second) + 1
		if admitted.Load() > 50*windows || windows == 1 && admitted.Load() != 50 {
			t.Errorf("round %d: %d requests were admitted within %v, want 50 per second", round, admitted.Load(), took)
		}
		time.Sleep(1100 * time.Millisecond) // until the window has ended
	}
}
