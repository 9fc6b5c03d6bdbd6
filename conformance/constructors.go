package conformance

import (
	"maps"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/client"
)

// refuses returns a check that the service rejects a definition in every scope.
func refuses(id, section string, line int, rule string, d obj) Check {
	return refusesBy(id, section, line, rule, func(*probe) obj { return d })
}

// refusesBy is like refuses, with a definition that depends on the run.
func refusesBy(id, section string, line int, rule string, d func(*probe) obj) Check {
	return Check{ID: id, Section: section, Line: line, Rule: rule, Needs: Writes, run: func(p *probe) {
		for _, s := range p.scopes() {
			p.postInvalid(client.CommandsPath(s), d(p), rule)
		}
	}}
}

// postInvalid posts an invalid definition and ends the check unless the service rejects it. If the service accepts it, the
// cleanup of the run deletes the command.
func (p *probe) postInvalid(path string, d obj, why string) {
	p.wantRejected(p.send(http.MethodPost, path, p.define(d)), why)
}

// accepts returns a check that the service accepts a definition in every scope and returns it unchanged: in the response to
// POST, when read by its id, and in the list.
func accepts(id, section string, line int, rule string, d obj) Check {
	return acceptsBy(id, section, line, rule, func(*probe) obj { return d })
}

// acceptsBy is like accepts, with a definition that depends on the run.
func acceptsBy(id, section string, line int, rule string, d func(*probe) obj) Check {
	return Check{ID: id, Section: section, Line: line, Rule: rule, Needs: Writes, run: func(p *probe) {
		for _, s := range p.scopes() {
			want := p.define(d(p))
			made := p.create(s, want)
			p.wantMembers("the response to POST", made, want)
			p.wantMembers("the command by its id", p.readCommand(s, made["id"]), want)
			found := listed(p.commands(s), want["name"], kindOf(want))
			if found == nil {
				p.fail("GET %s does not list %q", client.CommandsPath(s), want["name"])
			}
			p.wantMembers("the command in the list", found, want)
		}
	}}
}

func kindOf(d obj) int {
	if t, ok := d["type"].(int); ok {
		return t
	}
	return 1
}

// on returns a check that runs a function.
func on(id, section string, line int, rule string, needs Needs, run func(*probe)) Check {
	return Check{ID: id, Section: section, Line: line, Rule: rule, Needs: needs, run: run}
}

// option returns an option with a type, a name and a description. The members of more are added or replace these.
func option(kind int, name string, more ...obj) obj {
	o := obj{"type": kind, "name": name, "description": "An option"}
	for _, m := range more {
		maps.Copy(o, m)
	}
	maps.DeleteFunc(o, isAbsent)
	return o
}

// with returns a definition with the given options.
func with(options ...any) obj { return obj{"options": options} }

// many returns n values.
func many(n int, value func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = value(i)
	}
	return list
}

func repeat(n int) string { return strings.Repeat("x", n) }
