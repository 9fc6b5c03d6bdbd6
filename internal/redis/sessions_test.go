package redis_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/roaming"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// share returns what a node knows of sessions, and gives those of which it has a text.
func share(t *testing.T, url, name string, has map[string]string) *redis.Sessions {
	t.Helper()
	c := open(t, url)
	s := &redis.Sessions{Client: c, Relay: redis.NewRelay(c, &events.Bus{}), Node: name}
	s.Give = func(id string, seq uint64) (roaming.Answer, []byte) {
		switch text, there := has[id]; {
		case !there:
			return roaming.Absent, nil
		case seq > 10:
			return roaming.Ahead, nil
		default:
			return roaming.Given, []byte(text)
		}
	}
	run(t, s.Run)
	return s
}

// keep notes how a session stands and returns what became of it.
func keep(t *testing.T, s *redis.Sessions, k roaming.Kept) roaming.Fate {
	t.Helper()
	fates, err := s.Keep(t.Context(), []roaming.Kept{k})
	if err != nil || len(fates) != 1 {
		t.Fatalf("Keep() = %v, %v", fates, err)
	}
	return fates[0]
}

// TestSessions has a session that one node takes from another, on one server and on a cluster.
func TestSessions(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			a, b := share(t, url, "a", map[string]string{"s": "parcel"}), share(t, url, "b", nil)
			full := roaming.Kept{ID: "s", Who: []byte("who"), Guilds: []byte("[]"), State: []byte("1"), Life: time.Minute}
			if got := keep(t, a, roaming.Kept{ID: "s", State: []byte("0"), Life: time.Minute}); got != roaming.Unknown {
				t.Errorf("a session that nobody knows: %v", got)
			}
			if got := keep(t, a, full); got != roaming.Remains {
				t.Errorf("a new session: %v", got)
			}
			if err := a.Aside(t.Context(), "s", 3); err != nil {
				t.Fatal(err)
			}
			if got := keep(t, a, roaming.Kept{ID: "s", State: []byte("2"), Asides: 2, Life: time.Minute}); got != roaming.Remains {
				t.Errorf("the same again: %v", got)
			}
			found, err := b.Find(t.Context(), "s")
			want := &roaming.Found{Node: "a", Who: []byte("who"), Guilds: []byte("[]"), State: []byte("2"), Asides: 3}
			if err != nil || !cmp.Equal(found, want) {
				t.Errorf("Find() = %+v, %v, want %+v", found, err, want)
			}
			if n, err := b.Take(t.Context(), "s", "somebody", time.Minute); err != nil || n != 0 {
				t.Errorf("taken from who does not have it: %d, %v", n, err)
			}
			if n, err := b.Take(t.Context(), "s", "a", time.Minute); err != nil || n != 4 {
				t.Errorf("Take() = %d, %v, want 4 asides", n, err)
			}
			if got := keep(t, a, full); got != roaming.Taken {
				t.Errorf("after it was taken: %v", got)
			}
			if err := a.Drop(t.Context(), []string{"s", "t"}); err != nil {
				t.Fatal(err)
			}
			full.Free = true
			if got := keep(t, b, full); got != roaming.Remains {
				t.Errorf("its new node: %v", got)
			}
			if found, err := a.Find(t.Context(), "s"); err != nil || found == nil || found.Node != "" {
				t.Errorf("after its node has ended: %+v, %v", found, err)
			}
			if n, err := a.Take(t.Context(), "s", "", time.Millisecond); err != nil || n != 5 {
				t.Errorf("Take() = %d, %v, want 5 asides", n, err)
			}
			for found, err := a.Find(t.Context(), "s"); found != nil; found, err = a.Find(t.Context(), "s") {
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond) // until its time is over
			}
		})
	}
}

func TestSessionsAsk(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			large := string(slices.Repeat([]byte("0123456789abcdef"), 1<<16))
			share(t, url, "a", map[string]string{"s": "parcel", "large": large})
			b := share(t, url, "b", nil)
			for _, tt := range []struct {
				node, id string
				seq      uint64
				want     roaming.Answer
				text     string
			}{
				{"a", "s", 1, roaming.Given, "parcel"},
				{"a", "large", 1, roaming.Given, large},
				{"a", "s", 11, roaming.Ahead, ""},
				{"a", "nowhere", 1, roaming.Absent, ""},
				{"b", "s", 1, roaming.Absent, ""},
			} {
				var got roaming.Answer
				var text []byte
				err := error(nil)
				for end := time.Now().Add(20 * time.Second); got == 0 && time.Now().Before(end); { // until the other listens
					got, text, err = b.Ask(t.Context(), tt.node, tt.id, tt.seq)
				}
				if err != nil || got != tt.want || string(text) != tt.text {
					t.Errorf("Ask(%q, %q, %d) = %v, %d bytes, %v", tt.node, tt.id, tt.seq, got, len(text), err)
				}
			}
			began := time.Now()
			if _, _, err := b.Ask(t.Context(), "dead", "s", 1); err == nil || time.Since(began) > 10*time.Second {
				t.Errorf("a dead node: %v after %v", err, time.Since(began))
			}
			began = time.Now()
			if _, _, err := b.Ask(t.Context(), "dead", "t", 1); err == nil || time.Since(began) > 400*time.Millisecond {
				t.Errorf("a node that was found dead: %v after %v", err, time.Since(began))
			}
		})
	}
}

// TestHistory reads what was published from a place on, and not from one that is gone.
func TestHistory(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var bus events.Bus
			r := redis.NewRelay(open(t, url), &bus)
			run(t, r.Run)
			<-r.Begun()
			heard := bus.Subscribe(1000)
			var at []events.Position
			for range 301 {
				bus.Publish(events.Event{Name: "N"})
			}
			for len(at) <= 300 {
				if e := <-heard.Events(); e.Name == "N" {
					at = append(at, e.Position)
				}
			}
			got := slices.Clone(at[:1])
			for {
				list, err := r.After(t.Context(), got[len(got)-1])
				if err != nil {
					t.Fatal(err)
				}
				if len(list) == 0 {
					break
				}
				for _, e := range list {
					got = append(got, e.Position)
				}
			}
			if !slices.Equal(got, at) {
				t.Errorf("read %d events, want %d in the same order", len(got), len(at))
			}
			if _, err := r.After(t.Context(), events.Position{Time: at[0].Time, Count: 1 << 40}); err == nil {
				t.Error("a place that is not there was read from")
			}
		})
	}
}

// TestPresence counts somebody as there for a while after their node has died.
func TestPresence(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			nodes := [2]*redis.Presence{}
			for i, name := range []string{"a", "b"} {
				nodes[i] = redis.NewPresence(open(t, url), name, time.Second, func() bool { return true })
				nodes[i].Changed = func(_ context.Context, app snowflake.Application, user snowflake.User) error {
					nodes[1-i].Forget(app, user)
					return nil
				}
			}
			a, b := nodes[0], nodes[1]
			if !a.Arrived(t.Context(), 1, 2) || b.Arrived(t.Context(), 1, 2) {
				t.Error("the first node is the one that somebody comes to first")
			}
			if !a.Elsewhere(t.Context(), 1, 2) || a.Elsewhere(t.Context(), 1, 3) {
				t.Error("who is connected to another node is there, nobody else")
			}
			if a.Left(t.Context(), 1, 2) || b.Elsewhere(t.Context(), 1, 2) || !a.Elsewhere(t.Context(), 1, 2) {
				t.Error("who has left one node is still at the other")
			}
			for end := time.Now().Add(20 * time.Second); a.Elsewhere(t.Context(), 1, 2); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("a node that is dead keeps somebody there")
				}
			}
		})
	}
}

// TestPresenceOfApplications tells a node whether clients of an application are at another one.
func TestPresenceOfApplications(t *testing.T) {
	t.Parallel()
	const stays = 900 * time.Millisecond
	nodes := [2]*redis.Presence{}
	told := [2]int{}
	var gone atomic.Bool
	for i, name := range []string{"a", "b"} {
		nodes[i] = redis.NewPresence(open(t, server.URL()), name, stays, func() bool { return true })
		nodes[i].HasClients = func(snowflake.Application) bool { return !gone.Load() }
		nodes[i].Changed = func(_ context.Context, app snowflake.Application, user snowflake.User) error {
			if told[i]++; app != 3 { // of whom the other node does not hear
				nodes[1-i].Forget(app, user)
			}
			return nil
		}
	}
	a, b := nodes[0], nodes[1]
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := a.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer wg.Wait()
	defer cancel()
	within := func(what string, holds func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	if b.Attended(ctx, 1) || b.Attended(ctx, 3) {
		t.Error("nobody has come, and somebody is there")
	}
	a.Attend(ctx, 1)
	if !b.Attended(ctx, 1) || a.Attended(ctx, 1) || b.Attended(ctx, 2) {
		t.Error("clients of an application are at another node than they came to, or not there")
	}
	if b.Elsewhere(ctx, 1, 7) {
		t.Error("a client of the application makes somebody else be there")
	}
	a.Attend(ctx, 1)
	if told[0] != 1 {
		t.Errorf("others were told %d times of what they knew", told[0])
	}
	a.Attend(ctx, 3)
	within("what a node does not hear of is never looked for", func() bool { return b.Attended(ctx, 3) })
	for end := time.Now().Add(3 * stays); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !b.Attended(ctx, 1) {
			t.Fatal("the clients of an application are forgotten although they are there")
		}
	}
	gone.Store(true)
	within("the clients of an application are there for ever", func() bool { return !b.Attended(ctx, 1) })
	gone.Store(false)
	a.Attend(ctx, 1)
	if !b.Attended(ctx, 1) {
		t.Error("clients that come again are not there")
	}
}
