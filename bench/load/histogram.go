package load

import (
	"math"
	"math/bits"
	"time"
)

const (
	// stepBits sets the precision: each power of two has 1<<stepBits buckets, so that values which differ by 1.6 % are distinguished.
	stepBits = 6
	steps    = 1 << stepBits
	// longest is the longest duration that is distinguished, about 18 minutes. Longer ones count as this.
	longest = 1<<40 - 1
)

// Histogram counts durations in buckets whose size grows with their values. Adding a duration takes a few instructions and no
// memory. The zero value is empty. It is not safe for concurrent use: keep one per goroutine and Merge them.
type Histogram struct {
	counts [bucketCount]uint64
	total  uint64
}

const bucketCount = (40-stepBits-1)*steps + 2*steps

// Add counts d. A negative d counts as zero.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucketOf(uint64(min(max(d, 0), longest)))]++
	h.total++
}

// Merge adds the counts of other to h.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// Count returns how many durations were added.
func (h *Histogram) Count() uint64 { return h.total }

// Quantile returns the quantile q of the durations, within 0.8 %: the duration with rank q times their number, rounded up. It is 0
// if h is empty.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(uint64(math.Ceil(q*float64(h.total))), 1)
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			return middleOf(i)
		}
	}
	return 0
}

// bucketOf returns the bucket of v: v itself below 2*steps, then steps buckets for each power of two.
func bucketOf(v uint64) int {
	shift := max(bits.Len64(v)-1-stepBits, 0)
	return shift*steps + int(v>>shift)
}

// middleOf returns the middle of the values that bucket i holds.
func middleOf(i int) time.Duration {
	if i < 2*steps {
		return time.Duration(i)
	}
	shift := i/steps - 1
	lowest := (i - shift*steps) << shift
	return time.Duration(lowest + (1<<shift-1)/2)
}
