// Package parity says which parts of Discord's API the service has: the operations of its HTTP API, and the events and intents of
// its gateway. The lists are kept by hand, and tests compare them with the routes and events of the code.
package parity

import (
	_ "embed" // for the lists
	"iter"
	"slices"
	"strings"
	"sync"
)

// State says how much of an entry the service has.
type State string

// The states.
const (
	Served State = "served" // as documented
	Part   State = "part"   // the note says what is missing
	Absent State = "absent" // the note says why
)

// Operation is an operation of Discord's HTTP API.
type Operation struct {
	State  State  `json:"state"`
	Method string `json:"method"`
	Path   string `json:"path"` // without the base, with names in braces
	Name   string `json:"name"` // operation id
	Note   string `json:"note,omitzero"`
}

// Entry is an event or an intent of Discord's gateway.
type Entry struct {
	State State  `json:"state"`
	Name  string `json:"name"`
	Note  string `json:"note,omitzero"`
}

// List has all that Discord has, each with its state.
type List struct {
	Operations []Operation `json:"operations"`
	Events     []Entry     `json:"events"`
	Intents    []Entry     `json:"intents"`
}

var (
	//go:embed operations.txt
	operations string
	//go:embed events.txt
	events string
	//go:embed intents.txt
	intents string
)

// All returns the whole list. Callers do not change it.
var All = sync.OnceValue(func() List {
	var l List
	for line := range entries(operations) {
		state, words, note := parse(line)
		l.Operations = append(l.Operations, Operation{State: state, Method: words[0], Path: words[1], Name: words[2], Note: note})
	}
	sent := map[string]bool{}
	for line := range entries(events) {
		state, words, note := parse(line)
		l.Events = append(l.Events, Entry{State: state, Name: words[0], Note: note})
		sent[words[0]] = state != Absent
	}
	for line := range entries(intents) {
		words := strings.Fields(line)
		l.Intents = append(l.Intents, intent(words[0], words[1:], sent))
	}
	return l
})

// entries returns the lines of a list without its comments.
func entries(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && !yield(strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// parse splits the line "STATE WORDS[: NOTE]".
func parse(line string) (state State, words []string, note string) {
	entry, note, _ := strings.Cut(line, ": ")
	words = strings.Fields(entry)
	return State(words[0]), words[1:], note
}

// intent returns the entry of an intent. Its state follows from the events that are sent.
func intent(name string, events []string, sent map[string]bool) Entry {
	missing := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return sent[e] })
	switch {
	case len(missing) == 0:
		return Entry{State: Served, Name: name}
	case len(missing) == len(events):
		return Entry{State: Absent, Name: name, Note: "none of its events is sent"}
	default:
		return Entry{State: Part, Name: name, Note: "without " + strings.Join(missing, ", ")}
	}
}

// Count returns the number of operations in each state.
func (l List) Count() map[State]int {
	n := map[State]int{}
	for _, o := range l.Operations {
		n[o.State]++
	}
	return n
}

// Find returns the operation that a request calls. path is without the base of the API. If several operations match, the one whose
// path has a name where another has a word is not meant: /users/@me is the path of the caller, not of a user.
func (l List) Find(method, path string) (Operation, bool) {
	var found Operation
	for _, o := range l.Operations {
		if o.Method == method && matches(o.Path, path) && (found.Path == "" || strings.Count(o.Path, "{") < strings.Count(found.Path, "{")) {
			found = o
		}
	}
	return found, found.Path != ""
}

// matches reports whether a path has the form of a pattern. A name in braces stands for one segment that is not empty.
func matches(pattern, path string) bool {
	for {
		want, restPattern, more := strings.Cut(pattern, "/")
		have, restPath, left := strings.Cut(path, "/")
		if strings.HasPrefix(want, "{") && have == "" || !strings.HasPrefix(want, "{") && want != have || more != left {
			return false
		}
		if !more {
			return true
		}
		pattern, path = restPattern, restPath
	}
}
