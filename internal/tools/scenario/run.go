package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/world"
	"golang.org/x/sync/errgroup"
)

// Runner runs scenarios. Open and Clock are required.
type Runner struct {
	Open     Opener
	Clock    clock.Clock    // time of the machine
	Parallel int            // how many scenarios run at once; 0: one per processor
	Match    *regexp.Regexp // only scenarios with a name that matches; nil: all
	Update   bool           // write the snapshots instead of comparing them
	// Done is called for each result, one call at a time, in the order in which scenarios end. It may be nil.
	Done func(Result)
}

// Result is the result of one scenario.
type Result struct {
	File     string
	Scenario string
	Position world.Position
	Took     time.Duration
	Failure  *Failure // nil: the scenario passed
	Gaps     []string // the operations of Discord that the app has called and the service does not have, by name

	answers []snapshotStep
}

// Failure says why a scenario failed.
type Failure struct {
	Position   world.Position // of the step, or of the scenario if it did not begin
	Step       string         // what the step does; empty: the scenario did not begin
	Error      string         // why the step could not be done; empty: Mismatches or Diff say what is wrong
	Mismatches []Mismatch
	Diff       string // between the snapshot and the answers
	Exchange   string // the request of the step and its response; may be empty
	Output     string // of the app
}

// Run runs the scenarios of files and returns their results in the order of the files. The error says that scenarios
// could not be run or snapshots could not be written; a failed scenario is no error.
func (r *Runner) Run(ctx context.Context, files []*File) ([]Result, error) {
	jobs := r.jobs(files)
	snaps := map[*File]*snapshots{}
	for _, f := range files {
		var err error
		if snaps[f], err = readSnapshots(f); err != nil {
			return nil, err
		}
	}
	results := make([]Result, len(jobs))
	var done sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.parallel())
	for i, j := range jobs {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			results[i] = r.run(ctx, j.file, j.scenario)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if results[i].Failure == nil && !r.Update {
				results[i].Failure = snaps[j.file].compare(j.scenario, results[i].answers)
			}
			done.Lock()
			defer done.Unlock()
			if r.Done != nil {
				r.Done(results[i])
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if !r.Update {
		return results, nil
	}
	return results, r.updateSnapshots(files, snaps, results)
}

// Count returns the number of scenarios of files that Match selects.
func (r *Runner) Count(files []*File) int { return len(r.jobs(files)) }

// job is a scenario to run.
type job struct {
	file     *File
	scenario *Scenario
}

// jobs returns the scenarios that Match selects.
func (r *Runner) jobs(files []*File) []job {
	var list []job
	for _, f := range files {
		for i := range f.Scenarios {
			if s := &f.Scenarios[i]; r.Match == nil || r.Match.MatchString(s.Name) {
				list = append(list, job{f, s})
			}
		}
	}
	return list
}

func (r *Runner) parallel() int {
	if r.Parallel > 0 {
		return r.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// run runs one scenario.
func (r *Runner) run(ctx context.Context, f *File, s *Scenario) Result {
	began := r.Clock.Now()
	result := Result{File: f.name, Scenario: s.Name, Position: s.position}
	x, err := startExecution(ctx, f, s, r.Open, r.Clock)
	if err != nil {
		result.Failure = &Failure{Position: s.position, Error: err.Error()}
	} else {
		result.Failure = x.runSteps(ctx, s, &result)
	}
	if x.service != nil {
		result.Gaps = x.gaps(ctx) // also of an app that did not start
	}
	if err := x.close(ctx); err != nil && result.Failure == nil && ctx.Err() == nil {
		result.Failure = &Failure{Position: s.position, Error: "stop the service: " + err.Error()}
	}
	if result.Failure != nil && x.app != nil {
		result.Failure.Output = x.app.output.String()
	}
	result.Took = r.Clock.Now().Sub(began)
	return result
}

// gaps returns the operations of Discord that were called and that the service does not have. They are a note, so an error is none.
func (x *execution) gaps(ctx context.Context) []string {
	list, err := x.service.client("").Dev().Requests(ctx, url.Values{"kind": {"request"}, "status": {"404"}, "limit": {"1000"}})
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range list {
		if e.Gap != "" {
			names = append(names, e.Gap)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runSteps does the steps of a scenario until one fails.
func (x *execution) runSteps(ctx context.Context, s *Scenario, result *Result) *Failure {
	masked := newMask(x.service)
	for i := range s.Steps {
		step := &s.Steps[i]
		got, wrong, err := x.step(ctx, step)
		if err == nil && len(wrong) == 0 {
			if step.Snapshot == nil || *step.Snapshot {
				result.answers = append(result.answers, newSnapshotStep(masked, &step.Step, got)...)
			}
			continue
		}
		f := &Failure{Position: step.position, Step: step.describe(), Mismatches: wrong, Exchange: x.last.String()}
		if err != nil {
			f.Error = err.Error()
		}
		if x.app != nil && x.app.hasEnded() {
			f.Error = errors.Join(err, fmt.Errorf("the app has ended: %w", errors.Join(x.app.err, errEnded))).Error()
		}
		return f
	}
	return nil
}

// hasEnded reports whether the app has ended.
func (a *runningApp) hasEnded() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// describe returns what a step does, in one line.
func (s *Step) describe() string {
	texts := map[string]string{
		"use": s.Use, "complete": s.Complete, "press": s.Press, "launch": s.Launch, "say": s.Say, "react": s.React, "edit": s.Edit, "join": s.Join, "leave": s.Leave, "advance": time.Duration(s.Advance).String(),
	}
	if s.Vote != nil {
		texts["vote"] = fmt.Sprint(*s.Vote)
	}
	if s.Presence.IsSet() {
		texts["presence"] = shown(s.Presence.Value)
	}
	if s.Select != nil {
		texts["select"] = fmt.Sprint(s.Select.Values)
	}
	if s.Submit != nil {
		texts["submit"] = s.Submit.Form
	}
	if s.Call != nil {
		texts["call"] = s.Call.Method + " " + s.Call.Path
	}
	action := s.action()
	switch {
	case action == "" && s.Expect != nil:
		return "expect"
	case texts[action] == "":
		return action
	}
	return action + " " + texts[action]
}
