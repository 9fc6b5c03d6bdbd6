// Package compare compares a service with a yardstick or with a fixed limit.
//
// It loads the yardstick and its subject in turn, in several short rounds. The result is the median of the ratios of the
// rounds, so that other work of the machine affects both sides alike. The package starts no process and knows no protocol.
package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/bench/load"
)

// Case is one measurement and one row of the table. It has either a Yardstick and a Subject, or a Reading.
type Case struct {
	// Name is the name in the table and for the flag -run.
	Name string
	// Bound is the range of acceptable values. The zero Bound accepts all.
	Bound Bound
	// Measure is the figure that is compared.
	Measure Measure
	// Subject and Yardstick prepare the two sides. Subject is called first, and Yardstick may depend on it.
	Subject, Yardstick func(context.Context) (Runner, error)
	// Reading measures a value without a yardstick, in Unit.
	Reading func(context.Context) (float64, error)
	Unit    Unit
	// Varied means that responses differ in size, within a side or between both. Their mean size then depends on the requests that
	// fit into a round.
	Varied bool
}

// Runner is one side of a case, ready for load.
type Runner struct {
	// Run loads the side for the given time.
	Run func(context.Context, time.Duration) (load.Result, error)
	// Close stops the side. It may be nil.
	Close func() error
}

func (c Runner) close() error {
	if c.Close == nil {
		return nil
	}
	return c.Close()
}

// Measure is the figure of two results that is compared.
type Measure int

// The measures. A ratio is the figure of the subject divided by that of the yardstick.
const (
	Rate Measure = iota // responses per second
	P50                 // median latency
	P99                 // 99th percentile of the latency
)

func (m Measure) of(r load.Result) float64 {
	switch m {
	case P50:
		return r.Latency.Quantile(0.5).Seconds()
	case P99:
		return r.Latency.Quantile(0.99).Seconds()
	default:
		return r.Rate()
	}
}

// Plan is the number and the length of rounds.
type Plan struct {
	// Rounds is the number of rounds of each side, Round the length of one.
	Rounds int
	Round  time.Duration
	// Warmup is the length of the load before the first round. Its results are dropped.
	Warmup time.Duration
}

// Run measures c.
func (c Case) Run(ctx context.Context, plan Plan) (outcome Outcome, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("case %s: %w", c.Name, err)
		}
	}()
	if c.Reading != nil {
		value, err := c.Reading(ctx)
		return Outcome{Name: c.Name, Bound: c.Bound, Unit: c.Unit, Value: value, Verdict: c.Bound.check(value)}, err
	}
	subject, err := c.Subject(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, subject.close()) }()
	yardstick, err := c.Yardstick(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, yardstick.close()) }()

	rounds, err := compare(ctx, subject, yardstick, plan)
	if err != nil {
		return Outcome{}, err
	}
	return c.outcome(rounds), nil
}

// round is the results of both sides in one round.
type round struct{ subject, yardstick load.Result }

var errIdle = errors.New("no responses")

// attempts is the number of times that a round is repeated if it has no responses. That can happen to a short round on
// a busy machine.
const attempts = 10

// runRound runs rounds until one has a response.
func (c Runner) runRound(ctx context.Context, d time.Duration) (load.Result, error) {
	for range attempts {
		result, err := c.Run(ctx, d)
		if err != nil || result.Requests > 0 {
			return result, err
		}
	}
	return load.Result{}, errIdle
}

// compare loads both sides in turn. The first side changes with each round.
func compare(ctx context.Context, subject, yardstick Runner, plan Plan) ([]round, error) {
	if plan.Warmup > 0 {
		for _, side := range []Runner{yardstick, subject} {
			if _, err := side.Run(ctx, plan.Warmup); err != nil {
				return nil, err
			}
		}
	}
	rounds := make([]round, plan.Rounds)
	for i := range rounds {
		sides := []struct {
			Runner
			result *load.Result
		}{{yardstick, &rounds[i].yardstick}, {subject, &rounds[i].subject}}
		if i%2 == 1 {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			result, err := side.runRound(ctx, plan.Round)
			if err != nil {
				return nil, err
			}
			*side.result = result
		}
	}
	return rounds, nil
}
