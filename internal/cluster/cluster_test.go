package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/cluster"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// air carries messages between the nodes of a test and loses some of them.
type air struct {
	mu     sync.Mutex
	random *rand.Rand
	loses  float64 // share of the messages that are lost
	silent bool    // nothing gets through
	ears   map[string]chan []byte
}

var errSilent = errors.New("silent")

func (a *air) Publish(_ context.Context, to string, message []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.silent {
		return errSilent
	}
	for name, ear := range a.ears {
		if (to == "" || to == name) && a.random.Float64() >= a.loses {
			ear <- slices.Clone(message)
		}
	}
	return nil
}

func (a *air) Listen(ctx context.Context, name string, hear func([]byte)) error {
	ear := make(chan []byte, 1<<16)
	a.mu.Lock()
	a.ears[name] = ear
	a.mu.Unlock()
	for {
		select {
		case m := <-ear:
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
			hear(m)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *air) set(loses float64, silent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loses, a.silent = loses, silent
}

// truth is what the nodes of a test share: a number for each user, and who is there.
type truth struct {
	mu           sync.Mutex
	values       map[snowflake.User]int
	acknowledged map[snowflake.User]int
	records      []store.Node
}

// member is a node with a memory.
type member struct {
	*cluster.Node

	truth  *truth
	number int

	mu      sync.Mutex
	epoch   int
	memory  map[snowflake.User]int
	shown   int // how often memory was enough
	stopped context.CancelFunc
	done    sync.WaitGroup
}

func startMember(tr *truth, a *air, name, replaces string) *member {
	m := &member{truth: tr, memory: map[snowflake.User]int{}}
	m.Node = cluster.New(cluster.Config{
		Name: name, Replaces: replaces, Channel: a, Log: slog.New(slog.DiscardHandler), Forget: m.forget,
	})
	tr.mu.Lock()
	m.number = len(tr.records)
	tr.records = append(tr.records, store.Node{Holder: name})
	tr.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	m.stopped = stop
	m.renew()
	m.done.Go(func() { _ = m.Run(ctx) }) // never fails
	m.done.Go(func() {
		for ctx.Err() == nil {
			time.Sleep(2 * time.Second)
			if ctx.Err() == nil {
				m.renew()
			}
		}
	})
	return m
}

// kill ends the node without a word.
func (m *member) kill() {
	m.stopped()
	m.done.Wait()
}

func (m *member) renew() {
	began := time.Now()
	m.truth.mu.Lock()
	m.truth.records[m.number].Until = began.Add(30 * time.Second)
	records := slices.Clone(m.truth.records)
	m.truth.mu.Unlock()
	m.Renewed(began, records)
}

func (m *member) forget(c *cluster.Changes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch++
	if c.Everything {
		clear(m.memory)
	}
	for _, u := range c.Users {
		delete(m.memory, u)
	}
}

// write adds one to a number and acknowledges that.
func (m *member) write(ctx context.Context, u snowflake.User) error {
	m.truth.mu.Lock()
	m.truth.values[u]++
	v := m.truth.values[u]
	m.truth.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
	if err := m.Tell(ctx, &cluster.Changes{Users: []snowflake.User{u}}); err != nil {
		return err
	}
	m.forget(&cluster.Changes{Users: []snowflake.User{u}})
	m.truth.mu.Lock()
	defer m.truth.mu.Unlock()
	m.truth.acknowledged[u] = max(m.truth.acknowledged[u], v)
	return nil
}

// read checks that a node shows what was acknowledged before.
func (m *member) read(u snowflake.User) error {
	m.truth.mu.Lock()
	least := m.truth.acknowledged[u]
	m.truth.mu.Unlock()
	fresh := m.Fresh()
	m.mu.Lock()
	v, held := m.memory[u]
	epoch := m.epoch
	m.mu.Unlock()
	if !fresh || !held {
		m.truth.mu.Lock()
		v = m.truth.values[u]
		m.truth.mu.Unlock()
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
		m.mu.Lock()
		if fresh && m.epoch == epoch {
			m.memory[u] = v
		}
		m.mu.Unlock()
	} else {
		m.mu.Lock()
		m.shown++
		m.mu.Unlock()
	}
	if v < least {
		return fmt.Errorf("%d is shown after %d was acknowledged", v, least)
	}
	return nil
}

// TestNobodyShowsThePast lets nodes write and read at random, over an air that works, that loses messages, that is silent,
// and while nodes come and die.
func TestNobodyShowsThePast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		loses   float64
		trouble func(a *air)
		deaths  bool
	}{
		{name: "all is well"},
		{name: "a tenth is lost", loses: 0.1},
		{name: "most is lost", loses: 0.6},
		{name: "silence now and then", trouble: func(a *air) {
			for range 6 {
				time.Sleep(3 * time.Second)
				a.set(0, true)
				time.Sleep(3 * time.Second)
				a.set(0, false)
			}
		}},
		{name: "nodes come and die", deaths: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &air{random: rand.New(rand.NewPCG(1, 2)), ears: map[string]chan []byte{}, loses: tt.loses}
				tr := &truth{values: map[snowflake.User]int{}, acknowledged: map[snowflake.User]int{}}
				life(t, a, tr, tt.trouble, tt.deaths)
			})
		})
	}
}

func life(t *testing.T, a *air, tr *truth, trouble func(*air), deaths bool) {
	t.Helper()
	nodes := make([]*member, 3)
	for i := range nodes {
		nodes[i] = startMember(tr, a, fmt.Sprint("node", i), "")
	}
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	defer stop()
	var wg sync.WaitGroup
	if trouble != nil {
		wg.Go(func() { trouble(a) })
	}
	var mu sync.Mutex
	pick := func() *member {
		mu.Lock()
		defer mu.Unlock()
		return nodes[rand.IntN(len(nodes))]
	}
	if deaths {
		wg.Go(func() {
			for i := range 4 {
				time.Sleep(6 * time.Second)
				mu.Lock()
				old := nodes[i%3]
				nodes[i%3] = nodes[(i+1)%3] // until there is another
				mu.Unlock()
				old.kill()
				replaces := ""
				if i%2 == 0 { // known to be dead; otherwise the others have to find out
					replaces = old.Name
				}
				m := startMember(tr, a, fmt.Sprint("later", i), replaces)
				mu.Lock()
				nodes[i%3] = m
				mu.Unlock()
			}
		})
	}
	for i := range 6 {
		wg.Go(func() {
			for ctx.Err() == nil {
				m, u := pick(), snowflake.User(1+rand.IntN(5))
				if i%3 != 0 {
					if err := m.read(u); err != nil {
						t.Error(err)
						return
					}
				} else if err := m.write(ctx, u); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
					t.Error(err)
				}
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			}
		})
	}
	wg.Wait()
	shown := 0
	for _, m := range nodes {
		shown += m.shown
		m.kill()
	}
	if shown == 0 {
		t.Error("memory was never shown: this proves nothing")
	}
}
