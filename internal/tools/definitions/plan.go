// Package definitions compares a file of command definitions with the commands that a service has, plans the request that
// makes them equal, and writes the commands of a service to a file.
package definitions

import (
	"bytes"
	"slices"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Registered is a command as a service shows it.
type Registered struct {
	command.Command

	Raw jsontext.Value // as the service shows it
}

// Plan lists the changes that a push makes.
type Plan struct {
	Changes []command.Change
	// Left are commands that are not in the file and stay.
	Left []command.Command
	// List is the body of the request: every command that the scope has afterwards.
	List []jsontext.Value
	// used counts the commands of the scope that were created in the day before the plan and still exist.
	used int
}

// Options are the options of Compare.
type Options struct {
	Env   command.Env
	Prune bool // delete commands that are not in the file
	// SupportUnknown means that the integration types of the application are not known. A definition without
	// integration_types then keeps those of its command.
	SupportUnknown bool
	Now            time.Time
}

// Compare compares a file with the commands of a service. It returns findings if a definition breaks a rule, and an
// error if the scope would hold too many commands.
func Compare(f *command.File, have []Registered, o Options) (*Plan, []command.Finding, error) {
	items, findings := f.Items(o.Env)
	if len(findings) > 0 {
		return nil, findings, nil
	}
	for i := range items {
		items[i].Definition = effective(items[i].Definition)
	}
	registered := make([]command.Command, len(have))
	for i, h := range have {
		registered[i] = h.Command
	}
	changes, err := command.Diff(registered, items)
	if err != nil {
		return nil, f.Findings(err), nil
	}
	p := &Plan{used: recentlyCreated(registered, o.Now)}
	raw := f.Raw()
	for i, c := range changes {
		switch {
		case c.Wanted == nil && (!o.Prune || c.Registered.Type == command.PrimaryEntryPoint): // a list cannot delete an entry point
			p.Left = append(p.Left, *c.Registered)
			continue
		case c.Wanted == nil:
		default:
			if o.SupportUnknown && !o.Env.Guild && c.Registered != nil {
				keepIntegrationTypes(&c, raw[i])
			}
			p.List = append(p.List, withID(raw[i], c.Registered))
		}
		p.Changes = append(p.Changes, c)
	}
	p.addLeft(have)
	return p, nil, p.checkCounts()
}

// keepIntegrationTypes gives a definition without integration_types those of its command.
func keepIntegrationTypes(c *command.Change, raw []byte) {
	var given struct {
		Types jsontext.Value `json:"integration_types"`
	}
	if json.Unmarshal(raw, &given, jsontext.AllowDuplicateNames(true)) != nil || len(given.Types) > 0 {
		return
	}
	old, err := c.Registered.Definition()
	if err != nil {
		return
	}
	c.Wanted.IntegrationTypes = old.IntegrationTypes
	c.Doc = c.Wanted.Doc()
}

// addLeft adds the commands that stay to the list.
func (p *Plan) addLeft(have []Registered) {
	for _, c := range p.Left {
		i := slices.IndexFunc(have, func(h Registered) bool { return h.ID == c.ID })
		p.List = append(p.List, asDefinition(have[i].Raw))
	}
}

func (p *Plan) checkCounts() error {
	var types []command.Type
	for _, c := range p.Changes {
		if c.Wanted != nil {
			types = append(types, c.Wanted.Type)
		}
	}
	for _, c := range p.Left {
		types = append(types, c.Type)
	}
	return registry.CheckCounts(types...)
}

// Counts has the numbers of commands that a plan creates, changes, deletes and keeps.
type Counts struct{ Created, Changed, Deleted, Kept int }

// Counts returns the counts of the plan.
func (p *Plan) Counts() Counts {
	var n Counts
	for _, c := range p.Changes {
		switch {
		case c.Registered == nil:
			n.Created++
		case c.Wanted == nil:
			n.Deleted++
		case c.Kept():
			n.Kept++
		default:
			n.Changed++
		}
	}
	return n
}

// Empty reports whether the plan changes nothing.
func (p *Plan) Empty() bool { return p.Counts().Kept == len(p.Changes) }

// Losers returns the commands that lose their permissions, because they are renamed or deleted.
func (p *Plan) Losers() []snowflake.Command {
	var ids []snowflake.Command
	for _, c := range p.Changes {
		if c.Registered != nil && (c.Wanted == nil || c.Renamed()) {
			ids = append(ids, c.Registered.ID)
		}
	}
	return ids
}

// recentlyCreated counts the commands that were created in the day before now. The time is part of their ids.
func recentlyCreated(commands []command.Command, now time.Time) int {
	n := 0
	for _, c := range commands {
		if c.ID.Time().After(now.Add(-registry.CreateWindow)) {
			n++
		}
	}
	return n
}

// withID returns a definition with the id of the command that it replaces. The id in the file is dropped, because it
// may belong to another service.
func withID(raw jsontext.Value, replaced *command.Command) jsontext.Value {
	var first []rawMember
	if replaced != nil {
		id, _ := jsontext.AppendQuote(nil, replaced.ID.String()) // digits are valid UTF-8
		first = append(first, rawMember{"id", id})
	}
	return rawObject(append(first, membersExcept(raw, "id")...))
}

// asDefinition returns a command as a service showed it without the members that a definition cannot have.
func asDefinition(raw jsontext.Value) jsontext.Value {
	return rawObject(membersExcept(raw, "application_id", "guild_id", "version", "name_localized", "description_localized"))
}

// rawMember is a member of a JSON object with its value as written.
type rawMember struct {
	name  string
	value jsontext.Value
}

// membersExcept returns the members of an object without the named ones.
func membersExcept(raw jsontext.Value, names ...string) []rawMember {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil
	}
	var list []rawMember
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
		if !slices.Contains(names, key) {
			list = append(list, rawMember{key, value.Clone()})
		}
	}
	return list
}

func rawObject(members []rawMember) jsontext.Value {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, m.name) // a name that was parsed is valid UTF-8
		b = append(append(b, ':'), m.value...)
	}
	return append(b, '}')
}
