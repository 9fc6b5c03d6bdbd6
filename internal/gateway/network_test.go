package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// network is gateways that share their events and sessions over a Redis, and one directory.
type network struct {
	redis   *enginetest.Redis
	nodes   []*node
	lobbies gateway.Lobbies // may be nil
}

// node is one gateway of a network.
type node struct {
	*stage

	sessions *mortal
	kill     func() // as SIGKILL would: it says nothing any more
}

// mortal is what nodes share of sessions, for a node that may die.
type mortal struct {
	*redis.Sessions

	dead atomic.Bool // it tells others nothing
	numb atomic.Bool // it tells others nothing but that something comes aside
}

var errDead = errors.New("dead")

func (m *mortal) Keep(ctx context.Context, list []resume.Kept) ([]resume.Fate, error) {
	if m.dead.Load() || m.numb.Load() {
		return nil, errDead
	}
	return m.Sessions.Keep(ctx, list)
}

func (m *mortal) Aside(ctx context.Context, id string, begun uint64) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Sessions.Aside(ctx, id, begun)
}

func (m *mortal) Drop(ctx context.Context, ids []string) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Sessions.Drop(ctx, ids)
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

// connectAll runs so many gateways.
func connectAll(t *testing.T, nodes int) *network {
	t.Helper()
	n := &network{redis: server}
	for range nodes {
		n.join(t)
	}
	return n
}

// join runs one gateway more.
func (n *network) join(t *testing.T) *node {
	t.Helper()
	c, err := redis.Open(n.redis.URL(), t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	background(t, c.Run)
	d := &node{}
	var killRelay, killSessions func()
	d.stage = open(t, func(cfg *gateway.Config) {
		relay := redis.NewRelay(c, cfg.Bus, noRows{})
		d.sessions = &mortal{Sessions: &redis.Sessions{
			Client: c, Relay: relay, Node: "node" + strconv.Itoa(len(n.nodes)),
			Give: func(id string, seq uint64) (resume.Answer, []byte) { return d.Give(id, seq) },
		}}
		cfg.Sessions, cfg.Lobbies = d.sessions, n.lobbies
		if len(n.nodes) > 0 {
			cfg.Directory, cfg.Tokens = n.nodes[0].directory, n.nodes[0].tokens
		}
		killRelay = background(t, relay.Run)
		<-relay.Begun()
	})
	d.directory, d.tokens = d.Directory, d.Tokens
	killSessions = background(t, d.sessions.Run)
	d.kill = func() {
		d.sessions.dead.Store(true)
		killRelay()
		killSessions()
	}
	n.nodes = append(n.nodes, d)
	return d
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

// settled waits until others know how a session stands, and nothing is on its way to it that they do not know of.
func (d *node) settled(t *testing.T, c *client) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		if time.Now().After(end) {
			t.Fatal("it is not told how the session stands")
		}
		if found, err := d.sessions.Find(t.Context(), c.id); err == nil && found != nil { // Redis may just have come back
			var state struct {
				Asides uint64 `json:"a"`
			}
			c.read(found.State, &state)
			if state.Asides == found.Asides {
				return
			}
		}
		clock.Wait(t.Context(), clock.System{}, time.Millisecond)
	}
}

// moved connects to a node and resumes the session of another client there.
func (d *node) moved(t *testing.T, c *client, token string) *client {
	t.Helper()
	again := d.connect(t, usual)
	again.id, again.seq = c.id, c.seq
	again.resume(token, c.id, c.seq)
	return again
}

// asText is a number as an event carries it.
func asText(n int) string {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return string(text)
}
