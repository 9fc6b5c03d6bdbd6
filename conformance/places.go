package conformance

import "github.com/bellhop/bellhop/client"

const secPlaces = "Integration types and interaction context types"

// placeChecks are about where commands are offered, and about entry points.
func placeChecks() []Check {
	global := func(id string, line int, rule string, give, want obj) Check {
		return on(id, secPlaces, line, rule, Writes, func(p *probe) { p.shows("the command", p.create(p.global, give), want) })
	}
	return []Check{
		global("CTX-01", 116, "Contexts of a global command come back.", obj{"contexts": []any{0, 1}}, obj{"contexts": []any{0, 1}}),
		global("CTX-02", 35, "Contexts may be null.", obj{"contexts": nil}, obj{"contexts": nil}),
		on("CTX-03", secPlaces, 116, "There is no context beyond 2.", Writes, func(p *probe) {
			p.refuse(client.CommandsPath(p.global), obj{"contexts": []any{3}}, "there is no context 3")
		}),
		global("CTX-04", 115, "integration_types of a global command come back.", obj{"integration_types": []any{0}}, obj{"integration_types": []any{0}}),
		on("CTX-05", secPlaces, 117, "Integration types are those that the app supports.", Writes, func(p *probe) {
			p.refuse(client.CommandsPath(p.global), obj{"integration_types": []any{9}}, "no app supports integration type 9")
		}),
		on("CTX-06", "Application commands, guild", 224, "A guild has no entry point command.", Writes|Guild, func(p *probe) {
			p.refuse(client.CommandsPath(p.guild), obj{"type": 4, "handler": 2}, "entry points are global")
		}),
		on("CTX-07", secObject, 37, "Entry points are for apps with Activities.", Writes|NoActivities, func(p *probe) {
			p.refuse(client.CommandsPath(p.global), obj{"type": 4, "handler": 2}, "the app has no Activities")
		}),
		on("CTX-08", "Application commands, guild", 222, "The list of a guild may name integration types and contexts.", Writes|Guild, func(p *probe) {
			p.bulk(p.guild, p.define(obj{"integration_types": []any{0}, "contexts": []any{0, 1, 2}}))
		}),
	}
}
