package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// liveKeys is how many windows are open while the limiter is measured.
const liveKeys = 1_000_000

// limiterCase reads what one check of a request costs when a million callers have windows open.
func (s *stage) limiterCase() compare.Case {
	return compare.Case{
		Name: "limiter", Bound: compare.AtMost(500), Unit: compare.Nanoseconds,
		Reading: func(ctx context.Context) (float64, error) {
			callers := liveKeys / 2 // each has a window for its route and one for everything
			if s.quick {
				callers /= 100
			}
			now := time.Now()
			policy := ratelimit.Default()
			policy.Keys = max(policy.Keys, 2*callers)
			guard := ratelimit.Guard{Policy: &policy, Limiter: ratelimit.NewMemory(policy.Keys, now)}
			check := func(i int) {
				c := ratelimit.Caller{Application: snowflake.Application(1 + i*7919%callers), PerSecond: 1200}
				guard.Check(ctx, ratelimit.CommandsList, &c, now)
			}
			for i := range callers {
				check(i)
			}
			least := math.Inf(1) // whatever else the machine does adds to the cost and never takes away from it
			for range s.rounds {
				result := testing.Benchmark(func(b *testing.B) {
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						check(i)
						i++
					}
				})
				if allocations := result.AllocsPerOp(); allocations > 0 {
					return 0, fmt.Errorf("a check makes %d allocations", allocations)
				}
				least = min(least, float64(result.NsPerOp()))
			}
			return least, nil
		},
	}
}

const (
	allowedRate = 4000  // requests a second that are within the limits of those who send them
	refusedRate = 10000 // requests a second of one application that may send 50
)

// refusedCase compares traffic within the limits while another application is refused all the time with the same traffic
// alone.
func (s *stage) refusedCase() compare.Case {
	allowed := load.Paced(allowedRate, s.connections, func(i int) []byte { return workload.List(i % (smallApplications - 1)).Raw })
	refused := load.Paced(refusedRate, s.connections, func(int) []byte { return workload.List(smallApplications - 1).Raw })
	return compare.Case{
		Name: "refused", Bound: compare.AtLeast(0.9),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.limitedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			side := s.loaded(r.Process, allowed)
			run := side.Run
			side.Run = func(ctx context.Context, d time.Duration) (load.Result, error) {
				noise := make(chan error, 1)
				go func() {
					_, err := s.target(r.Addr, refused).Run(ctx, d)
					noise <- err
				}()
				result, err := run(ctx, d)
				noiseErr := <-noise
				if _, refused := errors.AsType[*load.RefusedError](noiseErr); !refused {
					return result, errors.Join(err, fmt.Errorf("nobody was refused: %w", errors.Join(noiseErr, errQuiet)))
				}
				return result, err
			}
			return side, nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.limitedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(r.Process, allowed), nil
		},
	}
}

var errQuiet = errors.New("the load was within the limits")

// limitsFile leaves the limits on everything and takes away what would refuse the traffic that is to be allowed.
const limitsFile = `
routes:
  commands.list: none
edge:
  invalid: none
`

// limitedRegistry returns a registry with limits: every application is raised but the last one.
func (s *stage) limitedRegistry(ctx context.Context) (*registry, error) {
	if s.limited != nil {
		return s.limited, nil
	}
	data, err := s.folder("limited")
	if err != nil {
		return nil, err
	}
	limits, err := s.file("limits.yaml", []byte(limitsFile))
	if err != nil {
		return nil, err
	}
	people := strings.ReplaceAll(string(workload.World(smallApplications)), "}\n", ", requests_per_second: 1200}\n")
	people = strings.Replace(people, ", requests_per_second: 1200}", "}", 1) // the person
	last := strings.LastIndex(people, ", requests_per_second: 1200")
	people = people[:last] + "}\n"
	file, err := s.file("limited.yaml", []byte(people))
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, limits)
	if err != nil {
		return nil, err
	}
	s.limited = &registry{p, smallApplications}
	return s.limited, nil
}
