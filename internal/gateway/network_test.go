package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/go-json-experiment/json"
)

// network is several gateways with a shared Redis and one directory.
type network struct {
	redis   *engines.Redis
	history *history
	nodes   []*node
	lobbies gateway.Lobbies // may be nil
	breaks  bool            // the test makes Redis fail
}

// node is one gateway of a network.
type node struct {
	*harness

	sessions *killableSessions
	kill     func() // like SIGKILL: the node publishes nothing more
}

// killableSessions wraps redis.Sessions for a node that can be killed.
type killableSessions struct {
	*redis.Sessions

	dead     atomic.Bool // all calls fail
	putFails atomic.Bool // Put fails
	isDead   func(node string) bool
}

var errDead = errors.New("dead")

func (m *killableSessions) Put(ctx context.Context, list []session.SharedState) ([]session.PutResult, error) {
	if m.dead.Load() || m.putFails.Load() {
		return nil, errDead
	}
	return m.Sessions.Put(ctx, list)
}

func (m *killableSessions) CountPrivate(ctx context.Context, id string, begun uint64) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Sessions.CountPrivate(ctx, id, begun)
}

// RequestHandover does not wait for the answer of a node that was killed.
func (m *killableSessions) RequestHandover(ctx context.Context, node, id string, seq uint64) (session.HandoverResult, []byte, error) {
	if m.isDead(node) {
		return 0, nil, errDead
	}
	return m.Sessions.RequestHandover(ctx, node, id, seq)
}

func (m *killableSessions) Delete(ctx context.Context, ids []string) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Sessions.Delete(ctx, ids)
}

// history is the events of a network, in memory. Each node delivers them to its bus.
type history struct {
	mu      sync.Mutex
	list    []events.Event
	removed int // number of events that were removed from the beginning of list
	added   chan struct{}
}

var errRemoved = errors.New("removed")

// publish adds an event.
func (h *history) publish(e events.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.Position = events.Position{History: 1, Transaction: 1, Number: uint64(len(h.list) + 1)}
	h.list = append(h.list, e)
	close(h.added)
	h.added = make(chan struct{})
}

// after returns up to 256 events after a position, and a channel that is closed when one is added.
func (h *history) after(p events.Position) ([]events.Event, <-chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.History != 1 || p.Transaction != 1 || int(p.Number) < h.removed {
		return nil, nil, errRemoved
	}
	rest := h.list[p.Number:]
	return slices.Clone(rest[:min(len(rest), 256)]), h.added, nil
}

// EventsAfter returns some of the events of partitions after a position.
func (h *history) EventsAfter(_ context.Context, p events.Position, list []events.Partition) ([]events.Event, error) {
	all, _, err := h.after(p)
	return onlySelected(all, events.NewFilter(list)), err
}

// onlySelected returns the events of the partitions of a filter, and the position of the last event, as the log of PostgreSQL.
func onlySelected(all []events.Event, f events.Filter) (list []events.Event) {
	for i := range all {
		if slices.ContainsFunc(all[i].Partitions(), f.Selects) {
			list = append(list, all[i])
		}
	}
	if len(all) > 0 && (len(list) == 0 || list[len(list)-1].Position != all[len(all)-1].Position) {
		list = append(list, events.Event{Position: all[len(all)-1].Position})
	}
	return list
}

// deliver delivers the events of the partitions of a node to its bus, as fast as its subscribers take them, until ctx ends. It
// begins at the end.
func (h *history) deliver(ctx context.Context, bus *events.Bus, interest *events.Interest, wake <-chan struct{}) error {
	h.mu.Lock()
	at := events.Position{History: 1, Transaction: 1, Number: uint64(len(h.list))}
	h.mu.Unlock()
	bus.Deliver(events.Event{Position: at})
	for ctx.Err() == nil {
		filter := interest.Next(at)
		list, added, err := h.after(at)
		if err != nil { // like the log of PostgreSQL: continue with the events that are left
			h.mu.Lock()
			at.Number = uint64(h.removed)
			h.mu.Unlock()
			interest.Restart(at)
			bus.Interrupt()
			bus.Deliver(events.Event{Position: at})
			continue
		}
		if len(list) == 0 {
			select {
			case <-added:
			case <-wake:
			case <-ctx.Done():
			}
			continue
		}
		list = onlySelected(list, filter)
		end := list[len(list)-1].Position
		list, paused := interest.Select(list)
		if paused {
			end = list[len(list)-1].Position
		} else if len(list) == 0 || list[len(list)-1].Position != end {
			list = append(list, events.Event{Position: end})
		}
		at = end
		deliverPaced(ctx, bus, list)
		for paused && ctx.Err() == nil && !interest.HasHandled(at) {
			clock.Wait(ctx, clock.System{}, time.Millisecond)
		}
	}
	return nil
}

// deliverPaced delivers events as fast as the subscribers take them.
func deliverPaced(ctx context.Context, bus *events.Bus, list []events.Event) {
	for len(list) > 0 && ctx.Err() == nil {
		n := min(bus.Room(), len(list))
		if n == 0 {
			clock.Wait(ctx, clock.System{}, time.Millisecond)
			continue
		}
		bus.Deliver(list[:n]...)
		list = list[n:]
	}
}

// newNetwork returns a network without nodes.
func newNetwork(r *engines.Redis) *network {
	return &network{redis: r, history: &history{added: make(chan struct{})}}
}

// connectAll starts several gateways.
func connectAll(t *testing.T, nodes int) *network {
	t.Helper()
	n := newNetwork(server.Get(t))
	for range nodes {
		n.join(t)
	}
	return n
}

// join starts one more gateway.
func (n *network) join(t *testing.T) *node {
	t.Helper()
	url := n.redis.URL()
	if !n.breaks { // Redis always answers, also late on a busy machine
		url += "?write_timeout=20s"
	}
	c, err := redis.Open(url, t.Name(), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	background(t, c.Run)
	d := &node{}
	var stopReading, killSessions func()
	d.harness = open(t, func(cfg *gateway.Config) {
		cfg.Bus.Outward = n.history.publish
		d.sessions = &killableSessions{Sessions: &redis.Sessions{
			Client: c, History: n.history, Node: "node" + strconv.Itoa(len(n.nodes)),
			HandOver: func(id string, seq uint64) (session.HandoverResult, []byte) { return d.HandOver(id, seq) },
		}, isDead: n.isDead}
		cfg.Shared, cfg.Lobbies = d.sessions, n.lobbies
		if len(n.nodes) > 0 {
			cfg.Directory, cfg.Tokens = n.nodes[0].directory, n.nodes[0].tokens
		}
		wake := make(chan struct{}, 1)
		cfg.Interest = events.NewInterest()
		cfg.Interest.Wake = func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
		stopReading = background(t, func(ctx context.Context) error { return n.history.deliver(ctx, cfg.Bus, cfg.Interest, wake) })
	})
	d.directory, d.tokens = d.Directory, d.Tokens
	killSessions = background(t, d.sessions.Run)
	if err := n.redis.AwaitSubscriber(t.Context(), t.Name()+":sessions:"+d.sessions.Node); err != nil {
		t.Fatal(err)
	}
	d.kill = func() {
		d.sessions.dead.Store(true)
		stopReading()
		killSessions()
	}
	n.nodes = append(n.nodes, d)
	return d
}

// isDead reports whether a node was killed.
func (n *network) isDead(name string) bool {
	return slices.ContainsFunc(n.nodes, func(d *node) bool { return d.sessions.Node == name && d.sessions.dead.Load() })
}

// background runs a worker until the test ends or it is stopped.
func background(t *testing.T, work func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return cancel
}

// waitPublished waits until the state of a session is published and no event is on its way to it.
func (d *node) waitPublished(t *testing.T, c *client) {
	t.Helper()
	for end := time.Now().Add(waitTimeout); ; {
		if time.Now().After(end) {
			t.Fatal("the state of the session is not published")
		}
		if found, err := d.sessions.Find(t.Context(), c.id); err == nil && found != nil { // Redis may have restarted
			var state struct {
				Asides uint64 `json:"a"`
			}
			c.read(found.Progress, &state)
			if state.Asides == found.Private {
				return
			}
		}
		clock.Wait(t.Context(), clock.System{}, time.Millisecond)
	}
}

// resumeFrom connects to a node and resumes the session of another client there.
func (d *node) resumeFrom(t *testing.T, c *client, token string) *client {
	t.Helper()
	again := d.connect(t, usual)
	again.id, again.seq = c.id, c.seq
	again.resume(token, c.id, c.seq)
	return again
}

// asText returns a number as the data of an event.
func asText(n int) string {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return string(text)
}
