package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// Invocation is one use of a command, or one message.
type Invocation struct {
	Step         int // index in Plan.Mix
	As, In, Line string
	Say          bool // Line is the text of a message
}

// Outcome is the result of an invocation.
type Outcome struct {
	Answer  string        // the type of the app's answer; empty if the invocation failed
	Failure string        // why it failed
	Waits   int           // how often a rate limit made it wait
	Waited  time.Duration // for rate limits, in total
}

// Runner runs a plan. All fields but Progress and CPU are required.
type Runner struct {
	Plan  Plan // completed
	Clock clock.Clock
	// Send uses a command or writes a message and returns its outcome. It must return soon after ctx ends.
	Send func(ctx context.Context, in Invocation) Outcome
	// Progress is called about ten times a second.
	Progress func(Progress)
	// CPU returns the processor time that the generator has used.
	CPU func() time.Duration
}

// Progress is the state of a run at one moment.
type Progress struct {
	Elapsed, Total time.Duration
	Done, Failed   int64
	Throughput     float64 // of the last second, in invocations
	P99            time.Duration
}

const progressEvery = 100 * time.Millisecond

// execution is a run in progress.
type execution struct {
	*Runner

	began  time.Time
	record *record
	next   atomic.Int64 // the number of the next invocation
}

// Run runs the plan and reports on it. When ctx ends, it stops early and reports on what ran until then.
func (l *Runner) Run(ctx context.Context) *Report {
	r := &execution{Runner: l, began: l.Clock.Now(), record: newRecord(l.Plan)}
	used := l.cpu()
	ended := make(chan struct{})
	var background, workers sync.WaitGroup
	if l.Progress != nil {
		background.Go(func() { r.showProgress(ended) })
	}
	work, count := r.keepRate, l.Plan.InFlight
	if l.Plan.Concurrency > 0 {
		work, count = r.keepBusy, l.Plan.Concurrency
	}
	for i := range count {
		workers.Go(func() { work(ctx, i) })
	}
	workers.Wait()
	close(ended)
	background.Wait()
	report := r.record.report(l.Plan, l.Clock.Now().Sub(r.began))
	report.Interrupted = ctx.Err() != nil
	report.Generator.CPU = l.cpu() - used
	return report
}

func (l *Runner) cpu() time.Duration {
	if l.CPU == nil {
		return 0
	}
	return l.CPU()
}

// keepRate starts invocations at their planned times, one after another. The workers of a run share the numbers of the
// invocations, so a worker whose invocation takes long does not delay those of the others. The latency of an invocation
// counts from its planned time, also if it starts later because all workers are busy.
func (r *execution) keepRate(ctx context.Context, _ int) {
	for free := true; ctx.Err() == nil; free = false {
		n := r.next.Add(1) - 1
		at := r.Plan.start(n)
		if at >= r.Plan.For {
			return
		}
		planned := r.began.Add(at)
		ready := r.Clock.Now()
		if ready.Before(planned) {
			clock.Wait(ctx, r.Clock, planned.Sub(ready))
			if ctx.Err() != nil {
				return
			}
			free = true
		}
		r.record.start(free, r.Clock.Now().Sub(planned))
		in, _ := r.Plan.invocation(n)
		if ready.Sub(r.began) > r.Plan.For+r.Plan.Timeout {
			r.record.add(in.Step, ready.Sub(planned), ready.Sub(r.began), Outcome{Failure: notStarted})
			continue
		}
		r.invoke(ctx, in, planned)
	}
}

// notStarted is the failure of an invocation that could not start because others were in progress.
const notStarted = "not started: all invocations in flight were waiting"

// keepBusy uses commands as one user until the run ends.
func (r *execution) keepBusy(ctx context.Context, user int) {
	if r.Plan.Ramp > 0 {
		clock.Wait(ctx, r.Clock, r.Plan.Ramp*time.Duration(user)/time.Duration(r.Plan.Concurrency))
	}
	for ctx.Err() == nil && r.Clock.Now().Sub(r.began) < r.Plan.For {
		in, random := r.Plan.invocation(r.next.Add(1) - 1)
		r.invoke(ctx, in, r.Clock.Now())
		pause := r.Plan.Think.draw(random)
		if pause == 0 {
			continue
		}
		due := r.Clock.Now().Add(pause)
		if due.Sub(r.began) >= r.Plan.For {
			return
		}
		clock.Wait(ctx, r.Clock, pause)
		r.record.start(true, r.Clock.Now().Sub(due))
	}
}

func (r *execution) invoke(ctx context.Context, in Invocation, planned time.Time) {
	limited, cancel := context.WithTimeout(ctx, r.Plan.Timeout)
	outcome := r.Send(limited, in)
	cancel()
	if ctx.Err() != nil && outcome.Failure != "" {
		return // the run was interrupted
	}
	now := r.Clock.Now()
	r.record.add(in.Step, now.Sub(planned), now.Sub(r.began), outcome)
}

// showProgress reports the progress until ended is closed.
func (r *execution) showProgress(ended <-chan struct{}) {
	for {
		tick := make(chan struct{})
		timer := r.Clock.AfterFunc(progressEvery, func() { close(tick) })
		select {
		case <-ended:
			timer.Stop()
			return
		case <-tick:
			r.Progress(r.record.progress(r.Clock.Now().Sub(r.began), r.Plan.For))
		}
	}
}
