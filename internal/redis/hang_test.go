package redis_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// TestHungServer checks that a server that does not answer makes callers wait for one timeout together, and that the server
// is used again once it answers.
func TestHungServer(t *testing.T) {
	t.Parallel()
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
	const timeout = 500 * time.Millisecond
	c := openWith(t, own.URL(), timeout, clock.System{})
	p := redis.NewPresence(c, "a", time.Minute)
	l := limiter(c, 1)
	onAll, _ := claims(perMinute(1000, 0), ratelimit.Rule{})
	if err := own.Freeze(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	const calls = 200
	for i := range calls {
		if !p.ConnectedElsewhere(t.Context(), 1, snowflake.User(i+1)) {
			t.Errorf("user %d is reported as not connected although Redis does not answer", i+1)
		}
		p.Connect(t.Context(), 2, snowflake.User(i+1))
		if all, _ := l.Take(t.Context(), time.Now(), onAll, ratelimit.Claim{}); !all.Allowed {
			t.Errorf("request %d is refused although its share has room", i)
		}
		if c.Publish(t.Context(), "topic", nil) == nil {
			t.Error("Publish() = nil although Redis does not answer")
		}
	}
	if took := time.Since(began); took > calls*timeout/5 {
		t.Errorf("%d calls to each part took %v, want little more than %v", calls, took, timeout)
	}
	if err := own.Thaw(); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(waitTimeout)
	for err = c.Ping(t.Context()); err != nil; err = c.Ping(t.Context()) {
		if time.Now().After(end) {
			t.Fatalf("Ping() = %v, %v after the server answers again", err, waitTimeout)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestPresenceInDecision checks that a decision that needs the presence of many users runs twice: one round trip in between
// asks for all of them.
func TestPresenceInDecision(t *testing.T) {
	t.Parallel()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	states := cache.New(db, 1<<20)
	client := open(t, server.Get(t).URL())
	a, b := redis.NewPresence(client, "a", time.Minute), redis.NewPresence(client, "b", time.Minute)
	b.Connect(t.Context(), 1, 5)
	b.Connect(t.Context(), 1, 1)
	runs, connected := 0, 0
	if err := states.Decide(t.Context(), func(ctx context.Context) (store.Change, error) {
		runs, connected = runs+1, 0
		for user := range snowflake.User(20) {
			if a.ConnectedElsewhere(ctx, 1, user+1) {
				connected++
			}
		}
		return store.Change{}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if runs != 2 || connected != 2 {
		t.Errorf("the decision ran %d times and found %d users, want 2 and 2", runs, connected)
	}
}
