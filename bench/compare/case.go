// Package contest compares a service with a yardstick, or with a fixed limit, and judges the outcome.
//
// A yardstick and its subject are loaded in turn, in several short rounds, and what counts is the median of the ratios
// of the rounds: whatever else the machine does falls on both alike. The package starts no process and knows no
// protocol.
package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/bench/load"
)

// Case is one thing that is measured, and one row of the table. It has either a Yardstick and a Subject, or a Reading.
type Case struct {
	// Name is what the table and the flag -run call it.
	Name string
	// Bound is what is expected of it. The zero Bound expects nothing.
	Bound Bound
	// Measure is what is compared.
	Measure Measure
	// Subject and Yardstick make the two sides ready. Subject is called first, and Yardstick may rely on that.
	Subject, Yardstick func(context.Context) (Runner, error)
	// Reading measures what has no yardstick, in Unit.
	Reading func(context.Context) (float64, error)
	Unit    Unit
	// Varied says that the answers of a side differ in size. Their mean then depends on which requests were sent, and so on
	// how many a round had time for.
	Varied bool
}

// Runner is one side of a case, ready to be loaded.
type Runner struct {
	// Run loads it for a while.
	Run func(context.Context, time.Duration) (load.Result, error)
	// Close ends it. It may be nil.
	Close func() error
}

func (c Runner) close() error {
	if c.Close == nil {
		return nil
	}
	return c.Close()
}

// Measure is what of two results is compared.
type Measure int

// What can be compared. A ratio is always the subject's figure over the yardstick's.
const (
	Rate Measure = iota // answers per second
	P50                 // the latency that half of the answers keep
	P99                 // the latency that 99 of 100 answers keep
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

// Plan says how long a case takes.
type Plan struct {
	// Rounds is how many rounds each side is loaded, Round is the length of one.
	Rounds int
	Round  time.Duration
	// Warmup is the load before the first round, which does not count.
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

// round is what one round saw of both sides.
type round struct{ subject, yardstick load.Result }

var errIdle = errors.New("rounds passed without an answer")

// patience is how often a round is tried again that passed without an answer: a short one can, on a machine that is busy
// with something else.
const patience = 10

// answered runs rounds until one has an answer.
func (c Runner) answered(ctx context.Context, d time.Duration) (load.Result, error) {
	for range patience {
		result, err := c.Run(ctx, d)
		if err != nil || result.Requests > 0 {
			return result, err
		}
	}
	return load.Result{}, errIdle
}

// compare loads both sides in turn. The side that goes first changes with each round.
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
			result, err := side.answered(ctx, plan.Round)
			if err != nil {
				return nil, err
			}
			*side.result = result
		}
	}
	return rounds, nil
}
