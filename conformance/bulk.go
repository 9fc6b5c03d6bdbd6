package conformance

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

// others returns the commands of a scope that are not the run's, in the form in which they are sent again: a bulk overwrite
// has to name them, or they are lost.
func (p *probe) others(s command.Scope) []any {
	var items []any
	for _, c := range p.commands(s) {
		if name, _ := c["name"].(string); strings.HasPrefix(name, p.Prefix) {
			continue
		}
		for _, member := range []string{"application_id", "guild_id", "version", "name_localized", "description_localized"} {
			delete(c, member)
		}
		items = append(items, c)
	}
	return items
}

// bulk replaces the commands of the run in a scope.
func (p *probe) bulk(s command.Scope, ours ...any) []obj {
	items := append(ours, p.others(s)...)
	if items == nil {
		items = []any{}
	}
	r := p.want(p.ask(http.MethodPut, client.CommandsPath(s), items), "the list is valid", http.StatusOK)
	return p.objects(r)
}

// crowded returns a check that a list with too many commands of a type is refused, and changes nothing.
func crowded(id, section string, line int, rule string, kind, most int) Check {
	return everywhere(id, section, line, rule, func(p *probe, s command.Scope) {
		items := many(most+1, func(i int) any { return p.define(obj{"type": kind, "name": p.name(fmt.Sprint("n", i))}) })
		p.refused(p.ask(http.MethodPut, client.CommandsPath(s), append(items, p.others(s)...)), rule)
		if listed(p.commands(s), p.name("n0"), kind) != nil {
			p.fail("a bulk overwrite that was refused created commands")
		}
	})
}

// bulkChecks are about replacing all commands of a scope at once.
func bulkChecks() []Check {
	return []Check{
		everywhere("BLK-01", secStates, 186, "PUT leaves the commands of its list, and no others.", func(p *probe, s command.Scope) {
			p.create(s, obj{"name": p.name("old")})
			list := p.bulk(s, p.define(nil), p.define(obj{"type": 2}))
			if listed(list, p.name("probe"), 1) == nil || listed(list, p.name("Probe"), 2) == nil {
				p.fail("the answer to PUT lacks what was sent: %s", short(encode(list)))
			}
			now := p.commands(s)
			if listed(now, p.name("old"), 1) != nil {
				p.fail("a command that the list of PUT lacks is still there")
			}
			if len(now) != len(list) {
				p.fail("PUT is answered with %d commands, and %d are there", len(list), len(now))
			}
		}),
		everywhere("BLK-02", secStates, 186, "PUT keeps the id of a command that exists.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			if got := listed(p.bulk(s, p.define(obj{"description": "Bulk"})), made["name"], 1); got == nil || got["id"] != made["id"] {
				p.fail("PUT made %s of the command %v", short(encode(got)), made["id"])
			}
		}),
		on("BLK-03", "Application commands, guild", 222, "An item of PUT with the id of a command renames it.", Writes|Guild, func(p *probe) {
			made := p.create(p.guild, nil)
			got := listed(p.bulk(p.guild, p.define(obj{"id": made["id"], "name": p.name("renamed")})), p.name("renamed"), 1)
			if got == nil || got["id"] != made["id"] {
				p.fail("PUT with the id %v and a new name made %s", made["id"], short(encode(got)))
			}
		}),
		everywhere("BLK-04", secGlobal, 209, "PUT takes all of its list or nothing.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"description": "Before"})
			items := []any{p.define(obj{"description": "After"}), p.define(obj{"name": p.name("Wrong")})}
			p.refused(p.ask(http.MethodPut, client.CommandsPath(s), append(items, p.others(s)...)), "the second name is not lowercase")
			p.shows("the command after a list with a fault", p.readCommand(s, made["id"]), obj{"description": "Before"})
		}),
		everywhere("BLK-05", secGlobal, 209, "PUT wants a list of definitions.", func(p *probe, s command.Scope) {
			p.refused(p.ask(http.MethodPut, client.CommandsPath(s), obj{"commands": "none"}), "the body is no list")
		}),
		crowded("BLK-06", "Limits", 302, "There are no more than 100 CHAT_INPUT commands.", 1, 100),
		crowded("BLK-07", "Limits", 303, "There are no more than 15 USER commands.", 2, 15),
		crowded("BLK-08", "Limits", 304, "There are no more than 15 MESSAGE commands.", 3, 15),
	}
}
