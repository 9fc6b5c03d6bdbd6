package ratelimit_test
import ("testing";"math/rand/v2";"context";"time";"fmt";"sort";"github.com/bellhop/bellhop/internal/ratelimit")
func BenchmarkMin(b *testing.B){
	m, callers, p := crowded(b)
	g := ratelimit.Guard{Policy: p, Limiter: m}
	ctx := context.Background()
	next := rand.New(rand.NewPCG(1, 2))
	idx := make([]uint32, 2000)
	var sum uint64
	run := func(name string, f func(i uint32)) {
		var d []float64
		for range 3000 { 
			for i := range idx { idx[i] = uint32(next.IntN(len(callers))) }
			t := time.Now()
			for _, i := range idx { f(i) }
			d = append(d, float64(time.Since(t))/float64(len(idx)))
		}
		sort.Float64s(d)
		fmt.Printf("%-10s min %.0f p10 %.0f p50 %.0f p90 %.0f\n", name, d[0], d[len(d)/10], d[len(d)/2], d[len(d)*9/10])
	}
	run("yard", func(i uint32){ sum += uint64(callers[i].Application) })
	run("claims", func(i uint32){ p.Claims(ratelimit.CommandsList, &callers[i]) })
	run("rand", func(i uint32){ g.Check(ctx, ratelimit.CommandsList, &callers[i], present) })
	run("one", func(i uint32){ g.Check(ctx, ratelimit.CommandsList, &callers[0], present) })
	for b.Loop() {}
}
