package main

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

// history is what clients of a fleet believe, each application one generation of one command.
type history struct {
	fleet *fleet
	mu    sync.Mutex // guards fleet.nodes
	down  sync.Map   // the processes that were killed

	acknowledged [crowd / 2]atomic.Int64
	tried        [crowd / 2]atomic.Int64
	writes, refused, reads,
	unread atomic.Int64
}

func (h *history) pick() *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fleet.nodes[rand.IntN(len(h.fleet.nodes))]
}

// send makes a request to some node. A node that was killed is no fault.
func (h *history) send(ctx context.Context, method string, app int, body string) (int, string, error) {
	p := h.pick()
	path, token := fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprintf("Bot token-%d", app)
	status, text, err := p.send(ctx, method, path, token, body)
	if _, killed := h.down.Load(p); err != nil && (killed || ctx.Err() != nil) {
		err = nil // status 0 tells of it
	}
	return status, text, err
}

func (h *history) write(ctx context.Context, app int) error {
	n := h.tried[app].Add(1)
	status, text, err := h.send(ctx, "POST", app, fmt.Sprintf(`{"name":"only","description":"%d"}`, n))
	switch {
	case err != nil:
		return err
	case status == 200 || status == 201:
		h.writes.Add(1)
		h.acknowledged[app].Store(n)
	case status == 503 || status == 0:
		h.refused.Add(1)
	default:
		return fmt.Errorf("write: %d %s", status, text)
	}
	return nil
}

func (h *history) read(ctx context.Context, app int) error {
	least := h.acknowledged[app].Load()
	status, text, err := h.send(ctx, "GET", app, "")
	switch {
	case err != nil:
		return err
	case status == 503 || status == 0:
		h.unread.Add(1)
		return nil
	case status != 200:
		return fmt.Errorf("read: %d %s", status, text)
	}
	h.reads.Add(1)
	_, rest, _ := strings.Cut(text, `"description":"`)
	shown, _, _ := strings.Cut(rest, `"`)
	got, _ := strconv.ParseInt(shown, 10, 64) // nothing there counts as 0
	if got < least || got > h.tried[app].Load() {
		return fmt.Errorf("application %d shows generation %d after %d was acknowledged of %d", app, got, least, h.tried[app].Load())
	}
	return nil
}

// during writes and reads from all sides while do happens, and until every application has been written to after it.
func (h *history) during(t *testing.T, do func(ctx context.Context) error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var wg sync.WaitGroup
	var over atomic.Bool
	begun := make(chan struct{}, 1)
	for app := range h.acknowledged {
		for _, act := range []func(context.Context, int) error{h.write, h.read, h.read} {
			wg.Go(func() {
				for !over.Load() {
					if err := act(ctx, app); err != nil {
						t.Error(err)
						over.Store(true)
					}
					if h.writes.Load() > 0 {
						select {
						case begun <- struct{}{}:
						default:
						}
					}
				}
			})
		}
	}
	<-begun
	if err := do(ctx); err != nil {
		t.Error(err)
	}
	for app := range h.acknowledged {
		for was := h.acknowledged[app].Load(); h.acknowledged[app].Load() == was && !over.Load(); {
			if ctx.Err() != nil {
				t.Errorf("application %d cannot be written to after the fault", app)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	over.Store(true)
	wg.Wait()
}

// TestNodesFaults ends what can end in the middle of load: no acknowledged write is lost, no read shows the past, and all
// goes on by itself.
func TestNodesFaults(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--limits", "off")
	h := &history{fleet: f}
	again := func(stop, start func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			err := stop(ctx)
			time.Sleep(time.Second) // load goes on without it
			return errors.Join(err, start(ctx))
		}
	}
	for _, fault := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"nothing", func(context.Context) error { return nil }},
		{"a node is killed and comes back", func(context.Context) error { return h.replace(t, 1) }},
		{"redis restarts with its data", again(func(context.Context) error { return f.redis.Kill() }, f.redis.Start)},
		{"redis restarts without its data", again(func(context.Context) error {
			return errors.Join(f.redis.Kill(), f.redis.Forget())
		}, f.redis.Start)},
		{"redis hangs", again(func(context.Context) error { return f.redis.Freeze() }, func(context.Context) error { return f.redis.Thaw() })},
		{"connections to postgres are cut", f.postgres.Cut},
		{"postgres restarts", again(func(context.Context) error { return f.postgres.Halt() }, f.postgres.Start)},
		{"postgres crashes", again(func(context.Context) error { return f.postgres.Kill() }, f.postgres.Start)},
	} {
		h.through(t, fault.name, fault.do)
	}
	for _, p := range f.nodes {
		p.stop(t)
	}
}

// through has load on the nodes while something happens, and says what came of it.
func (h *history) through(t *testing.T, name string, do func(context.Context) error) {
	t.Helper()
	began := time.Now()
	h.during(t, do)
	t.Logf("%s: %v, %d writes, %d refused, %d reads, %d refused", name, time.Since(began).Round(time.Millisecond),
		h.writes.Swap(0), h.refused.Swap(0), h.reads.Swap(0), h.unread.Swap(0))
	if t.Failed() {
		t.Fatalf("after: %s", name)
	}
}

// replace kills a node and starts it again.
func (h *history) replace(t *testing.T, i int) error {
	t.Helper()
	h.down.Store(h.fleet.nodes[i], true)
	if err := h.fleet.nodes[i].Process.Kill(); err != nil {
		return err
	}
	_ = h.fleet.nodes[i].Wait() // it was killed
	p := h.fleet.start(t, i)
	h.mu.Lock()
	h.fleet.nodes[i] = p
	h.mu.Unlock()
	return nil
}

// TestNodesLimits asks three nodes at once: together they let in what the limit says.
func TestNodesLimits(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	path := fmt.Sprintf("/api/v10/applications/%d/commands", appID(0))
	for round := range 3 {
		// A window of a second begins with the first request; all of these fit into it.
		var allowed, limited atomic.Int64
		began := time.Now()
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				for range 10 {
					status, text, err := f.nodes[i%3].send(t.Context(), "GET", path, "Bot token-0", "")
					switch {
					case err == nil && status == 200:
						allowed.Add(1)
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
		if allowed.Load() > 50*windows || windows == 1 && allowed.Load() != 50 {
			t.Errorf("round %d: %d requests were let in within %v, want 50 a second", round, allowed.Load(), took)
		}
		time.Sleep(1100 * time.Millisecond) // until the window is over
	}
}
