package command

import (
	"bytes"
	"errors"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrEntryPointDropped says that a list lacks the entry point that exists. It can be deleted only by itself.
var ErrEntryPointDropped = errors.New("the list would remove the entry point command")

// Action is what happens to one item of a bulk overwrite.
type Action uint8

// The actions.
const (
	Keep   Action = iota // the command exists just so
	Change               // the command exists under the same id
	Create               // there is no such command
)

// Step says what becomes of one item.
type Step struct {
	Action  Action
	Item    *Item
	Doc     []byte  // of the item
	Old     Command // that the item matches; of Keep and Change
	Renamed bool    // of Change: the permission overwrites of the command go with its name
}

// Plan is what it takes to turn the commands of a scope into a list. It assigns no ids.
type Plan struct {
	Steps   []Step    // in the order of the list
	Deleted []Command // those that no item matches
}

// Creates returns how many commands come into being.
func (p Plan) Creates() int {
	n := 0
	for i := range p.Steps {
		if p.Steps[i].Action == Create {
			n++
		}
	}
	return n
}

// List is a bulk overwrite that is ready to be matched: what does not depend on the scope has been done.
type List struct {
	items []Item
	docs  [][]byte // of the items
}

// NewList readies items.
func NewList(items []Item) List {
	docs := make([][]byte, len(items))
	var p printer
	for i := range items {
		docs[i] = p.doc(&items[i].Definition)
	}
	return List{items, docs}
}

// NewPlan is NewList followed by Plan.
func NewPlan(current []Command, items []Item) (Plan, error) { return NewList(items).Plan(current) }

// Plan matches the items with the commands of their scope: by id first, then by type and name; an entry point matches the
// one there is. Ids that the scope does not know are ignored, as is an id that stands a second time. It returns a
// *problem.Tree when an id is that of a command of another type, or ErrEntryPointDropped.
func (l List) Plan(current []Command) (Plan, error) {
	m := newMatcher(current)
	steps := make([]Step, len(l.items))
	old := make([]int, len(l.items))
	var t jsonbody.Tree
	for i := range l.items { // all ids before any name: a name may belong to a command that is renamed
		if old[i] = none; l.items[i].ID != 0 {
			old[i] = m.byID(t.Index(i), &l.items[i], i)
		}
	}
	if err := t.Err(); err != nil {
		return Plan{}, err
	}
	for i := range l.items {
		if old[i] == none {
			old[i] = m.byName(&l.items[i], i)
		}
		steps[i] = Step{Action: Create, Item: &l.items[i], Doc: l.docs[i]}
		if old[i] != none {
			steps[i].replace(&current[old[i]])
		}
	}
	plan := Plan{Steps: steps}
	for i := range current {
		if m.taken[i] {
			continue
		}
		if c := &current[i]; c.Type == PrimaryEntryPoint {
			return Plan{}, ErrEntryPointDropped
		}
		plan.Deleted = append(plan.Deleted, current[i])
	}
	return plan, nil
}

// replace makes the step one that leaves or changes a command.
func (s *Step) replace(old *Command) {
	s.Old = *old
	s.Action = Change
	s.Renamed = old.Name != s.Item.Name
	if bytes.Equal(old.Doc, s.Doc) {
		s.Action = Keep
	}
}

// matcher finds commands of a scope and remembers which ones have been found. It looks at the place where an item stands
// first: most lists are in the order of the list before.
type matcher struct {
	current []Command
	taken   []bool
	// made when they are needed
	ids   map[snowflake.Command]int
	names map[named]int
}

type named struct {
	Type
	name string
}

// none is the index of no command.
const none = -1

func newMatcher(current []Command) *matcher {
	return &matcher{current: current, taken: make([]bool, len(current))}
}

// nameOf returns what tells commands of a scope apart. There is one entry point, whatever its name.
func nameOf(t Type, name string) named {
	if t == PrimaryEntryPoint {
		return named{Type: t}
	}
	return named{t, name}
}

// byID finds the command of an item's id.
func (m *matcher) byID(t *jsonbody.Tree, item *Item, place int) int {
	i := place
	if i >= len(m.current) || m.current[i].ID != item.ID {
		if m.ids == nil {
			m.index()
		}
		var ok bool
		if i, ok = m.ids[item.ID]; !ok {
			return none
		}
	}
	switch {
	case m.taken[i]:
		return none
	case m.current[i].Type != item.Type:
		t.At("type").Add(TypeImmutable, "Application command types are immutable")
		return none
	}
	m.taken[i] = true
	return i
}

// byName finds the command of an item's type and name.
func (m *matcher) byName(item *Item, place int) int {
	wanted := nameOf(item.Type, item.Name)
	i := place
	if i >= len(m.current) || nameOf(m.current[i].Type, m.current[i].Name) != wanted {
		if m.names == nil {
			m.index()
		}
		var ok bool
		if i, ok = m.names[wanted]; !ok {
			return none
		}
	}
	if m.taken[i] {
		return none
	}
	m.taken[i] = true
	return i
}

func (m *matcher) index() {
	m.ids = make(map[snowflake.Command]int, len(m.current))
	m.names = make(map[named]int, len(m.current))
	for i := range m.current {
		m.ids[m.current[i].ID] = i
		m.names[nameOf(m.current[i].Type, m.current[i].Name)] = i
	}
}
