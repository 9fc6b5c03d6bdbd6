package main

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
)

// largeMemory is the --memory of the large registry. With the default, 1792MiB, the cache holds half of its lists, and the case would
// compare the memory with the database.
const largeMemory = "4GiB"

// largeRegistry returns the registry with -scale commands. It creates the commands, restarts the process, and reads the commands
// of every application once.
func (s *commandCases) largeRegistry(ctx context.Context) (*registry, error) {
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
	p, err := s.startWith(ctx, data, "", "off", "--memory", largeMemory)
	if err != nil {
		return nil, err
	}
	s.large = &registry{p, filled.applications}
	_, err = s.target(p.Addr, s.large.each(func(i int) []byte { return workload.List(i).Raw })).Drain(ctx)
	return s.large, err
}

// largeListCase compares the latency of lists of random applications of the large registry with lists of the small one.
func (s *commandCases) largeListCase(name string, measure compare.Measure) compare.Case {
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

// anyList returns a source that lists the commands of random applications.
func anyList(applications int) load.Source {
	requests := make([][]byte, applications)
	for i := range requests {
		requests[i] = workload.List(i).Raw
	}
	var rounds atomic.Uint64
	return func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), rounds.Add(1))) // another order in each round, the same in each run
		return func() []byte { return requests[random.IntN(len(requests))] }
	}
}

// largeMemoryCase reads the peak memory of the large registry since its restart.
func (s *commandCases) largeMemoryCase() compare.Case {
	return compare.Case{
		Name: "large-memory", Bound: compare.AtMost(4 << 10), Unit: compare.Mebibytes,
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

// largeReadyCase reads the time from the start of the large registry until it listens.
func (s *commandCases) largeReadyCase() compare.Case {
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
