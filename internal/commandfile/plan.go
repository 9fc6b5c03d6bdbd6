package commandfile

import (
	"bytes"
	"slices"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Registered is a command as a service has it.
type Registered struct {
	command.Command
	Raw jsontext.Value // as the service shows it
}

// Change is what becomes of one command.
type Change struct {
	Action  Action
	Type    command.Type
	Name    string            // afterwards; of deletes before
	Before  string            // the name before, when it changes
	ID      snowflake.Command // 0 of creates
	Details []Detail          // of changes
}

// Action is what happens to a command.
type Action uint8

// The actions, in the order in which a plan shows them.
const (
	Create Action = iota
	Alter
	Delete
	Keep
)

// Plan is what it takes to make a service have the commands of a file.
type Plan struct {
	Changes []Change
	// Left are commands that the file does not have and that stay all the same.
	Left []Change
	// List is what has to be sent: every command there is afterwards.
	List []jsontext.Value
	// Losers are the commands whose permissions are lost, since they are renamed or deleted.
	Losers []snowflake.Command
	// Used is how many commands of the scope were created in the day before the plan, as far as they still exist.
	Used int
}

// Count returns how many changes of a kind there are.
func (p *Plan) Count(a Action) int {
	n := 0
	for _, c := range p.Changes {
		if c.Action == a {
			n++
		}
	}
	return n
}

// Empty reports whether there is nothing to do.
func (p *Plan) Empty() bool { return p.Count(Keep) == len(p.Changes) }

// Order is how a plan is to be made.
type Order struct {
	Env   command.Env
	Prune bool // commands that the file does not have are deleted
	// Unsure says that how the application can be installed is not known: a definition that does not say it either is taken
	// to leave it as it is.
	Unsure bool
	Now    time.Time
}

// Plan compares the file with the commands that a service has.
func (f *File) Plan(have []Registered, o Order) (*Plan, []Fault, error) {
	entries, faults := f.Entries(o.Env)
	if len(faults) > 0 {
		return nil, faults, nil
	}
	current := make([]command.Command, len(have))
	for i, h := range have {
		current[i] = h.Command
	}
	match, stay, err := matched(current, entries, o)
	if err != nil {
		return nil, f.faults(err), nil // an id of a command of another type
	}
	p := &Plan{Used: used(current, o.Now)}
	for i, s := range match.Steps {
		p.add(s, entries[i].Raw)
	}
	p.drop(match.Deleted)
	p.leave(stay, have)
	if err := p.checkCounts(); err != nil {
		return nil, nil, err
	}
	return p, nil, nil
}

// matched finds for each entry the command that it is about, and returns those that stay beside them. An entry point stays
// always: a list cannot remove it.
func matched(current []command.Command, entries []Entry, o Order) (p command.Plan, stay []command.Command, err error) {
	items := make([]command.Item, len(entries))
	for i, e := range entries {
		items[i] = e.Item
	}
	others := func(c command.Command) bool { return c.Type != command.PrimaryEntryPoint }
	if !slices.ContainsFunc(items, func(i command.Item) bool { return i.Type == command.PrimaryEntryPoint }) {
		stay = slices.DeleteFunc(slices.Clone(current), others)
		current = slices.DeleteFunc(slices.Clone(current), func(c command.Command) bool { return !others(c) })
	}
	if p, err = command.NewPlan(current, items); err != nil {
		return p, nil, err
	}
	if o.Unsure && !o.Env.Guild {
		for i := range p.Steps {
			inherit(&p.Steps[i], entries[i])
		}
	}
	if !o.Prune {
		stay = append(stay, p.Deleted...)
		p.Deleted = nil
	}
	return p, stay, nil
}

// inherit lets a step that does not say how its command can be installed leave that as it is.
func inherit(s *command.Step, e Entry) {
	var named struct {
		Types jsontext.Value `json:"integration_types"`
	}
	if s.Action == command.Create || json.Unmarshal(e.Raw, &named, jsontext.AllowDuplicateNames(true)) != nil || len(named.Types) > 0 {
		return
	}
	old, err := command.ParseDoc(s.Old.Doc)
	if err != nil {
		return
	}
	s.Item.IntegrationTypes = old.IntegrationTypes
	s.Doc = s.Item.Doc()
	s.Action = command.Change
	if bytes.Equal(s.Doc, s.Old.Doc) {
		s.Action = command.Keep
	}
}

func (p *Plan) add(s command.Step, raw jsontext.Value) {
	c := Change{Action: Create, Type: s.Item.Type, Name: s.Item.Name, ID: s.Old.ID}
	switch s.Action {
	case command.Create:
	case command.Keep:
		c.Action = Keep
	case command.Change:
		c.Action = Alter
		c.Details = details(s.Old.Doc, s.Doc)
		if s.Renamed {
			c.Before = s.Old.Name
			p.Losers = append(p.Losers, s.Old.ID)
		}
	}
	p.Changes = append(p.Changes, c)
	p.List = append(p.List, withID(raw, s.Old.ID))
}

// drop notes the commands that go.
func (p *Plan) drop(commands []command.Command) {
	for _, c := range commands {
		p.Changes = append(p.Changes, Change{Action: Delete, Type: c.Type, Name: c.Name, ID: c.ID})
		p.Losers = append(p.Losers, c.ID)
	}
}

// leave notes the commands that the file does not have and that stay.
func (p *Plan) leave(commands []command.Command, have []Registered) {
	for _, c := range commands {
		p.Left = append(p.Left, Change{Action: Keep, Type: c.Type, Name: c.Name, ID: c.ID})
		i := slices.IndexFunc(have, func(h Registered) bool { return h.ID == c.ID })
		p.List = append(p.List, resend(have[i].Raw))
	}
}

func (p *Plan) checkCounts() error {
	var types []command.Type
	for _, c := range slices.Concat(p.Changes, p.Left) {
		if c.Action != Delete {
			types = append(types, c.Type)
		}
	}
	return command.CheckCounts(types...)
}

// used returns how many commands were made in the day before now.
func used(current []command.Command, now time.Time) int {
	n := 0
	for _, c := range current {
		if c.ID.Time().After(now.Add(-command.CreateWindow)) {
			n++
		}
	}
	return n
}

// withID returns a definition that names the command it is about. Its own id goes: it may be one of another service.
func withID(raw jsontext.Value, id snowflake.Command) jsontext.Value {
	var first []member
	if id != 0 {
		text, _ := jsontext.AppendQuote(nil, id.String())
		first = append(first, member{"id", text})
	}
	return object(append(first, membersOf(raw, "id")...))
}

// resend returns a command as a service showed it in the form that the service takes.
func resend(raw jsontext.Value) jsontext.Value {
	return object(membersOf(raw, "application_id", "guild_id", "version", "name_localized", "description_localized"))
}

// member is a member of an object as it was written.
type member struct {
	name  string
	value jsontext.Value
}

// membersOf returns the members of an object but for some.
func membersOf(raw jsontext.Value, but ...string) []member {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var list []member
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			return list
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return list
		}
		if !slices.Contains(but, key) {
			list = append(list, member{key, value.Clone()})
		}
	}
	return list
}

func object(members []member) jsontext.Value {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, m.name) // it was read from a JSON text
		b = append(append(b, ':'), m.value...)
	}
	return append(b, '}')
}

// valueOf reads a document that is known to be one.
func valueOf(doc []byte) jsonbody.Value {
	v, err := jsonbody.Parse(doc)
	if err != nil {
		return jsonbody.Value{}
	}
	return v
}
