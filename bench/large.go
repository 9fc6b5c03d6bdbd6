package main

import (
	"context"
	"math/rand/v2"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
)

// largeRegistry returns the registry with scale commands: filled, stopped and started again, then asked once for the
// commands of every application.
func (s *stage) largeRegistry(ctx context.Context) (*registry, error) {
	if s.large != nil {
		return s.large, nil
	}
	data, err := s.folder("large")
	if err != nil {
		return nil, err
	}
	filled, err := s.populate(ctx, data, s.scale/workload.ListLength)
	if err != nil {
		return nil, err
	}
	if err := filled.Stop(); err != nil {
		return nil, err
	}
	p, err := s.start(ctx, data, "")
	if err != nil {
		return nil, err
	}
	s.large = &registry{p, filled.applications}
	_, err = s.target(p.Addr, s.large.each(func(i int) []byte { return workload.List(i).Raw })).Drain(ctx)
	return s.large, err
}

// largeListCase compares the latency of lists of any application of the large registry with that of a list of the
// near-empty one.
func (s *stage) largeListCase(name string, measure compare.Measure) compare.Case {
	return compare.Case{
		Name: name, Bound: compare.AtMost(1.3), Measure: measure,
		Subject: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.largeRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(r.Process, anyList(r.applications)), nil
		},
		Yardstick: s.smallLoad(load.Repeat(workload.List(0).Raw)),
	}
}

// anyList returns a source that asks for the commands of one application after another, at random.
func anyList(applications int) load.Source {
	requests := make([][]byte, applications)
	for i := range requests {
		requests[i] = workload.List(i).Raw
	}
	return func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), 1)) //nolint:gosec // G404: the same order in each run
		return func() []byte { return requests[random.IntN(len(requests))] }
	}
}

// largeMemoryCase reads the most memory that the large registry has held since it was started again.
func (s *stage) largeMemoryCase() compare.Case {
	return compare.Case{
		Name: "large-memory", Bound: compare.AtMost(2 << 10), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			r, err := s.largeRegistry(ctx)
			if err != nil {
				return 0, err
			}
			memory, err := r.Memory()
			return float64(memory.Peak) / (1 << 20), err
		},
	}
}

// largeReadyCase reads the time from the start of the large registry until it listened.
func (s *stage) largeReadyCase() compare.Case {
	return compare.Case{
		Name: "large-ready", Bound: compare.AtMost(3), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			r, err := s.largeRegistry(ctx)
			if err != nil {
				return 0, err
			}
			return r.Ready.Seconds(), nil
		},
	}
}
