package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/compat/catalog"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// session is one run of the checks on a library.
type session struct {
	Library
	Config

	catalog catalog.Catalog
	answers *answers
	client  Client
	steps   []string
}

// step is a check with its name in the report.
type step struct {
	name string
	do   func() error
}

func (s *session) run() error {
	var err error
	if s.client, err = s.Connect(s.Config, "Bot "+s.BotToken); err != nil {
		return err
	}
	var steps []step
	for _, sc := range []*scope{
		{session: s, name: "global", commands: s.catalog.Global},
		{session: s, name: "guild", guild: s.Guild, commands: s.catalog.Guild},
	} {
		steps = append(steps, sc.steps()...)
	}
	steps = append(steps, s.accessSteps()...)
	steps = append(steps, s.permissionSteps()...)
	steps = append(steps, s.limitSteps()...)
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		s.steps = append(s.steps, step.name)
	}
	return nil
}

// answered checks the method and status of the last response.
func (s *session) answered(want string) error {
	if got := s.answers.Last(); got != want {
		return fmt.Errorf("answered %s, want %s", got, want)
	}
	return nil
}

// refused checks that a call failed, and the error that the library returns.
func (s *session) refused(err error, status, code int, faults ...catalog.Fault) error {
	if err == nil {
		return errors.New("the call succeeded, want an error")
	}
	got, ok := s.client.Failure(err)
	if !ok {
		return fmt.Errorf("the error is not an error of the service: %w", err)
	}
	want := Failure{Status: status, Code: code}
	for _, f := range faults {
		want.Lines = append(want.Lines, s.Line(f))
	}
	slices.Sort(got.Lines)
	slices.Sort(want.Lines)
	return differ(want, got)
}

// sends and shows remove the fields that the library cannot send or return.
func (s *session) sends(c catalog.Command) catalog.Command { return apply(s.Sends, c) }
func (s *session) shows(c catalog.Command) catalog.Command { return apply(s.Shows, c) }

func apply(view func(catalog.Command) catalog.Command, c catalog.Command) catalog.Command {
	if view == nil {
		return c
	}
	return view(c)
}

// differ returns an error with the difference between want and got, or nil. Empty and absent lists are equal.
func differ(want, got any) error {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("mismatch (-want +got):\n%s", diff)
	}
	return nil
}

// match compares commands with the wanted ones. Ids and versions must exist, but may have any value.
func match(want, got []catalog.Command) error {
	want = slices.Clone(want)
	for i, c := range got {
		for _, number := range []string{c.ID, c.Version} {
			if _, err := strconv.ParseUint(number, 10, 64); err != nil {
				return fmt.Errorf("command %s: id %q, version %q", c.Name, c.ID, c.Version)
			}
		}
		if i < len(want) {
			want[i].ID, want[i].Version = c.ID, c.Version
		}
	}
	return differ(want, got)
}

// newer reports whether a version is higher than another.
func newer(version, than string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA == nil && errB == nil && a > b
}

// each applies f to every command.
func each(commands []catalog.Command, f func(catalog.Command) catalog.Command) []catalog.Command {
	changed := make([]catalog.Command, len(commands))
	for i, c := range commands {
		changed[i] = f(c)
	}
	return changed
}
