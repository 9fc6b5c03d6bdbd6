// Package conformance checks whether a service follows the specification of the API. Each check tests one sentence of the
// specification, has a fixed id and can run alone, against any base URL. The command "bellhop conform" runs them.
//
// [Run] runs the checks against a [Target] and passes each [Result] to a function, such as [Report.Add]. The names of
// everything that a run creates start with a prefix. Run deletes what it created when it ends, also when its context is
// cancelled.
package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Check tests one rule of the specification.
type Check struct {
	ID      string // such as OPT-07; it never changes
	Section string // the heading in the specification, or the page and heading in Discord's documentation
	Line    int    // the line in the specification; 0: the rule is in Discord's documentation
	Rule    string // the rule, in one sentence
	Needs   Needs  // Run skips the check if the target lacks one of them

	run func(*probe)
}

// Cite returns the place of the rule, such as "Option object, line 57" in the specification or "Message: Create Message" in
// Discord's documentation.
func (c Check) Cite() string {
	if c.Line == 0 {
		return c.Section
	}
	return fmt.Sprintf("%s, line %d", c.Section, c.Line)
}

// Needs is a set of requirements of a check.
type Needs uint16

// The requirements. Every check also needs a base URL, a bot token and an application.
const (
	// Writes means that the run may create, change and delete records.
	Writes Needs = 1 << iota
	// Guild means that the target names a guild in which the application is installed.
	Guild
	// Editor means that there is an access token of a user who can edit command permissions in the guild.
	Editor
	// Client means that there is a client-credentials token of the application.
	Client
	// Users means that the ids of two users are known.
	Users
	// Load means that the run may send hundreds of requests at once, use up the daily limit of created commands, and move
	// the clock of a service with dev controls.
	Load
	// NoActivities means that the application has no Activities.
	NoActivities
	// Activities means that the application has Activities.
	Activities
	// Dev means that the service has Bellhop's dev controls, which can invoke a command as a user.
	Dev
	// Manager means that the bot may manage the guild: its channels, messages, threads, webhooks, roles, members and emojis.
	Manager
	// Seller means that the application has a SKU to which it can grant test entitlements.
	Seller
)

var needNames = []struct {
	need Needs
	name string
}{
	{Writes, "writes"},
	{Guild, "a guild"},
	{Editor, "an editor's token"},
	{Client, "a client-credentials token"},
	{Users, "two users"},
	{Load, "load"},
	{NoActivities, "an app without Activities"},
	{Activities, "an app with Activities"},
	{Dev, "dev controls"},
	{Manager, "a bot that manages the guild"},
	{Seller, "an app with a SKU"},
}

// String lists the requirements, separated by commas.
func (n Needs) String() string {
	var names []string
	for _, row := range needNames {
		if n&row.need != 0 {
			names = append(names, row.name)
		}
	}
	return strings.Join(names, ", ")
}

// Checks returns all checks, in the order in which Run runs them.
func Checks() []Check {
	return slices.Concat(
		accessChecks(), objectChecks(), nameChecks(), optionChecks(), choiceChecks(), contextChecks(), localizationChecks(),
		lifecycleChecks(), bulkChecks(), permissionChecks(), messageChecks(), historyChecks(), threadChecks(),
		webhookChecks(), channelChecks(), guildChecks(), premiumChecks(), lobbyChecks(), playerChecks(), memberChecks(), eventChecks(), limitChecks(),
	)
}

// Verdict is the outcome of a check.
type Verdict uint8

// The verdicts.
const (
	Passed Verdict = iota
	Failed
	Skipped
)

// String returns "passed", "failed" or "skipped".
func (v Verdict) String() string { return [...]string{"passed", "failed", "skipped"}[v] }

// Result is the result of a check.
type Result struct {
	Check
	Verdict Verdict
	Message string // of a failed check: what differs; of a skipped check: what it needs
	Took    time.Duration
}

// Run runs the checks for which selected returns true, or all checks if selected is nil. It calls tell with each result. It
// returns an error when the target cannot be reached, when ctx ends, and when it cannot delete something that it created.
func Run(ctx context.Context, target Target, selected func(Check) bool, tell func(Result)) (err error) {
	s, err := open(ctx, target)
	if err != nil {
		return err
	}
	defer func() {
		// A cancelled run cleans up too.
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

// checkTime is the timeout of one check.
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

// checkFailure is the panic value with which probe.fail ends a check.
type checkFailure string

func (s *session) try(ctx context.Context, c Check) (message string) {
	defer func() {
		if p := recover(); p != nil {
			why, ok := p.(checkFailure)
			if !ok {
				panic(p)
			}
			message = string(why)
		}
	}()
	c.run(&probe{session: s, ctx: ctx})
	return ""
}
