package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// network is several gateways with a shared Redis and one directory.
type network struct {
	redis   *enginetest.Redis
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

// noRows is an outbox without recorded events.
type noRows struct{}

func (noRows) PublishedEvents(context.Context, []store.RecordedEvents) error { return nil }

func (noRows) UnpublishedEvents(context.Context, time.Duration, int) ([]store.RecordedEvents, error) {
	return nil, nil
}

func (noRows) EventsBetween(context.Context, store.Subject, uint64, uint64) ([]store.RecordedEvents, error) {
	return nil, nil
}

func (noRows) TrimEvents(context.Context, time.Time, int) (int, error) { return 0, nil }

// connectAll starts several gateways.
func connectAll(t *testing.T, nodes int) *network {
	t.Helper()
	n := &network{redis: server.Get(t)}
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
	var killRelay, killSessions func()
	d.harness = open(t, func(cfg *gateway.Config) {
		relay := redis.NewRelay(c, cfg.Bus, noRows{})
		d.sessions = &killableSessions{Sessions: &redis.Sessions{
			Client: c, Relay: relay, Node: "node" + strconv.Itoa(len(n.nodes)),
			HandOver: func(id string, seq uint64) (session.HandoverResult, []byte) { return d.HandOver(id, seq) },
		}, isDead: n.isDead}
		cfg.Shared, cfg.Lobbies = d.sessions, n.lobbies
		if len(n.nodes) > 0 {
			cfg.Directory, cfg.Tokens = n.nodes[0].directory, n.nodes[0].tokens
		}
		killRelay = background(t, relay.Run)
		<-relay.Begun()
	})
	d.directory, d.tokens = d.Directory, d.Tokens
	killSessions = background(t, d.sessions.Run)
	if err := n.redis.AwaitSubscriber(t.Context(), t.Name()+":sessions:"+d.sessions.Node); err != nil {
		t.Fatal(err)
	}
	d.kill = func() {
		d.sessions.dead.Store(true)
		killRelay()
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
