package store_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// TestReviseUnique lets nodes whose clocks differ revise changes that expect the same revisions, also revisions of an
// earlier version of the program. No revision is made twice, and each is larger than the expected ones.
func TestReviseUnique(t *testing.T) {
	t.Parallel()
	const nodes = 32
	rng := rand.New(rand.NewPCG(39, 1))
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	generators := make([]*store.Revisions, nodes)
	for i := range generators {
		generators[i] = store.NewRevisions()
		generators[i].SetNode(uint16(i * 33))
	}
	old := uint64(start.Add(time.Minute).UnixMicro()-1420070400000000)<<12 | 4095 // #nosec G115
	seen, known := map[uint64]bool{}, []uint64{0, 1, old}
	for range 20_000 {
		now := start.Add(time.Duration(rng.IntN(4)) * time.Microsecond)
		expected := known[max(0, len(known)-1-rng.IntN(4))]
		for range 2 { // of two nodes, or of one
			skew := time.Duration(rng.IntN(5)-2) * 500 * time.Millisecond
			c := store.Change{Expect: []store.Expectation{
				{Subject: store.UserSubject(2), Revision: expected}, {Subject: store.UserSubject(1)},
			}}
			c.Revise(generators[rng.IntN(nodes)], now.Add(skew))
			if seen[c.Revision] {
				t.Fatalf("revision %d was made twice", c.Revision)
			}
			if c.Revision <= expected || c.Revision > math.MaxInt64 {
				t.Fatalf("revision %d after %d", c.Revision, expected)
			}
			if c.Expect[0].Subject.A != 1 {
				t.Fatal("the expectations are not sorted")
			}
			seen[c.Revision] = true
			known = append(known, c.Revision)
		}
	}
}

// TestReviseConcurrent revises changes of one process at the same time.
func TestReviseConcurrent(t *testing.T) {
	t.Parallel()
	r, now := store.NewRevisions(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	made := make([][]uint64, 8)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			for range 1000 {
				var c store.Change
				c.Revise(r, now)
				made[i] = append(made[i], c.Revision)
			}
		})
	}
	wg.Wait()
	seen := map[uint64]bool{}
	for _, list := range made {
		for _, revision := range list {
			if seen[revision] {
				t.Fatalf("revision %d was made twice", revision)
			}
			seen[revision] = true
		}
	}
}

// TestReviseFarClock revises a change on a node whose clock is wrong by centuries. The revisions of other nodes still
// fit into the column afterwards.
func TestReviseFarClock(t *testing.T) {
	t.Parallel()
	last := uint64(0)
	for _, year := range []int{2026, 1970, 2085, 2400, 2026, 9999} {
		c := store.Change{Expect: []store.Expectation{{Subject: store.UserSubject(1), Revision: last}}}
		c.Revise(store.NewRevisions(), time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		if c.Revision <= last || c.Revision > math.MaxInt64 {
			t.Errorf("revision %d after %d in %d", c.Revision, last, year)
		}
		last = c.Revision
	}
}
