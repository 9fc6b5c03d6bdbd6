package conformance

import (
	"slices"

	"github.com/bellhop/bellhop/client"
)

const secContexts = "Integration types and interaction context types"

// contextChecks returns the checks of contexts, integration types and entry point commands.
func contextChecks() []Check {
	set := func(id string, line int, rule, member string, values ...int) Check {
		return on(id, secContexts, line, rule, Writes, func(p *probe) { p.wantSet(member, values) })
	}
	return []Check{
		set("CTX-01", 116, "The contexts of a global command are returned, in any order.", "contexts", 1, 0),
		on("CTX-02", secContexts, 35, "The contexts of a global command can be null.", Writes, func(p *probe) {
			p.wantMembers("the command", p.create(p.global, obj{"contexts": nil}), obj{"contexts": nil})
		}),
		on("CTX-03", secContexts, 116, "The largest context is 2; larger numbers are rejected.", Writes, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.global), obj{"contexts": []any{3}}, "there is no context 3")
		}),
		set("CTX-04", 115, "The integration_types of a global command are returned, in any order.", "integration_types", 0),
		on("CTX-05", secContexts, 117, "A command can use only integration types that the app supports.", Writes, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.global), obj{"integration_types": []any{9}}, "no app supports integration type 9")
		}),
		on("CTX-06", "Application commands, guild", 224, "A guild cannot have an entry point command.", Writes|Guild, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.guild), obj{"type": 4, "handler": 2}, "entry point commands are global")
		}),
		on("CTX-07", secObject, 37, "An app without Activities cannot have an entry point command.", Writes|NoActivities, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.global), obj{"type": 4, "handler": 2}, "the app has no Activities")
		}),
		on("CTX-09", secContexts, 117, "A guild command can name only integration types that the app supports.", Writes|Guild, func(p *probe) {
			p.postInvalid(client.CommandsPath(p.guild), obj{"integration_types": []any{unsupportedType(p)}}, "the app does not support the integration type")
		}),
		on("CTX-08", "Application commands, guild", 222, "A bulk overwrite in a guild accepts items with integration_types and contexts.", Writes|Guild, func(p *probe) {
			p.bulk(p.guild, p.define(obj{"integration_types": []any{0}, "contexts": []any{0, 1, 2}}))
		}),
	}
}

// wantSet creates a global command with a list of values. It ends the check unless the response has the same values, in
// any order.
func (p *probe) wantSet(member string, values []int) {
	got := p.create(p.global, obj{member: values})[member]
	list, _ := got.([]any)
	for _, n := range values {
		if len(list) != len(values) || !slices.ContainsFunc(list, func(v any) bool { return same(v, n) }) {
			p.fail("%s is %s, want the values of %s", member, encode(got), encode(values))
		}
	}
}

// unsupportedType returns an integration type that the app does not support: 0 or 1, or 9 if the app supports both. New
// global commands have the types of the app.
func unsupportedType(p *probe) int {
	types, _ := p.create(p.global, nil)["integration_types"].([]any)
	for _, t := range []int{0, 1} {
		if !slices.ContainsFunc(types, func(v any) bool { return same(v, t) }) {
			return t
		}
	}
	return 9
}
