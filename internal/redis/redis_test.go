package redis_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// server is the Redis server of this test process.
var server engines.SharedRedis

func TestMain(m *testing.M) {
	code := m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// waitTimeout is the longest time that a test waits for something.
const waitTimeout = 20 * time.Second

// open returns a client that is connected. It waits long for answers, so that a busy machine changes no result.
func open(t testing.TB, url string) *redis.Client {
	t.Helper()
	return openWith(t, url, 20*time.Second, clock.System{})
}

// openWith returns a client that is connected. Its commands have a time limit.
func openWith(t testing.TB, url string, timeout time.Duration, c clock.Clock) *redis.Client {
	t.Helper()
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	client, err := redis.Open(url+separator+"write_timeout="+timeout.String(), t.Name(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	run(t, client.Run)
	end := time.Now().Add(waitTimeout)
	for err := client.Ping(t.Context()); err != nil; err = client.Ping(t.Context()) {
		if time.Now().After(end) {
			t.Fatalf("not connected after %v: %v", waitTimeout, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return client
}

// run runs a worker until the test ends.
func run(t testing.TB, work func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
}

func limiter(c *redis.Client, nodes int) *redis.Limiter {
	return &redis.Limiter{Client: c, Local: ratelimit.NewMemory(1000, time.Now()), Nodes: func() (position, count int) { return 0, nodes }}
}

// claims returns a claim on the global limit of a caller and one on a route.
func claims(everything, route ratelimit.Rule) (onAll, onRoute ratelimit.Claim) {
	policy := ratelimit.Off()
	policy.Application, policy.User = everything, everything
	policy.Routes[ratelimit.CommandsList] = route
	return policy.Claims(ratelimit.CommandsList, &ratelimit.Caller{Application: 100, User: 200})
}

func perMinute(limit int, per ratelimit.Per) ratelimit.Rule {
	return ratelimit.Rule{Limit: limit, Window: time.Minute, Per: per}
}

func TestLimiterIsExactOverNodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		all, route ratelimit.Rule
		want       int
	}{
		{"the limit on everything", perMinute(70, 0), perMinute(1000, 0), 70},
		{"the limit of a route", perMinute(1000, 0), perMinute(90, 0), 90},
		{"a limit of people, whatever the app", perMinute(1000, 0), perMinute(80, ratelimit.PerUser), 80},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for mode, url := range map[string]string{"alone": server.Get(t).URL(), "cluster": clusterURL(t)} {
				nodes := []*redis.Limiter{limiter(open(t, url), 3), limiter(open(t, url), 3), limiter(open(t, url), 3)}
				onAll, onRoute := claims(tt.all, tt.route)
				var allowed atomic.Int64
				var wg sync.WaitGroup
				for i := range 12 {
					wg.Go(func() {
						for range 20 {
							all, route := nodes[i%3].Take(t.Context(), time.Now(), onAll, onRoute)
							if all.Allowed && route.Allowed {
								allowed.Add(1)
							}
						}
					})
				}
				wg.Wait()
				if allowed.Load() != int64(tt.want) {
					t.Errorf("%s: %d requests were let in, want %d", mode, allowed.Load(), tt.want)
				}
				all, route := nodes[0].Take(t.Context(), time.Now(), onAll, onRoute)
				if all.Allowed && route.Allowed || all.Limit-all.Remaining != tt.want || route.Limit-route.Remaining != tt.want {
					t.Errorf("%s: a request too many finds %+v and %+v, want both to have counted %d", mode, all, route, tt.want)
				}
			}
		})
	}
}

func TestLimiterWindow(t *testing.T) {
	t.Parallel()
	l := limiter(open(t, server.Get(t).URL()), 1)
	everything, _ := claims(ratelimit.Rule{Limit: 2, Window: time.Hour}, ratelimit.Rule{})
	for i, want := range []bool{true, true, false} {
		all, _ := l.Take(t.Context(), time.Now(), everything, ratelimit.Claim{})
		if all.Allowed != want || all.Limit != 2 || all.Remaining != max(1-i, 0) || all.ResetAfter <= 0 || all.ResetAfter > time.Hour {
			t.Errorf("request %d: %+v", i, all)
		}
	}
	_, route := claims(ratelimit.Rule{}, ratelimit.Rule{Limit: 1, Window: 100 * time.Millisecond})
	if _, first := l.Take(t.Context(), time.Now(), ratelimit.Claim{}, route); !first.Allowed {
		t.Errorf("the first request to a route: %+v", first)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, next := l.Take(t.Context(), time.Now(), ratelimit.Claim{}, route); next.Allowed {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the window does not end")
		}
	}
}

// TestLimiterAlone checks that nodes without Redis admit no more than the limit together.
func TestLimiterAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, nodes, want int }{
		{30, 3, 30}, {50, 3, 48}, {1, 1, 1}, {1, 3, 1}, {2, 3, 2}, {50, 100, 50}, {99, 100, 99},
	} {
		t.Run(fmt.Sprint(tt.limit, " by ", tt.nodes), func(t *testing.T) {
			t.Parallel()
			c, err := redis.Open("redis://127.0.0.1:1", "nobody", clock.System{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			onAll, onRoute := claims(perMinute(tt.limit, 0), ratelimit.Rule{})
			now := time.Now().Truncate(time.Minute)
			own := make([]int, tt.nodes)
			limiters := make([]*redis.Limiter, tt.nodes)
			for i := range limiters {
				limiters[i] = limiter(c, tt.nodes)
				limiters[i].Nodes = func() (position, count int) { return i, tt.nodes }
			}
			for window := range tt.nodes {
				at, sum := now.Add(time.Duration(window)*time.Minute), 0
				for i, l := range limiters {
					for range 2 * tt.limit {
						all, _ := l.Take(t.Context(), at, onAll, onRoute)
						if all.Allowed {
							sum++
							own[i]++
						} else if all.ResetAfter <= 0 || all.ResetAfter > time.Duration(tt.nodes)*time.Minute {
							t.Fatalf("node %d refuses a request for %v", i, all.ResetAfter)
						}
					}
				}
				if sum != tt.want {
					t.Errorf("window %d: %d requests were let in without Redis, want %d", window, sum, tt.want)
				}
			}
			for i, n := range own {
				if n < tt.want {
					t.Errorf("node %d let in %d requests in %d windows, want %d", i, n, tt.nodes, tt.want)
				}
			}
		})
	}
}

// TestLimiterCut checks that nodes that lose Redis in a window admit what is left of the limit together.
func TestLimiterCut(t *testing.T) {
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
	const nodes, limit = 3, 450
	onAll, _ := claims(ratelimit.Rule{Limit: limit, Window: time.Hour}, ratelimit.Rule{})
	var limiters []*redis.Limiter
	for i := range nodes {
		l := limiter(openWith(t, own.URL(), 500*time.Millisecond, clock.System{}), nodes)
		l.Nodes = func() (position, count int) { return i, nodes }
		limiters = append(limiters, l)
	}
	now, admitted := time.Now(), 0
	take := func(l *redis.Limiter) {
		if all, _ := l.Take(t.Context(), now, onAll, ratelimit.Claim{}); all.Allowed {
			admitted++
		}
	}
	for n := range 33 {
		take(limiters[n%nodes])
	}
	if err := own.Freeze(); err != nil {
		t.Fatal(err)
	}
	for range limit {
		for _, l := range limiters {
			take(l)
		}
	}
	if err := own.Thaw(); err != nil {
		t.Fatal(err)
	}
	if admitted > limit || admitted < limit-2*nodes { // a call that is slow before the cut counts twice
		t.Errorf("%d of %d requests were let in", admitted, limit)
	}
}

// TestHints checks that a node hears the hints of others and not its own, and that it listens again after Redis was away.
func TestHints(t *testing.T) {
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
	var heard, joined [2]atomic.Int64
	var nodes [2]*redis.Hints
	for i := range nodes {
		h := redis.NewHints(open(t, own.URL()), strconv.Itoa(i))
		h.Heard, h.Joined = func([]events.Partition) { heard[i].Add(1) }, func() { joined[i].Add(1) }
		run(t, h.Run)
		nodes[i] = h
	}
	hear := func() {
		t.Helper()
		before := heard[1].Load()
		for end := time.Now().Add(20 * time.Second); heard[1].Load() == before; time.Sleep(5 * time.Millisecond) {
			nodes[0].Send(nil) // a hint without a listener is lost
			if time.Now().After(end) {
				t.Fatal("no hint arrives")
			}
		}
	}
	hear()
	if err := errors.Join(own.Kill(), own.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	hear()
	if heard[0].Load() > 0 {
		t.Errorf("a node heard %d hints of its own", heard[0].Load())
	}
	if joined[1].Load() < 2 {
		t.Errorf("joined %d times, want again after the restart", joined[1].Load())
	}
}
