package ratelimit_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// million is the number of live keys in the benchmarks.
const million = 1_000_000

// present is a time of the system's clock.
var present = time.Now()

// caller returns the n-th caller.
func caller(n int) ratelimit.Caller {
	return ratelimit.Caller{Application: snowflake.Application(n+1) << 22}
}

// fullGuard returns a guard whose limiter holds a million live keys: half a million callers, each with a global window
// and one of a route.
func fullGuard(b *testing.B) *ratelimit.Guard {
	b.Helper()
	p := ratelimit.Default()
	p.Application = ratelimit.Rule{Limit: 1_000_000_000, Window: time.Hour}
	p.Routes[ratelimit.CommandsList] = ratelimit.Rule{Limit: 1_000_000_000, Window: time.Hour}
	m := ratelimit.NewMemory(p.Keys, present)
	g := &ratelimit.Guard{Policy: &p, Limiter: m}
	for i := range million / 2 {
		c := caller(i)
		g.Check(b.Context(), ratelimit.CommandsList, &c, present)
	}
	if u := m.Usage(); u.Keys != million || u.Evicted != 0 {
		b.Fatalf("limiter holds %+v, want a million keys", u)
	}
	return g
}

// BenchmarkGuardCheck measures the check of a request: both claims, in windows anywhere in memory.
func BenchmarkGuardCheck(b *testing.B) {
	g, ctx := fullGuard(b), context.Background()

	b.Run("million keys", func(b *testing.B) {
		next := rand.New(rand.NewPCG(1, 2))
		b.ReportAllocs()
		for b.Loop() {
			c := caller(next.IntN(million / 2))
			g.Check(ctx, ratelimit.CommandsList, &c, present)
		}
	})
	b.Run("million keys on all cores", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			next := rand.New(rand.NewPCG(3, rand.Uint64()))
			for pb.Next() {
				c := caller(next.IntN(million / 2))
				g.Check(ctx, ratelimit.CommandsList, &c, present)
			}
		})
	})
	busy := caller(0)
	b.Run("one busy caller", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			g.Check(ctx, ratelimit.CommandsList, &busy, present)
		}
	})
	b.Run("one busy caller on all cores", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				g.Check(ctx, ratelimit.CommandsList, &busy, present)
			}
		})
	})
}

// BenchmarkMemoryNewKeys measures requests of new callers, with short windows.
func BenchmarkMemoryNewKeys(b *testing.B) {
	for _, bb := range []struct {
		name string
		step time.Duration
	}{
		{"expired ones make room", time.Microsecond},
		{"live ones are evicted", 0},
	} {
		b.Run(bb.name, func(b *testing.B) {
			m := ratelimit.NewMemory(million, present)
			ctx, now := context.Background(), present
			c := ratelimit.Caller{}
			b.ReportAllocs()
			for b.Loop() {
				c.Application++
				now = now.Add(bb.step)
				m.Take(ctx, now, ratelimit.Claim{}, ratelimit.Claim{Key: c.Identity(), Limit: 5, Window: time.Second})
			}
		})
	}
}

func BenchmarkVerdictSetHeaders(b *testing.B) {
	p := ratelimit.Default()
	g := ratelimit.Guard{Policy: &p, Limiter: ratelimit.NewMemory(10, present)}
	v := g.Check(b.Context(), ratelimit.CommandsList, &ratelimit.Caller{Application: 100}, present)
	h := http.Header{}
	b.ReportAllocs()
	for b.Loop() {
		v.SetHeaders(h)
	}
}

func BenchmarkEdgeBlocked(b *testing.B) {
	rule := ratelimit.EdgeRule{Invalid: 10, Window: time.Hour, Block: time.Hour}
	villain, other := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::1")
	b.Run("none", func(b *testing.B) {
		e := ratelimit.NewEdge(rule, present)
		b.ReportAllocs()
		for b.Loop() {
			e.Blocked(other, ratelimit.WrongBotToken, present)
		}
	})
	b.Run("some", func(b *testing.B) {
		e := ratelimit.NewEdge(rule, present)
		for range rule.Invalid {
			e.Answered(villain, ratelimit.WrongBotToken, http.StatusForbidden, 0, present)
		}
		b.ReportAllocs()
		for b.Loop() {
			e.Blocked(villain, ratelimit.WrongBotToken, present)
		}
	})
}

func BenchmarkClientAddr(b *testing.B) {
	remote := netip.MustParseAddrPort("10.0.0.1:443")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	b.ReportAllocs()
	for b.Loop() {
		ratelimit.ClientAddr(remote, "198.51.100.1, 192.0.2.1, 10.0.0.2", trusted)
	}
}

func BenchmarkGate(b *testing.B) {
	g := ratelimit.NewGate(ratelimit.Default().Gate)
	k := appKey(0)
	b.ReportAllocs()
	for b.Loop() {
		g.Enter(k)
		g.Leave(k)
	}
}
