package remote

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/goccy/go-yaml/ast"
)

// maxFile bounds a hooks file in bytes.
const maxFile = 1 << 20

// Target is a hook of a hooks file.
type Target struct {
	Name          string
	URL           string
	Before, After []string // events; empty: none
	Timeout       time.Duration
	FailOpen      bool
	Private       bool // plain http and private networks are allowed
}

// Load reads a hooks file; an empty name is no file. The error contains every fault with its position in the file.
func Load(file string) ([]Target, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse parses a hooks file, which is called name.
func Parse(name string, data []byte) ([]Target, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	f, err := yamltree.Parse(data, 0)
	if err != nil {
		return nil, yamltree.Locate(name, err)
	}
	r := &reader{name: name}
	var list []Target
	switch {
	case len(f.Docs) > 1 && f.Docs[1].Body != nil:
		r.fail(f.Docs[1].Body, "a hooks file is a single document")
	case len(f.Docs) > 0 && f.Docs[0].Body != nil:
		list = r.file(f.Docs[0].Body)
	}
	if len(list) == 0 && len(r.errs) == 0 {
		return nil, fmt.Errorf("%s: hooks: is required", name)
	}
	return list, errors.Join(r.errs...)
}

// reader reads the nodes of one file and collects errors.
type reader struct {
	name string
	errs []error
}

func (r *reader) fail(n ast.Node, format string, args ...any) {
	line, column := 1, 1
	if t := n.GetToken(); t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.name, line, column, fmt.Sprintf(format, args...)))
}

// fields calls the function of each key of a mapping, and reports keys without one.
func (r *reader) fields(n ast.Node, what string, read map[string]func(ast.Node)) {
	pairs, ok := n.(ast.MapNode)
	if !ok {
		r.fail(n, "%s: want a mapping", what)
		return
	}
	known := make([]string, 0, len(read))
	for key := range read {
		known = append(known, key)
	}
	slices.Sort(known)
	for it := pairs.MapRange(); it.Next(); {
		key := it.Key().String()
		if fn := read[key]; fn != nil {
			fn(it.Value())
			continue
		}
		r.fail(it.Key(), "unknown key %q%s", key, suggestion(key, known))
	}
}

// suggestion returns the rest of a message about an unknown word.
func suggestion(word string, known []string) string {
	if near := jsonbody.Suggest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": want " + strings.Join(known, ", ")
}

// file reads a whole file.
func (r *reader) file(n ast.Node) (list []Target) {
	names := map[string]bool{}
	r.fields(n, "the file", map[string]func(ast.Node){"hooks": func(n ast.Node) {
		for _, item := range r.items(n, "hooks") {
			t := r.target(item)
			if t.Name != "" && names[t.Name] {
				r.fail(item, "another hook has the name %q", t.Name)
			}
			names[t.Name] = true
			list = append(list, t)
		}
		if len(list) > hooks.MaxHooks {
			r.fail(n, "there are %d hooks, the most are %d", len(list), hooks.MaxHooks)
		}
	}})
	return list
}

// items returns the items of a list.
func (r *reader) items(n ast.Node, what string) []ast.Node {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, "%s: want a list", what)
		return nil
	}
	return list.Values
}

// maxName bounds the name of a hook, in bytes.
const maxName = 64

// target reads one hook.
func (r *reader) target(n ast.Node) (t Target) {
	found := len(r.errs)
	r.fields(n, "a hook", map[string]func(ast.Node){
		"name":    func(n ast.Node) { t.Name = r.text(n, "name") },
		"url":     func(n ast.Node) { t.URL = r.url(n) },
		"before":  func(n ast.Node) { t.Before = r.events(n, before) },
		"after":   func(n ast.Node) { t.After = r.events(n, after) },
		"timeout": func(n ast.Node) { t.Timeout = r.duration(n) },
		"fail":    func(n ast.Node) { t.FailOpen = r.choice(n, "fail", "closed", "open") == "open" },
		"private": func(n ast.Node) { t.Private = r.flag(n, "private") },
	})
	if len(r.errs) > found {
		return t
	}
	switch {
	case t.Name == "" || len(t.Name) > maxName:
		r.fail(n, "name: want 1 to %d characters", maxName)
	case t.URL == "":
		r.fail(n, "url: is required")
	case len(t.Before)+len(t.After) == 0:
		r.fail(n, "want before, after or both, with a list of events")
	}
	if t.URL != "" {
		if err := webhook.CheckURL(t.URL, t.Private); err != nil {
			r.fail(n, "url: %s", explain(err, t.Private))
		}
	}
	return t
}

// explain returns why a URL is refused.
func explain(err error, private bool) string {
	e, ok := errors.AsType[*webhook.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Detail == "scheme is not allowed" && !private:
		return "want https. With private: true, http is allowed too"
	}
	return e.Detail
}

// text reads a text.
func (r *reader) text(n ast.Node, what string) string {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		r.fail(n, "%s: want a text", what)
		return ""
	}
	text, ok := s.GetValue().(string)
	if !ok {
		return s.GetToken().Value // such as 7
	}
	return text
}

// url reads the URL of a hook. The text of an error never contains it, because it may have a secret.
func (r *reader) url(n ast.Node) string {
	text := r.text(n, "url")
	if _, err := url.Parse(text); err != nil {
		r.fail(n, "url: not a URL")
		return ""
	}
	return text
}

// events reads a list of events.
func (r *reader) events(n ast.Node, what string) (events []string) {
	for _, item := range r.items(n, what) {
		name := r.text(item, what)
		switch {
		case !slices.Contains(hooks.Events, name):
			r.fail(item, "unknown event %q%s", name, suggestion(name, hooks.Events))
		case slices.Contains(events, name):
			r.fail(item, "%s is there twice", name)
		default:
			events = append(events, name)
		}
	}
	return events
}

// duration reads the timeout.
func (r *reader) duration(n ast.Node) time.Duration {
	d, err := time.ParseDuration(r.text(n, "timeout"))
	if err != nil || d <= 0 || d > hooks.MaxTimeout {
		r.fail(n, "timeout: want a duration such as 500ms, at most %v", hooks.MaxTimeout)
	}
	return d
}

// choice reads one of several words.
func (r *reader) choice(n ast.Node, what string, words ...string) string {
	word := r.text(n, what)
	if !slices.Contains(words, word) {
		r.fail(n, "%s %q: want %s", what, word, strings.Join(words, " or "))
	}
	return word
}

// flag reads true or false.
func (r *reader) flag(n ast.Node, what string) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.fail(n, "%s: want true or false", what)
		return false
	}
	return b.Value
}

// policy returns which addresses the hook may have.
func (t *Target) policy(dev bool) webhook.Policy {
	p := webhook.Production()
	if dev || t.Private {
		p = webhook.Private()
	}
	p.MaxAnswer, p.AnswerMemory, p.PerApplication = maxAnswer, 64<<20, p.All
	return p
}

// shownURL returns the URL for operators and the log: without its query, which may have a secret.
func (t *Target) shownURL() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
