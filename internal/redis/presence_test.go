package redis_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// ownRedis starts a server for one test.
func ownRedis(t *testing.T) *engines.Redis {
	t.Helper()
	engines.Need(t, "redis-server")
	own, err := engines.StartRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	return own
}

// awaitPresence waits until a node reports what is wanted about user 2 of application 1.
func awaitPresence(t *testing.T, p *redis.Presence, want bool, what string) {
	t.Helper()
	for end := time.Now().Add(waitTimeout); p.ConnectedElsewhere(t.Context(), 1, 2) != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: still %v after %v", what, !want, waitTimeout)
		}
	}
}

// TestPresence checks that nodes know which users are connected to other nodes, also for a while after a node has died.
func TestPresence(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.Get(t).URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := open(t, url)
			a, b := redis.NewPresence(c, "a", time.Minute), redis.NewPresence(c, "b", time.Minute)
			if !a.Connect(t.Context(), 1, 2) || b.Connect(t.Context(), 1, 2) {
				t.Error("a user arrives first at the first node alone")
			}
			if !a.ConnectedElsewhere(t.Context(), 1, 2) {
				t.Error("a user of another node is not connected elsewhere")
			}
			if a.ConnectedElsewhere(t.Context(), 1, 3) {
				t.Error("a user who never connected is connected elsewhere")
			}
			if b.Connect(t.Context(), 1, 3); !a.ConnectedElsewhere(t.Context(), 1, 3) {
				t.Error("a user who has just connected is not connected elsewhere: the old answer was used")
			}
			if a.Disconnect(t.Context(), 1, 2) {
				t.Error("a user who is connected to another node is not reported")
			}
			awaitPresence(t, b, false, "a user has disconnected")
			if !b.Disconnect(t.Context(), 1, 2) || !b.Disconnect(t.Context(), 1, 3) {
				t.Error("a user whose last client has disconnected is not reported")
			}
		})
	}
}

// TestPresenceOfDeadNode checks that the users of a node that has died are connected for the TTL, and that they are removed.
func TestPresenceOfDeadNode(t *testing.T) {
	t.Parallel()
	own := ownRedis(t)
	c := open(t, own.URL())
	const ttl = 500 * time.Millisecond
	a, dead := redis.NewPresence(c, "a", time.Minute), redis.NewPresence(c, "dead", ttl)
	run(t, a.Run)
	dead.Connect(t.Context(), 1, 2)
	began := time.Now()
	awaitPresence(t, a, false, "a node has died")
	if took := time.Since(began); took < ttl-10*time.Millisecond {
		t.Errorf("the users of a dead node were connected for %v, want %v", took, ttl)
	}
	if keys, err := own.Ask(t.Context(), "KEYS *\r\n"); err != nil || strings.Contains(keys, ":connected:") {
		t.Errorf("the user of the dead node is still in Redis: %q, %v", keys, err)
	}
}

// TestPresenceCost checks that a node with many idle users renews one key, and that it writes its users again when Redis has
// lost them.
func TestPresenceCost(t *testing.T) {
	t.Parallel()
	own := ownRedis(t)
	c := open(t, own.URL())
	a, b := redis.NewPresence(c, "a", time.Minute), redis.NewPresence(c, "b", 300*time.Millisecond)
	const users = 1000
	for i := range snowflake.User(users) {
		b.Connect(t.Context(), 1, i+1)
	}
	run(t, b.Run)
	calls := func(command string) (n int) {
		t.Helper()
		text, err := own.Ask(t.Context(), "INFO commandstats\r\n")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(text, "cmdstat_"+command+":calls=")
		for _, digit := range rest {
			if digit < '0' || digit > '9' {
				break
			}
			n = 10*n + int(digit-'0')
		}
		return n
	}
	written, renewed := calls("sadd"), calls("set")
	for end := time.Now().Add(waitTimeout); calls("set") < renewed+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the node renewed its key %d times in %v, want 5", calls("set")-renewed, waitTimeout)
		}
	}
	if now := calls("sadd"); written != users || now != written {
		t.Errorf("users were written %d times, then %d times more while the node was idle; want %d and 0", written, now-written, users)
	}
	if _, err := own.Ask(t.Context(), "FLUSHALL\r\n"); err != nil {
		t.Fatal(err)
	}
	awaitPresence(t, a, true, "Redis has lost its data")
}

// TestPresenceUnwritten checks that a user who disconnects while Redis does not answer is removed afterwards.
func TestPresenceUnwritten(t *testing.T) {
	t.Parallel()
	own := ownRedis(t)
	a := redis.NewPresence(open(t, own.URL()), "a", time.Minute)
	b := redis.NewPresence(openWith(t, own.URL(), 300*time.Millisecond, clock.System{}), "b", time.Minute)
	b.Connect(t.Context(), 1, 2)
	awaitPresence(t, a, true, "a user has connected")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if b.Disconnect(ended, 1, 2) {
		t.Error("a user whose disconnection was not written is reported")
	}
	if !a.ConnectedElsewhere(t.Context(), 1, 2) {
		t.Fatal("the disconnection was written although its context had ended")
	}
	run(t, b.Run)
	awaitPresence(t, a, false, "a user has disconnected")
}
