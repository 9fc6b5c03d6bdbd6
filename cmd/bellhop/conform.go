package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/bellhop/bellhop/conformance"
	"github.com/bellhop/bellhop/snowflake"
)

// conformOptions are the flags of "bellhop conform".
type conformOptions struct {
	commandsScope `embed:""`

	AllowWrites bool     `help:"Let the run create, change and delete things of its own."`
	AllowLoad   bool     `help:"Let the run send hundreds of requests at once and use up the creates of a day."`
	Prefix      string   `placeholder:"TEXT" help:"What the names of everything begin with that the run creates; by default one of its own."`
	ClientToken string   `placeholder:"TOKEN" help:"The application's own access token."`
	EditorToken string   `placeholder:"TOKEN" help:"An access token of a person who may edit permissions in the guild."`
	User        []string `placeholder:"ID" help:"People that lobbies may take in; give two."`
	Only        string   `name:"run" placeholder:"REGEXP" help:"Only checks whose id matches."`
	JUnit       string   `name:"junit" type:"path" placeholder:"FILE" help:"Write the results for CI."`
	List        bool     `help:"Print the checks and make none."`
}

var errConform = errors.New("the service does not keep the specification")

// Run makes the checks and tells each result as it comes.
func (o conformOptions) Run(ctx context.Context, s streams) error {
	matches, err := regexp.Compile(o.Only)
	if err != nil {
		return usageError{fmt.Errorf("--run: %w", err)}
	}
	selected := func(c conformance.Check) bool { return matches.MatchString(c.ID) }
	if o.List {
		return listChecks(s, selected)
	}
	target, err := o.target()
	if err != nil {
		return err
	}
	var report conformance.Report
	p := printer{out: s.out}
	err = conformance.Run(ctx, target, selected, func(r conformance.Result) {
		report.Add(r)
		p.line("%s", r.Line())
	})
	p.line("%s", report.Summary())
	err = errors.Join(err, p.err, o.writeJUnit(&report))
	if err == nil && report.Count(conformance.Failed) > 0 {
		return errConform
	}
	return err
}

func listChecks(s streams, selected func(conformance.Check) bool) error {
	p := printer{out: s.out}
	for _, c := range conformance.Checks() {
		if selected(c) {
			p.line("%s  %s (%s)", c.ID, c.Rule, c.Cite())
		}
	}
	return p.err
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
	f, err := os.Create(o.JUnit)
	if err != nil {
		return err
	}
	return errors.Join(r.WriteJUnit(f), f.Close())
}
