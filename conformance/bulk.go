package conformance

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

// otherCommands returns the commands of a scope that this run did not create, as items of a bulk overwrite. Every bulk
// overwrite has to include them, because it deletes the commands that its list does not contain.
func (p *probe) otherCommands(s command.Scope) []any {
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

// bulk replaces the commands that this run created in a scope.
func (p *probe) bulk(s command.Scope, ours ...any) []obj {
	items := append(ours, p.otherCommands(s)...)
	if items == nil {
		items = []any{}
	}
	r := p.wantStatus(p.send(http.MethodPut, client.CommandsPath(s), items), "the list is valid", http.StatusOK)
	return p.objects(r)
}

// tooManyCommands returns a check that the service rejects a list with too many commands of a type and changes nothing.
func tooManyCommands(id, section string, line int, rule string, kind, most int) Check {
	return everywhere(id, section, line, rule, func(p *probe, s command.Scope) {
		items := many(most+1, func(i int) any { return p.define(obj{"type": kind, "name": p.name(fmt.Sprint("n", i))}) })
		p.wantRejected(p.send(http.MethodPut, client.CommandsPath(s), append(items, p.otherCommands(s)...)), rule)
		if listed(p.commands(s), p.name("n0"), kind) != nil {
			p.fail("a rejected bulk overwrite created commands")
		}
	})
}

// bulkChecks returns the checks of the bulk overwrite.
func bulkChecks() []Check {
	return []Check{
		everywhere("BLK-01", secStates, 186, "PUT creates the commands in its list and deletes all others.", func(p *probe, s command.Scope) {
			p.create(s, obj{"name": p.name("old")})
			list := p.bulk(s, p.define(nil), p.define(obj{"type": 2}))
			if listed(list, p.name("probe"), 1) == nil || listed(list, p.name("Probe"), 2) == nil {
				p.fail("the response to PUT does not contain the commands that were sent: %s", short(encode(list)))
			}
			now := p.commands(s)
			if listed(now, p.name("old"), 1) != nil {
				p.fail("PUT did not delete a command that its list does not contain")
			}
			if len(now) != len(list) {
				p.fail("the response to PUT contains %d commands, but the scope has %d", len(list), len(now))
			}
		}),
		everywhere("BLK-02", secStates, 186, "PUT keeps the id of an existing command.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			if got := listed(p.bulk(s, p.define(obj{"description": "Bulk"})), made["name"], 1); got == nil || got["id"] != made["id"] {
				p.fail("PUT returned %s, want the id %v", short(encode(got)), made["id"])
			}
		}),
		on("BLK-03", "Application commands, guild", 222, "PUT renames a command when an item has the command's id and another name.", Writes|Guild, func(p *probe) {
			made := p.create(p.guild, nil)
			got := listed(p.bulk(p.guild, p.define(obj{"id": made["id"], "name": p.name("renamed")})), p.name("renamed"), 1)
			if got == nil || got["id"] != made["id"] {
				p.fail("PUT with the id %v and a new name returned %s", made["id"], short(encode(got)))
			}
		}),
		everywhere("BLK-04", secGlobal, 209, "PUT changes nothing when one item of its list is invalid.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"description": "Before"})
			items := []any{p.define(obj{"description": "After"}), p.define(obj{"name": p.name("Wrong")})}
			p.wantRejected(p.send(http.MethodPut, client.CommandsPath(s), append(items, p.otherCommands(s)...)), "the second name is not lowercase")
			p.wantMembers("the command after an invalid list", p.readCommand(s, made["id"]), obj{"description": "Before"})
		}),
		everywhere("BLK-05", secGlobal, 209, "The body of PUT must be a list of commands.", func(p *probe, s command.Scope) {
			p.wantRejected(p.send(http.MethodPut, client.CommandsPath(s), obj{"commands": "none"}), "the body is not a list")
		}),
		tooManyCommands("BLK-06", "Limits", 302, "A scope has no more than 100 CHAT_INPUT commands.", 1, 100),
		tooManyCommands("BLK-07", "Limits", 303, "A scope has no more than 15 USER commands.", 2, 15),
		tooManyCommands("BLK-08", "Limits", 304, "A scope has no more than 15 MESSAGE commands.", 3, 15),
	}
}
