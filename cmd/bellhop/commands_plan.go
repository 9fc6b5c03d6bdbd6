package main

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

// registeredCommand is a command as a service shows it.
type registeredCommand struct {
	command.Command

	raw jsontext.Value
}

// pushPlan is what a push does.
type pushPlan struct {
	changes []command.Change
	// left are commands that are not in the file and stay.
	left []command.Command
	// list is the body of the request: every command that the scope has afterwards.
	list []jsontext.Value
	// used counts the commands of the scope that were created in the day before the plan and still exist.
	used int
}

// planOptions are the options of makePlan.
type planOptions struct {
	env   command.Env
	prune bool // delete commands that are not in the file
	// supportUnknown means that the integration types of the application are not known. A definition without
	// integration_types then keeps those of its command.
	supportUnknown bool
	now            time.Time
}

// makePlan compares a file with the commands of a service. It returns findings if a definition breaks a rule, and an
// error if the scope would hold too many commands.
func makePlan(f *command.File, have []registeredCommand, o planOptions) (*pushPlan, []command.Finding, error) {
	items, findings := f.Items(o.env)
	if len(findings) > 0 {
		return nil, findings, nil
	}
	registered := make([]command.Command, len(have))
	for i, h := range have {
		registered[i] = h.Command
	}
	changes, err := command.Diff(registered, items)
	if err != nil {
		return nil, f.Findings(err), nil
	}
	p := &pushPlan{used: recentlyCreated(registered, o.now)}
	raw := f.Raw()
	for i, c := range changes {
		switch {
		case c.Wanted == nil && (!o.prune || c.Registered.Type == command.PrimaryEntryPoint): // a list cannot delete an entry point
			p.left = append(p.left, *c.Registered)
			continue
		case c.Wanted == nil:
		default:
			if o.supportUnknown && !o.env.Guild && c.Registered != nil {
				keepIntegrationTypes(&c, raw[i])
			}
			p.list = append(p.list, withID(raw[i], c.Registered))
		}
		p.changes = append(p.changes, c)
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
func (p *pushPlan) addLeft(have []registeredCommand) {
	for _, c := range p.left {
		i := slices.IndexFunc(have, func(h registeredCommand) bool { return h.ID == c.ID })
		p.list = append(p.list, asDefinition(have[i].raw))
	}
}

func (p *pushPlan) checkCounts() error {
	var types []command.Type
	for _, c := range p.changes {
		if c.Wanted != nil {
			types = append(types, c.Wanted.Type)
		}
	}
	for _, c := range p.left {
		types = append(types, c.Type)
	}
	return registry.CheckCounts(types...)
}

// planCounts is how many commands a plan creates, changes, deletes and keeps.
type planCounts struct{ created, changed, deleted, kept int }

func (p *pushPlan) counts() planCounts {
	var n planCounts
	for _, c := range p.changes {
		switch {
		case c.Registered == nil:
			n.created++
		case c.Wanted == nil:
			n.deleted++
		case c.Kept():
			n.kept++
		default:
			n.changed++
		}
	}
	return n
}

// empty reports whether the plan changes nothing.
func (p *pushPlan) empty() bool { return p.counts().kept == len(p.changes) }

// losers returns the commands that lose their permissions, because they are renamed or deleted.
func (p *pushPlan) losers() []snowflake.Command {
	var ids []snowflake.Command
	for _, c := range p.changes {
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
