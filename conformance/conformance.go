// Package conformance holds the specification as numbered checks that run one by one against any base URL. A check asks the
// service what a sentence of the specification promises and says what came back instead. Whatever a run creates carries a
// prefix of its own and is removed when the run ends, also when it is broken off.
package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Check is one promise of the specification.
type Check struct {
	ID      string // for ever the same, such as OPT-07
	Section string // heading of the specification
	Line    int    // of the specification
	Rule    string // what is promised, in one sentence
	Needs   Needs

	run func(*probe)
}

// Cite returns where in the specification the promise stands.
func (c Check) Cite() string { return fmt.Sprintf("%s, line %d", c.Section, c.Line) }

// Needs is a set of what a check cannot do without.
type Needs uint16

// What checks need. Every check needs a base URL, a bot token and an application.
const (
	// Writes: the run may create, change and delete.
	Writes Needs = 1 << iota
	// Guild: there is a guild that the application is installed in.
	Guild
	// Editor: there is an access token of a person who may edit permissions in the guild.
	Editor
	// Client: there is an access token of the application itself.
	Client
	// People: there are ids of two users.
	People
	// Load: the run may send hundreds of requests and use up the creates of a day.
	Load
	// NoActivities: the application has no Activities.
	NoActivities
	// Dev: the service has Bellhop's dev controls, which let a person use a command.
	Dev
)

var needNames = []struct {
	need Needs
	name string
}{
	{Writes, "writes"},
	{Guild, "a guild"},
	{Editor, "an editor's token"},
	{Client, "a client-credentials token"},
	{People, "two users"},
	{Load, "load"},
	{NoActivities, "an app without Activities"},
	{Dev, "dev controls"},
}

// String lists what is needed.
func (n Needs) String() string {
	var names []string
	for _, row := range needNames {
		if n&row.need != 0 {
			names = append(names, row.name)
		}
	}
	return strings.Join(names, ", ")
}

// Checks returns all checks in the order in which they run.
func Checks() []Check {
	return slices.Concat(
		accessChecks(), objectChecks(), nameChecks(), optionChecks(), choiceChecks(), placeChecks(), localizationChecks(),
		lifecycleChecks(), bulkChecks(), permissionChecks(), lobbyChecks(), memberChecks(), eventChecks(), limitChecks(),
	)
}

// Verdict is how a check ended.
type Verdict uint8

// The verdicts.
const (
	Passed Verdict = iota
	Failed
	Skipped
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"passed", "failed", "skipped"}[v] }

// Result is a check that has run.
type Result struct {
	Check
	Verdict Verdict
	Message string // what came back instead, or what is missing
	Took    time.Duration
}

// Run makes the checks that select names, all when it is nil, and tells each result. It returns an error when the target
// cannot be reached at all, or when something that was created could not be removed.
func Run(ctx context.Context, target Target, selected func(Check) bool, tell func(Result)) (err error) {
	s, err := open(ctx, target)
	if err != nil {
		return err
	}
	defer func() {
		// A run that is broken off cleans up as well.
		if left := s.cleanUp(context.WithoutCancel(ctx)); err == nil {
			err = left
		}
	}()
	for _, c := range Checks() {
		if selected != nil && !selected(c) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		tell(s.check(ctx, c))
	}
	return nil
}

// checkTime is how long one check may take.
const checkTime = 2 * time.Minute

func (s *session) check(ctx context.Context, c Check) Result {
	if missing := c.Needs &^ s.has; missing != 0 {
		return Result{Check: c, Verdict: Skipped, Message: "needs " + missing.String()}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	began := time.Now()
	message := s.try(ctx, c)
	r := Result{Check: c, Message: message, Took: time.Since(began)}
	if message != "" {
		r.Verdict = Failed
	}
	return r
}

// broken ends a check from any depth.
type broken string

func (s *session) try(ctx context.Context, c Check) (message string) {
	defer func() {
		if p := recover(); p != nil {
			why, ok := p.(broken)
			if !ok {
				panic(p)
			}
			message = string(why)
		}
	}()
	c.run(&probe{session: s, ctx: ctx})
	return ""
}
