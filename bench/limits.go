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

// liveKeys is the number of open rate limit windows during the measurement.
const liveKeys = 1_000_000

// limitCases measure rate limits.
type limitCases struct {
	*environment
	limited *registry // with rate limits
}

// limiterCase reads the time of one rate limit check while a million windows are open.
func (s *limitCases) limiterCase() compare.Case {
	return compare.Case{
		Name: "limiter", Bound: compare.AtMost(500), Unit: compare.Nanoseconds,
		Reading: func(ctx context.Context) (float64, error) {
			callers := liveKeys / 2 // each has a window for its route and a global one
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
			least := math.Inf(1) // other work of the machine can only add to the time
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
					return 0, fmt.Errorf("a check allocates %d times", allocations)
				}
				least = min(least, float64(result.NsPerOp()))
			}
			return least, nil
		},
	}
}

const (
	allowedRate = 4000  // requests per second that are within the limits
	refusedRate = 10000 // requests per second of an application whose limit is 1
)

// refusedCase compares requests within the limits, while another application exceeds its limit all the time, with the same
// requests alone.
func (s *limitCases) refusedCase() compare.Case {
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
				excess := make(chan error, 1)
				go func() {
					_, err := s.target(r.Addr, refused).Run(ctx, d)
					excess <- err
				}()
				result, err := run(ctx, d)
				excessErr := <-excess
				if _, refused := errors.AsType[*load.RefusedError](excessErr); !refused {
					return result, errors.Join(err, fmt.Errorf("no request was rejected: %w", errors.Join(excessErr, errWithinLimits)))
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

var errWithinLimits = errors.New("the load was within the limits")

// limitsFile removes the limits that would reject the allowed requests.
const limitsFile = `
routes:
  commands.list: none
edge:
  invalid: none
`

// limitedRegistry returns a registry with rate limits. All applications except the last have a raised limit.
func (s *limitCases) limitedRegistry(ctx context.Context) (*registry, error) {
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
	world := strings.ReplaceAll(string(workload.World(smallApplications)), "}\n", ", requests_per_second: 1200}\n")
	world = strings.Replace(world, ", requests_per_second: 1200}", "}", 1) // the user
	last := strings.LastIndex(world, ", requests_per_second: 1200")
	world = world[:last] + ", requests_per_second: 1}\n" // exceeded on a busy machine too
	file, err := s.file("limited.yaml", []byte(world))
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
