package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/world"
)

// copyFindings adds the findings of a *jsonbody.Tree to another one.
func copyFindings(to *jsonbody.Tree, err error) {
	from, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		to.Add(badValue, err.Error())
		return
	}
	from.Walk(func(path string, f jsonbody.Finding) {
		at := to
		for key := range strings.SplitSeq(path, ".") {
			if key != "" {
				at = at.At(key)
			}
		}
		at.Add(f.Code, f.Message)
	})
}

// check checks the rules that types cannot express.
func (f *File) check(t *jsonbody.Tree) {
	if f.App != nil && (f.App.Run == "") == (f.App.Builtin == "") && !t.At("app").Failed() {
		t.At("app").Add(badValue, `Must have either "run" or "builtin".`)
	}
	names := map[string]bool{}
	for i := range f.Scenarios {
		at, s := t.At("scenarios").Index(i), &f.Scenarios[i]
		if names[s.Name] && s.Name != "" {
			at.At("name").Add(badValue, "Another scenario of the file has this name.")
		}
		names[s.Name] = true
		f.checkSteps(at.At("steps"), s)
	}
}

func (f *File) checkSteps(t *jsonbody.Tree, s *Scenario) {
	captured := map[string]bool{}
	as, in := "", ""
	for i := range s.Steps {
		at, step := t.Index(i), &s.Steps[i]
		if at.Failed() {
			return // the step could not be read
		}
		if step.As != "" {
			as = step.As
		}
		if step.In != "" || step.DM != "" {
			in = step.In + step.DM
		}
		step.check(at)
		if step.Restart && (f.App == nil) {
			at.At("restart").Add(badValue, "The file has no app.")
		}
		if step.needsUser() && as == "" {
			at.Add(badValue, `The step needs a user: add "as".`)
		}
		if step.needsChannel() && in == "" {
			at.Add(badValue, `The step needs a channel: add "in" or "dm".`)
		}
		checkVariables(at, step.value, captured)
		if step.Save != "" {
			captured[step.Save] = true
		}
		for name := range step.Capture {
			captured[name] = true
		}
	}
}

// check checks the keys of one step.
func (s *Step) check(t *jsonbody.Tree) {
	actions := s.actions()
	if len(actions) > 1 {
		t.Add(badValue, "A step has one action, this one has "+strings.Join(actions, " and ")+".")
	}
	if len(actions) == 0 && s.Expect == nil && s.As == "" && s.In == "" && s.DM == "" && s.Locale == "" {
		t.Add(badValue, "The step does nothing: add an action or expect.")
	}
	if s.In != "" && s.DM != "" {
		t.At("dm").Add(badValue, `Must not be there together with "in".`)
	}
	if s.Locale != "" && !locale.Known(s.Locale) {
		t.At("locale").Add(badValue, unknown("locale", s.Locale, locale.All()))
	}
	if s.On != "" && s.Use == "" {
		t.At("on").Add(badValue, `Is for a step with "use".`)
	}
	if s.Reply != "" && s.Say == "" {
		t.At("reply").Add(badValue, `Is for a step with "say".`)
	}
	if s.Message != "" && (s.Say != "" || s.Typing || !s.writes()) {
		t.At("message").Add(badValue, `Is for a step with "react", "edit", "delete" or "vote".`)
	}
	if s.Save != "" && (s.Typing || !s.writes()) {
		t.At("save").Add(badValue, `Is for a step with "say", "react", "edit" or "vote".`)
	}
	if l := s.Lobby; l != nil && !l.Create.IsSet() && l.ID == "" {
		t.At("lobby").Add(badValue, `Must have "create" or "id".`)
	}
	if e := s.Expect; e != nil && e.Refused != nil && (e.Content != nil || e.Outcome != "" || e.Failed != nil) {
		t.At("expect").At("refused").Add(badValue, "An action that is refused has no answer.")
	}
}

// actions returns the actions of a step by their keys.
func (s *Step) actions() []string {
	var list []string
	for _, a := range []struct {
		name  string
		there bool
	}{
		{"use", s.Use != ""},
		{"complete", s.Complete != ""},
		{"press", s.Press != ""},
		{"select", s.Select != nil},
		{"submit", s.Submit != nil},
		{"launch", s.Launch != ""},
		{"say", s.Say != ""},
		{"react", s.React != ""},
		{"edit", s.Edit != ""},
		{"delete", s.Delete},
		{"vote", s.Vote != nil},
		{"typing", s.Typing},
		{"join", s.Join != ""},
		{"leave", s.Leave != ""},
		{"nick", s.Nick != nil},
		{"presence", s.Presence.IsSet()},
		{"voice", s.Voice != nil},
		{"interested", s.Interest != ""},
		{"uninterested", s.Disinterest != ""},
		{"advance", s.Advance != 0},
		{"fault", s.Fault.clear || s.Fault.body.IsSet()},
		{"restart", s.Restart},
		{"lobby", s.Lobby != nil},
		{"permissions", s.Permissions != nil},
		{"call", s.Call != nil},
	} {
		if a.there {
			list = append(list, a.name)
		}
	}
	return list
}

// action returns the action of a step by its key, or "".
func (s *Step) action() string {
	if list := s.actions(); len(list) > 0 {
		return list[0]
	}
	return ""
}

// interacts reports whether the action is one of a user.
func (s *Step) interacts() bool {
	return slices.Contains([]string{"use", "complete", "press", "select", "submit", "launch"}, s.action())
}

// writes reports whether the action is a message of a user, or changes one.
func (s *Step) writes() bool {
	return slices.Contains([]string{"say", "react", "edit", "delete", "vote", "typing"}, s.action())
}

// isMembership reports whether the action is one of a user as a member of a guild.
func (s *Step) isMembership() bool {
	return slices.Contains([]string{"join", "leave", "nick", "presence", "voice", "interested", "uninterested"}, s.action())
}

// expectsMessage reports whether content is that of the app's next message, not that of an answer to the action.
func (s *Step) expectsMessage() bool { return s.writes() || s.isMembership() }

func (s *Step) needsUser() bool {
	return s.interacts() || s.writes() || s.isMembership() || s.Permissions != nil || s.DM != "" || s.seesChannel()
}

func (s *Step) needsChannel() bool {
	return s.interacts() || s.writes() || s.Nick != nil || s.Presence.IsSet() || s.Voice != nil && *s.Voice == "" || s.Permissions != nil || s.seesChannel()
}

// seesChannel reports whether the step looks at the messages of a channel.
func (s *Step) seesChannel() bool {
	return s.Expect != nil && (s.Expect.Messages != nil || s.Expect.Last != nil || s.looksAtApp())
}

// looksAtApp reports whether the step looks at what the app did since the last action of a person.
func (s *Step) looksAtApp() bool {
	e := s.Expect
	return e != nil && (e.In != "" || e.Reactions != nil || e.Edited != nil || e.Deleted != nil || e.Thread != "" || e.Typing != nil)
}

// checkVariables reports variables that no earlier step captures.
func checkVariables(t *jsonbody.Tree, v jsonbody.Value, captured map[string]bool) {
	for _, name := range variablesIn(v) {
		if kind, _, ok := strings.Cut(name, "."); ok && slices.Contains(nameKinds, kind) {
			continue // a name of the world
		}
		if !captured[name] {
			var known []string
			for c := range captured {
				known = append(known, c)
			}
			slices.Sort(known)
			for _, kind := range nameKinds {
				known = append(known, kind+".NAME")
			}
			t.Add(badValue, unknown("variable", name, known))
		}
	}
}

// checkApplication checks that the world has the application of the app.
func (f *File) checkApplication() error {
	if f.App == nil {
		return nil
	}
	if _, err := f.application(); err != nil {
		var t jsonbody.Tree
		t.At("app").At("application").Add(badValue, err.Error())
		return world.Locate(f.name, f.data, t.Err())
	}
	return nil
}

// application returns the application that the app runs as.
func (f *File) application() (*world.Application, error) {
	apps, wanted := f.world.Applications, ""
	if f.App != nil {
		wanted = f.App.Application
	}
	if len(apps) == 0 {
		return nil, errors.New("the world has no application")
	}
	if wanted == "" {
		return &apps[0], nil
	}
	var names []string
	for i := range apps {
		if apps[i].Name == wanted || apps[i].ID.String() == wanted {
			return &apps[i], nil
		}
		names = append(names, apps[i].Name)
	}
	return nil, fmt.Errorf("the world has no such application. %s", unknown("application", wanted, names))
}
