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

// million is how many keys are live in the benchmarks.
const million = 1_000_000

// present is a time as the machine's clock tells it.
var present = time.Now()

// crowded returns a limiter with a million live keys: half a million callers, each with a window of its own on
// everything and one on a route.
func crowded(b *testing.B) (*ratelimit.Memory, []ratelimit.Caller, *ratelimit.Policy) {
	b.Helper()
	p := ratelimit.Default()
	p.Application.Window, p.Application.Limit = time.Hour, 1_000_000
	p.Routes[ratelimit.CommandsList].Window = time.Hour
	p.Routes[ratelimit.CommandsList].Limit = 1_000_000
	m := ratelimit.NewMemory(p.Keys, present)
	callers := make([]ratelimit.Caller, million/2)
	ctx := b.Context()
	for i := range callers {
		callers[i] = ratelimit.Caller{Application: snowflake.Application(i+1) << 22}
		all, route := p.Claims(ratelimit.CommandsList, &callers[i])
		m.Take(ctx, present, all, route)
	}
	if u := m.Usage(); u.Keys != million || u.Evicted != 0 {
		b.Fatalf("limiter holds %+v, want a million keys", u)
	}
	return m, callers, &p
}

// BenchmarkGuardCheck is what a request pays: both claims, in windows that lie anywhere in memory.
func BenchmarkGuardCheck(b *testing.B) {
	m, callers, p := crowded(b)
	g := ratelimit.Guard{Policy: p, Limiter: m}
	ctx := context.Background()
	next := rand.New(rand.NewPCG(1, 2))

	b.Run("million keys", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			g.Check(ctx, ratelimit.CommandsList, &callers[next.IntN(len(callers))], present)
		}
	})
	b.Run("million keys on all cores", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			next := rand.New(rand.NewPCG(3, rand.Uint64()))
			for pb.Next() {
				g.Check(ctx, ratelimit.CommandsList, &callers[next.IntN(len(callers))], present)
			}
		})
	})
	b.Run("one busy caller", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			g.Check(ctx, ratelimit.CommandsList, &callers[0], present)
		}
	})
	b.Run("one busy caller on all cores", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				g.Check(ctx, ratelimit.CommandsList, &callers[0], present)
			}
		})
	})
}

// BenchmarkMemoryNewKeys has every request come from someone new, with windows that end as fast as they begin.
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
	b.Run("nobody is", func(b *testing.B) {
		e := ratelimit.NewEdge(rule, present)
		b.ReportAllocs()
		for b.Loop() {
			e.Blocked(other, present)
		}
	})
	b.Run("somebody is", func(b *testing.B) {
		e := ratelimit.NewEdge(rule, present)
		for range rule.Invalid {
			e.Answered(villain, http.StatusForbidden, 0, present)
		}
		b.ReportAllocs()
		for b.Loop() {
			e.Blocked(villain, present)
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
