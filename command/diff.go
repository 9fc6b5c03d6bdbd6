package command

import (
	"bytes"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Change is the creation, the update or the deletion of one command. Without Registered the command is created, without
// Wanted it is deleted. Otherwise Wanted replaces the definition of Registered; see [Change.Kept].
type Change struct {
	Registered *Command
	Wanted     *Item
	// Doc is the document of Wanted.
	Doc []byte
}

// Kept reports whether the command stays exactly as it is.
func (c Change) Kept() bool {
	return c.Registered != nil && c.Wanted != nil && bytes.Equal(c.Registered.Doc, c.Doc)
}

// Renamed reports whether a registered command gets another name. A renamed command loses its permissions in every
// guild.
func (c Change) Renamed() bool {
	return c.Registered != nil && c.Wanted != nil && c.Registered.Name != c.Wanted.Name
}

// Differences returns how the wanted definition differs from the registered one, in the order of the wire members. It
// returns nil for a command that is created or deleted.
func (c Change) Differences() []Difference {
	if c.Registered == nil || c.Wanted == nil {
		return nil
	}
	return differences(c.Registered.Doc, c.Doc)
}

// Diff returns what it takes to replace the registered commands of a scope by the wanted ones: one change for each
// wanted item, in their order, and then one for each command that is deleted.
//
// An item replaces the command whose id it names. Without an id, or with one that is not registered, it replaces the
// command of its type and name; an entry point replaces the registered entry point, whatever its name. If several
// items name the same id, the first one gets it. Diff returns an error if an item names the id of a command of
// another type.
func Diff(registered []Command, wanted []Item) ([]Change, error) {
	m := matcher{registered: registered, matched: make([]bool, len(registered))}
	old := make([]int, len(wanted))
	var t jsonbody.Tree
	for i := range wanted { // all ids before any name: a name may belong to a command that gets renamed
		if old[i] = none; wanted[i].ID != 0 {
			old[i] = m.byID(t.Index(i), &wanted[i], i)
		}
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	changes := make([]Change, len(wanted), len(wanted)+len(registered))
	var p printer
	for i := range wanted {
		if old[i] == none {
			old[i] = m.byName(&wanted[i], i)
		}
		changes[i] = Change{Wanted: &wanted[i], Doc: p.doc(&wanted[i].Definition)}
		if old[i] != none {
			changes[i].Registered = &registered[old[i]]
		}
	}
	for i := range registered {
		if !m.matched[i] {
			changes = append(changes, Change{Registered: &registered[i]})
		}
	}
	return changes, nil
}

// matcher finds registered commands. It returns each command at most once. It tries the position of the item first,
// because most lists keep their order.
type matcher struct {
	registered []Command
	matched    []bool
	// Both indexes are built on first use.
	ids   map[snowflake.Command]int
	names map[typedName]int
}

// typedName identifies a command within its scope.
type typedName struct {
	Type
	name string
}

// none is the index of no command.
const none = -1

// nameOf returns the identity of a command within its scope. A scope has one entry point, whatever its name.
func nameOf(t Type, name string) typedName {
	if t == PrimaryEntryPoint {
		return typedName{Type: t}
	}
	return typedName{t, name}
}

// byID returns the index of the command with the item's id, or none.
func (m *matcher) byID(t *jsonbody.Tree, item *Item, position int) int {
	i := position
	if i >= len(m.registered) || m.registered[i].ID != item.ID {
		if m.ids == nil {
			m.index()
		}
		var ok bool
		if i, ok = m.ids[item.ID]; !ok {
			return none
		}
	}
	switch {
	case m.matched[i]:
		return none
	case m.registered[i].Type != item.Type:
		t.At("type").Add(typeImmutable, "Application command types are immutable")
		return none
	}
	m.matched[i] = true
	return i
}

// byName returns the index of the command with the item's type and name, or none.
func (m *matcher) byName(item *Item, position int) int {
	wanted := nameOf(item.Type, item.Name)
	i := position
	if i >= len(m.registered) || nameOf(m.registered[i].Type, m.registered[i].Name) != wanted {
		if m.names == nil {
			m.index()
		}
		var ok bool
		if i, ok = m.names[wanted]; !ok {
			return none
		}
	}
	if m.matched[i] {
		return none
	}
	m.matched[i] = true
	return i
}

func (m *matcher) index() {
	m.ids = make(map[snowflake.Command]int, len(m.registered))
	m.names = make(map[typedName]int, len(m.registered))
	for i := range m.registered {
		m.ids[m.registered[i].ID] = i
		m.names[nameOf(m.registered[i].Type, m.registered[i].Name)] = i
	}
}
