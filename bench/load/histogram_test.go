package load_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/bellhop/bellhop/bench/load"
)

// precision is the precision in the documentation of Quantile.
const precision = 0.008

func TestHistogramQuantileAgainstSorting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.OneOf(
			rapid.Int64Range(0, 200), // where buckets are exact, and around the first that is not
			rapid.Int64Range(0, int64(100*time.Millisecond)),
			rapid.Int64Range(0, 1<<40-1),
		), 1, 300).Draw(t, "durations")
		q := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.5, 0.99, 1})).Draw(t, "q")
		split := rapid.IntRange(0, len(durations)).Draw(t, "split")

		var h, rest load.Histogram
		for i, d := range durations {
			if i < split {
				h.Add(time.Duration(d))
			} else {
				rest.Add(time.Duration(d))
			}
		}
		h.Merge(&rest)

		slices.Sort(durations)
		rank := max(int(math.Ceil(q*float64(len(durations)))), 1)
		want := float64(durations[rank-1])
		if got := float64(h.Quantile(q)); math.Abs(got-want) > want*precision {
			t.Fatalf("Quantile(%v) = %v, want %v within %v", q, got, want, precision)
		}
		if h.Count() != uint64(len(durations)) {
			t.Fatalf("Count() = %d, want %d", h.Count(), len(durations))
		}
	})
}

func TestHistogramEdges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give []time.Duration
		want time.Duration
	}{
		{name: "empty", want: 0},
		{name: "negative counts as zero", give: []time.Duration{-5}, want: 0},
		{name: "short ones are exact", give: []time.Duration{127}, want: 127},
		{name: "too long counts as the longest", give: []time.Duration{math.MaxInt64}, want: 1<<40 - 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h load.Histogram
			for _, d := range tt.give {
				h.Add(d)
			}
			got := h.Quantile(0.5)
			if diff := math.Abs(float64(got - tt.want)); diff > precision*float64(tt.want) {
				t.Errorf("Quantile(0.5) = %d, want %d", got, tt.want)
			}
		})
	}
}

func BenchmarkHistogramAdd(b *testing.B) {
	b.ReportAllocs()
	var h load.Histogram
	var d time.Duration
	for b.Loop() {
		h.Add(d)
		d = (d + 977) % time.Millisecond
	}
}
