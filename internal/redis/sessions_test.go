package redis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/google/go-cmp/cmp"
)

// share returns the Sessions of a node that hands over the given sessions.
func share(t *testing.T, from []*engines.Redis, name string, has map[string]string) *redis.Sessions {
	t.Helper()
	c := open(t, from[0].URL())
	s := &redis.Sessions{Client: c, Node: name}
	s.HandOver = func(id string, seq uint64) (session.HandoverResult, []byte) {
		switch text, there := has[id]; {
		case !there:
			return session.NotHere, nil
		case seq > 10:
			return session.InvalidSequence, nil
		default:
			return session.HandedOver, []byte(text)
		}
	}
	run(t, s.Run)
	if err := engines.AwaitSubscriber(t.Context(), from, t.Name()+":sessions:"+name); err != nil {
		t.Fatal(err)
	}
	return s
}

// put stores the state of a session and returns the result.
func put(t *testing.T, s *redis.Sessions, k session.SharedState) session.PutResult {
	t.Helper()
	fates, err := s.Put(t.Context(), []session.SharedState{k})
	if err != nil || len(fates) != 1 {
		t.Fatalf("Keep() = %v, %v", fates, err)
	}
	return fates[0]
}

// TestSessions moves a session from one node to another, on one server and on a cluster.
func TestSessions(t *testing.T) {
	t.Parallel()
	for mode, on := range map[string][]*engines.Redis{"alone": {server.Get(t)}, "cluster": startCluster(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			a, b := share(t, on, "a", map[string]string{"s": "parcel"}), share(t, on, "b", nil)
			full := session.SharedState{ID: "s", Owner: []byte("owner"), Guilds: []byte("[]"), Progress: []byte("1"), TTL: time.Minute}
			if got := put(t, a, session.SharedState{ID: "s", Progress: []byte("0"), TTL: time.Minute}); got != session.NotStored {
				t.Errorf("Put() of an unknown session = %v", got)
			}
			if got := put(t, a, full); got != session.Stored {
				t.Errorf("a new session: %v", got)
			}
			if err := a.CountPrivate(t.Context(), "s", 3); err != nil {
				t.Fatal(err)
			}
			if got := put(t, a, session.SharedState{ID: "s", Progress: []byte("2"), Private: 2, TTL: time.Minute}); got != session.Stored {
				t.Errorf("the same again: %v", got)
			}
			found, err := b.Find(t.Context(), "s")
			want := &session.StoredSession{Node: "a", Owner: []byte("owner"), Guilds: []byte("[]"), Progress: []byte("2"), Private: 3}
			if err != nil || !cmp.Equal(found, want) {
				t.Errorf("Find() = %+v, %v, want %+v", found, err, want)
			}
			for id, want := range map[string]bool{"s": true, "t": false} {
				if exists, err := b.Exists(t.Context(), id); err != nil || exists != want {
					t.Errorf("Exists(%q) = %v, %v", id, exists, err)
				}
			}
			if n, err := b.Claim(t.Context(), "s", "other", time.Minute); err != nil || n != 0 {
				t.Errorf("Claim() from the wrong node = %d, %v", n, err)
			}
			if n, err := b.Claim(t.Context(), "s", "a", time.Minute); err != nil || n != 4 {
				t.Errorf("Take() = %d, %v, want 4 asides", n, err)
			}
			if got := put(t, a, full); got != session.TakenOver {
				t.Errorf("after it was taken: %v", got)
			}
			if err := a.Delete(t.Context(), []string{"s", "t"}); err != nil {
				t.Fatal(err)
			}
			full.Released = true
			if got := put(t, b, full); got != session.Stored {
				t.Errorf("its new node: %v", got)
			}
			if found, err := a.Find(t.Context(), "s"); err != nil || found == nil || found.Node != "" {
				t.Errorf("after its node has ended: %+v, %v", found, err)
			}
			if n, err := a.Claim(t.Context(), "s", "", time.Millisecond); err != nil || n != 5 {
				t.Errorf("Take() = %d, %v, want 5 asides", n, err)
			}
			for found, err := a.Find(t.Context(), "s"); found != nil; found, err = a.Find(t.Context(), "s") {
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond) // until it expires
			}
		})
	}
}

func TestSessionsRequestHandover(t *testing.T) {
	t.Parallel()
	for mode, on := range map[string][]*engines.Redis{"alone": {server.Get(t)}, "cluster": startCluster(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			large := string(slices.Repeat([]byte("0123456789abcdef"), 1<<16))
			share(t, on, "a", map[string]string{"s": "parcel", "large": large})
			b := share(t, on, "b", nil)
			for _, tt := range []struct {
				node, id string
				seq      uint64
				want     session.HandoverResult
				text     string
			}{
				{"a", "s", 1, session.HandedOver, "parcel"},
				{"a", "large", 1, session.HandedOver, large},
				{"a", "s", 11, session.InvalidSequence, ""},
				{"a", "nowhere", 1, session.NotHere, ""},
				{"b", "s", 1, session.NotHere, ""},
			} {
				got, text, err := b.RequestHandover(t.Context(), tt.node, tt.id, tt.seq)
				if err != nil || got != tt.want || string(text) != tt.text {
					t.Errorf("Ask(%q, %q, %d) = %v, %d bytes, %v", tt.node, tt.id, tt.seq, got, len(text), err)
				}
			}
		})
	}
}

// TestSessionsSilentNode requests sessions of a node that does not answer. Only the first request waits, and not as long
// as a command may take.
func TestSessionsSilentNode(t *testing.T) {
	t.Parallel()
	const timeout = 3 * time.Second
	c := openWith(t, server.Get(t).URL(), time.Minute, stopped{})
	s := &redis.Sessions{Client: c, Node: "a"}
	for i := range 3 {
		began := time.Now()
		_, _, err := s.RequestHandover(t.Context(), "dead", "s", 1)
		if took := time.Since(began); err == nil || (took < timeout) != (i > 0) || took > time.Minute/2 {
			t.Errorf("request %d to a dead node: %v after %v", i, err, took)
		}
	}
}

// stopped is a clock whose time does not pass.
type stopped struct{ clock.System }

func (stopped) Now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
