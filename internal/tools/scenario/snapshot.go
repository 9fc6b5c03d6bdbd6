package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/diff"
)

// snapshotStep is an answer in a snapshot, with what differs between runs masked.
type snapshotStep struct{ value jsonbody.Value }

// shownKeys are the members of a message and a form that a snapshot has, in order.
var shownKeys = []string{"content", "flags", "title", "custom_id", "embeds", "components", "attachments", "poll", "choices"}

// newSnapshotStep returns the answer of a step, or nothing if the step has none.
func newSnapshotStep(m *mask, s *Step, got answer) []snapshotStep {
	if !s.interacts() || got.refused != nil {
		return nil
	}
	members := []jsonbody.Member{
		{Name: "step", Value: jsonbody.StringOf(s.describe())},
		{Name: "outcome", Value: got.body.Get("outcome")},
	}
	if kind := got.body.Get("response").Get("type"); kind.IsSet() {
		members = append(members, jsonbody.Member{Name: "type", Value: kind})
	}
	for _, key := range shownKeys {
		if v := got.subject.Get(key); v.IsSet() && !isEmpty(v) {
			members = append(members, jsonbody.Member{Name: key, Value: m.value(v)})
		}
	}
	return []snapshotStep{{jsonbody.ObjectOf(members...)}}
}

func isEmpty(v jsonbody.Value) bool {
	return v.Kind() == jsonbody.List && len(v.Items()) == 0 || v.Kind() == jsonbody.String && v.Text() == "" ||
		v.Kind() == jsonbody.Number && v.Text() == "0"
}

// mask replaces what differs between runs.
type mask struct{ known map[string]bool }

// newMask returns a mask that keeps the ids of the world.
func newMask(s *service) *mask {
	m := &mask{known: map[string]bool{}}
	for _, id := range worldVariables(s.world) {
		m.known[id] = true
	}
	return m
}

var (
	idPattern   = regexp.MustCompile(`\d{16,20}`)
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	stampTime   = regexp.MustCompile(`<t:\d+(:[a-zA-Z])?>`)
	urlPattern  = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	signedPart  = regexp.MustCompile(`\?ex=[^\s"]*`)
)

// value returns a value with ids, times, ports and signatures masked. The ids of the world stay.
func (m *mask) value(v jsonbody.Value) jsonbody.Value {
	masked, err := mapTexts(v, func(text string) (string, error) {
		text = timePattern.ReplaceAllString(text, "TIME")
		text = stampTime.ReplaceAllString(text, "<t:TIME>")
		text = urlPattern.ReplaceAllString(text, "http://HOST")
		text = signedPart.ReplaceAllString(text, "?SIGNED")
		return idPattern.ReplaceAllStringFunc(text, func(id string) string {
			if m.known[id] {
				return id
			}
			return "ID"
		}), nil
	})
	if err != nil {
		return v // cannot happen: the function returns no error
	}
	return masked
}

// snapshots are the answers of the scenarios of a file, as the snapshot file has them.
type snapshots struct {
	path  string
	there bool
	texts map[string]string // by scenario
}

// snapshotPath returns the name of the snapshot file of a scenario file.
func snapshotPath(f *File) string {
	return strings.TrimSuffix(strings.TrimSuffix(f.path, ".yaml"), ".yml") + ".snap.yaml"
}

func readSnapshots(f *File) (*snapshots, error) {
	s := &snapshots{path: snapshotPath(f), texts: map[string]string{}}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := world.ParseFile(s.path, data)
	if err != nil {
		return nil, err
	}
	s.there = true
	for _, m := range v.Members() {
		if s.texts[m.Name], err = yamlText(m.Value); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// yamlText returns a value as YAML.
func yamlText(v jsonbody.Value) (string, error) {
	text, err := yaml.JSONToYAML(wire.AppendValue(nil, v))
	return string(text), err
}

// snapshotText returns the answers of a scenario as YAML.
func snapshotText(answers []snapshotStep) (string, error) {
	list := make([]jsonbody.Value, len(answers))
	for i, a := range answers {
		list[i] = a.value
	}
	return yamlText(jsonbody.ListOf(list...))
}

// compare returns a failure if the answers differ from the snapshot. A file without snapshots compares nothing.
func (s *snapshots) compare(scenario *Scenario, answers []snapshotStep) *Failure {
	if !s.there {
		return nil
	}
	got, err := snapshotText(answers)
	if err != nil {
		return &Failure{Position: scenario.position, Error: err.Error()}
	}
	want, known := s.texts[scenario.Name]
	switch {
	case !known:
		return &Failure{Position: scenario.position, Error: "the snapshot file does not have the scenario: run bellhop test --update"}
	case want != got:
		text := diff.Diff("snapshot", []byte(want), "answers", []byte(got))
		return &Failure{Position: scenario.position, Step: "snapshot", Diff: withoutHeader(string(text))}
	}
	return nil
}

// withoutHeader removes the command line of a diff.
func withoutHeader(text string) string {
	if strings.HasPrefix(text, "diff ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// updateSnapshots writes the snapshots of files. Scenarios that were not run keep theirs; scenarios that are gone lose
// them; a scenario that failed keeps its old one.
func (r *Runner) updateSnapshots(files []*File, snaps map[*File]*snapshots, results []Result) error {
	for _, f := range files {
		s := snaps[f]
		for i := range results {
			if result := &results[i]; result.File == f.name && result.Failure == nil {
				text, err := snapshotText(result.answers)
				if err != nil {
					return err
				}
				s.texts[result.Scenario] = text
			}
		}
		if err := s.write(f); err != nil {
			return err
		}
	}
	return nil
}

// write writes the snapshots in the order of the scenarios.
func (s *snapshots) write(f *File) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Answers of the scenarios. Written by: bellhop test --update\n")
	for i := range f.Scenarios {
		text, ok := s.texts[f.Scenarios[i].Name]
		if !ok {
			continue
		}
		name, err := yaml.Marshal(f.Scenarios[i].Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s:", strings.TrimSuffix(string(name), "\n"))
		if strings.TrimSpace(text) == "[]" {
			b.WriteString(" []\n")
			continue
		}
		b.WriteString("\n")
		for line := range slices.Values(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")) {
			b.WriteString("  " + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return os.WriteFile(s.path, b.Bytes(), 0o644) //nolint:gosec // it is kept in git beside the scenarios
}
