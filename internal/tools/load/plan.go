package load

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Plan says which commands the people of a world use, how often, and for how long. Either Rate or Concurrency is
// set.
type Plan struct {
	// Rate is the number of invocations that start each second, whether or not earlier ones have an answer.
	Rate float64
	// Concurrency is the number of people who use commands at the same time. Each waits for an answer, and then thinks.
	Concurrency int
	// For is the time in which invocations start, including the ramp-up.
	For time.Duration
	// Ramp is the time in which the rate or the concurrency grows from 0.
	Ramp time.Duration
	// Think is the pause of a person between an answer and the next command. It needs Concurrency.
	Think Span
	// Timeout bounds how long one invocation waits. At the end of a run it bounds how long late invocations still start.
	Timeout time.Duration
	// InFlight bounds the invocations in progress of a run with a Rate.
	InFlight int
	// Seed selects the sequence of random values. The same seed gives the same commands.
	Seed uint64
	Mix  []Step
	Fail []Threshold
}

// Step is one command or message of a mix.
type Step struct {
	Use    Line
	Say    bool     // Use is the text of a message, not a command
	Weight float64  // how often it is used, relative to the other steps
	As     []string // the people who use it: ids or usernames
	In     string   // the channel
}

// Span is a range of durations.
type Span struct{ Min, Max time.Duration }

// The default values and the limits of a plan.
const (
	DefaultFor      = 10 * time.Second
	DefaultTimeout  = 10 * time.Second
	DefaultInFlight = 200 // fewer than the deliveries to one app that a service has under way
	MaxRate         = 1_000_000
	MaxInFlight     = 100_000
	MaxSteps        = 1_000
	maxFor          = 7 * 24 * time.Hour
)

// Complete returns the plan with default values, or an error that names what is wrong.
func (p Plan) Complete() (Plan, error) {
	p.For = cmp.Or(p.For, DefaultFor)
	p.Timeout = cmp.Or(p.Timeout, DefaultTimeout)
	p.InFlight = cmp.Or(p.InFlight, DefaultInFlight)
	switch {
	case p.Rate != 0 && p.Concurrency != 0:
		return p, errors.New("give a rate or a concurrency, not both")
	case p.Rate == 0 && p.Concurrency == 0:
		return p, errors.New("give a rate or a concurrency")
	case !(p.Rate >= 0 && p.Rate <= MaxRate): // NaN is neither
		return p, fmt.Errorf("the rate must be between 0 and %d a second", MaxRate)
	case p.Concurrency < 0 || p.Concurrency > MaxInFlight:
		return p, fmt.Errorf("the concurrency must be between 1 and %d", MaxInFlight)
	case p.InFlight < 0 || p.InFlight > MaxInFlight:
		return p, fmt.Errorf("the invocations in flight must be between 1 and %d", MaxInFlight)
	case p.For < 0 || p.For > maxFor:
		return p, fmt.Errorf("the duration must be between 0 and %s", maxFor)
	case p.Ramp < 0 || p.Ramp > p.For:
		return p, errors.New("the ramp-up cannot be longer than the run")
	case p.Timeout < 0:
		return p, errors.New("the timeout cannot be negative")
	case p.Think != Span{} && p.Concurrency == 0:
		return p, errors.New("a think time needs a concurrency: with a rate, people do not wait for each other")
	case len(p.Mix) == 0:
		return p, errors.New("no command is given")
	case len(p.Mix) > MaxSteps:
		return p, fmt.Errorf("at most %d commands", MaxSteps)
	}
	return p, p.checkMix()
}

func (p Plan) checkMix() error {
	for _, s := range p.Mix {
		switch {
		case !(s.Weight > 0) || math.IsInf(s.Weight, 0):
			return fmt.Errorf("%s: the weight must be larger than 0", s.Use)
		case len(s.As) == 0:
			return fmt.Errorf("%s: no person uses it", s.Use)
		case s.In == "":
			return fmt.Errorf("%s: no channel is given", s.Use)
		}
	}
	return nil
}

// Says reports whether people write messages.
func (p Plan) Says() bool { return slices.ContainsFunc(p.Mix, func(s Step) bool { return s.Say }) }

// start returns when invocation n of a run with a rate starts, after the beginning of the run.
func (p Plan) start(n int64) time.Duration {
	ramp := p.Ramp.Seconds()
	during := p.Rate * ramp / 2 // invocations of the ramp-up
	at := ramp + (float64(n)-during)/p.Rate
	if float64(n) < during {
		at = math.Sqrt(2 * float64(n) * ramp / p.Rate)
	}
	return time.Duration(at * float64(time.Second))
}

// invocation draws the invocation with a number. It depends only on the plan and the number.
func (p Plan) invocation(n int64) (Invocation, *rand.Rand) {
	random := rand.New(rand.NewPCG(p.Seed, uint64(n)))
	step := p.draw(random)
	return Invocation{Step: step, As: pick(random, p.Mix[step].As), In: p.Mix[step].In, Say: p.Mix[step].Say, Line: p.Mix[step].Use.Draw(random)}, random
}

// draw returns the index of a step. A step with twice the weight is drawn twice as often.
func (p Plan) draw(random *rand.Rand) int {
	if len(p.Mix) == 1 {
		return 0
	}
	total := 0.0
	for _, s := range p.Mix {
		total += s.Weight
	}
	at := random.Float64() * total
	for i, s := range p.Mix {
		if at -= s.Weight; at < 0 {
			return i
		}
	}
	return len(p.Mix) - 1
}

// draw returns a duration of the span.
func (s Span) draw(random *rand.Rand) time.Duration {
	if s.Max <= s.Min {
		return s.Min
	}
	return s.Min + time.Duration(random.Int64N(int64(s.Max-s.Min)+1))
}

func pick[T any](random *rand.Rand, list []T) T {
	if len(list) == 1 {
		return list[0]
	}
	return list[random.IntN(len(list))]
}
