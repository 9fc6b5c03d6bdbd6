package redis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// share returns what a node knows of sessions, and gives those of which it has a text.
func share(t *testing.T, url, name string, has map[string]string) *redis.Sessions {
	t.Helper()
	c := open(t, url)
	s := &redis.Sessions{Client: c, Relay: redis.NewRelay(c, &events.Bus{}, &table{}), Node: name}
	s.Give = func(id string, seq uint64) (resume.Answer, []byte) {
		switch text, there := has[id]; {
		case !there:
			return resume.Absent, nil
		case seq > 10:
			return resume.Ahead, nil
		default:
			return resume.Given, []byte(text)
		}
	}
	run(t, s.Run)
	return s
}

// keep notes how a session stands and returns what became of it.
func keep(t *testing.T, s *redis.Sessions, k resume.Kept) resume.Fate {
	t.Helper()
	fates, err := s.Keep(t.Context(), []resume.Kept{k})
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
			full := resume.Kept{ID: "s", Who: []byte("who"), Guilds: []byte("[]"), State: []byte("1"), Life: time.Minute}
			if got := keep(t, a, resume.Kept{ID: "s", State: []byte("0"), Life: time.Minute}); got != resume.Unknown {
				t.Errorf("a session that nobody knows: %v", got)
			}
			if got := keep(t, a, full); got != resume.Remains {
				t.Errorf("a new session: %v", got)
			}
			if err := a.Aside(t.Context(), "s", 3); err != nil {
				t.Fatal(err)
			}
			if got := keep(t, a, resume.Kept{ID: "s", State: []byte("2"), Asides: 2, Life: time.Minute}); got != resume.Remains {
				t.Errorf("the same again: %v", got)
			}
			found, err := b.Find(t.Context(), "s")
			want := &resume.Found{Node: "a", Who: []byte("who"), Guilds: []byte("[]"), State: []byte("2"), Asides: 3}
			if err != nil || !cmp.Equal(found, want) {
				t.Errorf("Find() = %+v, %v, want %+v", found, err, want)
			}
			if n, err := b.Take(t.Context(), "s", "somebody", time.Minute); err != nil || n != 0 {
				t.Errorf("taken from who does not have it: %d, %v", n, err)
			}
			if n, err := b.Take(t.Context(), "s", "a", time.Minute); err != nil || n != 4 {
				t.Errorf("Take() = %d, %v, want 4 asides", n, err)
			}
			if got := keep(t, a, full); got != resume.Taken {
				t.Errorf("after it was taken: %v", got)
			}
			if err := a.Drop(t.Context(), []string{"s", "t"}); err != nil {
				t.Fatal(err)
			}
			full.Free = true
			if got := keep(t, b, full); got != resume.Remains {
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
				want     resume.Answer
				text     string
			}{
				{"a", "s", 1, resume.Given, "parcel"},
				{"a", "large", 1, resume.Given, large},
				{"a", "s", 11, resume.Ahead, ""},
				{"a", "nowhere", 1, resume.Absent, ""},
				{"b", "s", 1, resume.Absent, ""},
			} {
				var got resume.Answer
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
			r := redis.NewRelay(open(t, url), &bus, &table{})
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

// TestPresence tells nodes who is connected to others, also for a while after a node has died.
func TestPresence(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			const stays = 2 * time.Second
			a, b := redis.NewPresence(open(t, url), "a", stays), redis.NewPresence(open(t, url), "b", stays)
			within := func(what string, holds func() bool) {
				t.Helper()
				for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatal(what)
					}
				}
			}
			if !a.Arrived(t.Context(), 1, 2) || b.Arrived(t.Context(), 1, 2) {
				t.Error("a user arrives first at the first node alone")
			}
			within("a user of another node is not connected elsewhere", func() bool { return a.Elsewhere(t.Context(), 1, 2) })
			if a.Elsewhere(t.Context(), 1, 3) {
				t.Error("a user who never came is connected elsewhere")
			}
			if a.Left(t.Context(), 1, 2) {
				t.Error("a user who left one node is connected to none, although they are to another")
			}
			within("a user who left a node is still connected to it", func() bool { return !b.Elsewhere(t.Context(), 1, 2) })
			within("the user of a node that died stays for ever", func() bool { return !a.Elsewhere(t.Context(), 1, 2) })
		})
	}
}

// TestPresenceMessages has a node forget at once what it knew of a user who comes to another.
func TestPresenceMessages(t *testing.T) {
	t.Parallel()
	a, b := redis.NewPresence(open(t, server.URL()), "a", time.Minute), redis.NewPresence(open(t, server.URL()), "b", time.Minute)
	run(t, a.Run)
	for user := snowflake.User(1); ; user++ { // until the node listens
		if a.Elsewhere(t.Context(), 1, user) {
			t.Fatal("a user who has not come is connected elsewhere")
		}
		b.Arrived(t.Context(), 1, user)
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if a.Elsewhere(t.Context(), 1, user) {
				return // sooner than what was known ends by itself
			}
		}
		if user == 100 {
			t.Fatal("a node does not hear of a user who comes to another")
		}
	}
}
