package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/conformance"
	"github.com/bellhop/bellhop/internal/tools/files"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/snowflake"
)

// conformOptions are the flags of "bellhop conform".
type conformOptions struct {
	commandsScope `embed:""`
	outputOptions `embed:""`

	AllowWrites bool     `help:"Run checks that create records. They change and delete only what they created."`
	AllowLoad   bool     `help:"Run checks that send hundreds of requests at once, use up the daily limit of created commands, or move the clock of a service with dev controls."`
	Prefix      string   `placeholder:"TEXT" help:"Prefix of the names of created records. Default: a random one."`
	ClientToken string   `placeholder:"TOKEN" help:"Client-credentials access token of the application."`
	EditorToken string   `placeholder:"TOKEN" help:"Access token of a user who can edit command permissions in the guild."`
	User        []string `placeholder:"ID" help:"Users for lobby checks. Give two."`
	Only        string   `name:"run" placeholder:"REGEXP" help:"Run only the checks whose id matches."`
	JUnit       string   `name:"junit" type:"path" placeholder:"FILE" help:"Also write the results to a JUnit XML file."`
	List        bool     `help:"List the checks and exit."`
}

var errConform = errors.New("the service does not conform to the specification")

// Run runs the checks and prints each result as soon as it is known.
func (o conformOptions) Run(ctx context.Context, s streams) error {
	matches, err := regexp.Compile(o.Only)
	if err != nil {
		return usageError{fmt.Errorf("--run: %w", err)}
	}
	selected := func(c conformance.Check) bool { return matches.MatchString(c.ID) }
	if o.List {
		return o.listChecks(s, selected)
	}
	target, err := o.target()
	if err != nil {
		return err
	}
	var report conformance.Report
	p := terminal.Printer{Out: s.out}
	total := int64(0)
	for _, c := range conformance.Checks() {
		if selected(c) {
			total++
		}
	}
	bar := terminal.NewProgress(s.err, "checks")
	err = conformance.Run(ctx, target, selected, func(r conformance.Result) {
		report.Add(r)
		if r.Verdict != conformance.Skipped {
			bar.Clear()
			p.Line("%s", r.Line())
		}
		bar.Step(int64(len(report.Results)), total)
	})
	bar.Clear()
	p.Line("%s", report.Summary())
	printSkipped(&p, &report)
	err = errors.Join(err, p.Err, o.writeJUnit(&report))
	if err == nil && report.Count(conformance.Failed) > 0 {
		return errConform
	}
	return err
}

// needFlag returns the flag that provides what a skipped check needs, or "". The texts are those of conformance.Needs.
func needFlag(need string) string {
	switch need {
	case "writes":
		return "--allow-writes"
	case "load":
		return "--allow-load"
	case "a guild":
		return "--guild ID"
	case "two users":
		return "--user ID --user ID"
	case "a client-credentials token":
		return "--client-token TOKEN"
	case "an editor's token":
		return "--editor-token TOKEN"
	}
	return ""
}

// printSkipped prints how many checks were skipped, by what they need, and the flags that provide it.
func printSkipped(p *terminal.Printer, report *conformance.Report) {
	counts := map[string]int{}
	for _, r := range report.Results {
		if r.Verdict == conformance.Skipped {
			counts[strings.TrimPrefix(r.Message, "needs ")]++
		}
	}
	for _, needs := range slices.Sorted(maps.Keys(counts)) {
		var flags []string
		for need := range strings.SplitSeq(needs, ", ") {
			if flag := needFlag(need); flag != "" {
				flags = append(flags, flag)
			}
		}
		line := fmt.Sprintf("  skipped %s without %s", terminal.Plural(counts[needs], "check"), needs)
		if len(flags) > 0 {
			line += ": add " + strings.Join(flags, " ")
		}
		p.Line("%s", line)
	}
}

func (o conformOptions) listChecks(s streams, selected func(conformance.Check) bool) error {
	l := list{header: []string{"CHECK", "RULE", "SPECIFICATION", "NEEDS"}}
	type check struct {
		ID            string `json:"id"`
		Rule          string `json:"rule"`
		Specification string `json:"specification"`
		Needs         string `json:"needs"`
	}
	values := []check{}
	for _, c := range conformance.Checks() {
		if selected(c) {
			l.rows = append(l.rows, []string{c.ID, c.Rule, c.Cite(), c.Needs.String()})
			values = append(values, check{c.ID, c.Rule, c.Cite(), c.Needs.String()})
		}
	}
	l.value = values
	return o.print(s, l)
}

func (o conformOptions) target() (conformance.Target, error) {
	_, scope, err := o.open()
	if err != nil {
		return conformance.Target{}, err
	}
	t := conformance.Target{
		BaseURL: o.BaseURL, BotToken: strings.TrimPrefix(o.Token, "Bot "), Application: scope.Application, Guild: scope.Guild,
		ClientToken: o.ClientToken, EditorToken: o.EditorToken, AllowWrites: o.AllowWrites, AllowLoad: o.AllowLoad, Prefix: o.Prefix,
	}
	for _, text := range o.User {
		id, err := parseID[snowflake.User]("--user", text)
		if err != nil {
			return t, err
		}
		t.Users = append(t.Users, id)
	}
	return t, nil
}

func (o conformOptions) writeJUnit(r *conformance.Report) error {
	if o.JUnit == "" {
		return nil
	}
	return files.Create(o.JUnit, r.WriteJUnit)
}
