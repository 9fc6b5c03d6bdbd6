package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

const (
	secStates   = "States and transitions"
	secVersions = "Versioning"
)

// everywhere returns a check that runs in every scope.
func everywhere(id, section string, line int, rule string, run func(*probe, command.Scope)) Check {
	return on(id, section, line, rule, Writes, func(p *probe) {
		for _, s := range p.scopes() {
			run(p, s)
		}
	})
}

// patch changes a command and returns it.
func (p *probe) patch(s command.Scope, id any, body obj) obj {
	r := p.send(http.MethodPatch, client.CommandsPath(s)+"/"+text(id), body)
	return p.object(p.wantStatus(r, "the change is valid", http.StatusOK))
}

// deleteByName deletes the CHAT_INPUT command with a name, if there is one.
func (p *probe) deleteByName(s command.Scope, name string) {
	if old := listed(p.commands(s), name, 1); old != nil {
		p.remove(s, old["id"])
	}
}

// lifecycleChecks returns the checks of creating, changing and deleting commands.
func lifecycleChecks() []Check {
	return []Check{
		everywhere("STA-01", secStates, 180, "Creating a new command gives 201.", func(p *probe, s command.Scope) {
			p.deleteByName(s, p.name("new"))
			p.wantStatus(p.send(http.MethodPost, client.CommandsPath(s), p.define(obj{"name": p.name("new")})), "the command is new", http.StatusCreated)
		}),
		everywhere("STA-02", secStates, 181, "Creating a command that exists gives 200 and keeps its id.", func(p *probe, s command.Scope) {
			first := p.create(s, nil)
			r := p.wantStatus(p.send(http.MethodPost, client.CommandsPath(s), p.define(obj{"description": "Again"})), "the command exists", http.StatusOK)
			if again := p.object(r); again["id"] != first["id"] {
				p.fail("overwriting the command %v returned the id %v", first["id"], again["id"])
			}
		}),
		everywhere("STA-03", secStates, 181, "Creating a command that exists replaces the whole command.", func(p *probe, s command.Scope) {
			p.create(s, obj{"default_member_permissions": "8", "options": []any{option(3, "a")}, "nsfw": true})
			c := p.readCommand(s, p.create(s, nil)["id"])
			if options, _ := c["options"].([]any); len(options) > 0 || c["default_member_permissions"] != nil || c["nsfw"] == true {
				p.fail("the overwritten command still has old fields: %s", short(encode(c)))
			}
		}),
		everywhere("STA-04", secStates, 180, "A new command can be read at once.", func(p *probe, s command.Scope) {
			p.deleteByName(s, p.name("now"))
			made := p.create(s, obj{"name": p.name("now")})
			p.wantMembers("the command by its id", p.readCommand(s, made["id"]), obj{"id": made["id"]})
			if listed(p.commands(s), p.name("now"), 1) == nil {
				p.fail("GET %s does not list the new command", client.CommandsPath(s))
			}
		}),
		everywhere("STA-05", secStates, 182, "PATCH replaces the fields that its body contains.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			p.wantMembers("the response to PATCH", p.patch(s, made["id"], obj{"description": "Another"}), obj{"description": "Another", "id": made["id"]})
			p.wantMembers("the command afterwards", p.readCommand(s, made["id"]), obj{"description": "Another"})
		}),
		everywhere("STA-06", secStates, 182, "PATCH keeps the fields that its body does not contain.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"default_member_permissions": "8", "nsfw": true, "options": []any{option(3, "a")}})
			p.patch(s, made["id"], obj{"description": "Another"})
			p.wantMembers("the command afterwards", p.readCommand(s, made["id"]),
				obj{"default_member_permissions": "8", "nsfw": true, "options": []any{option(3, "a")}, "name": made["name"]})
		}),
		everywhere("STA-07", secStates, 182, "PATCH with options replaces all options.", func(p *probe, s command.Scope) {
			made := p.create(s, with(option(3, "a"), option(3, "b")))
			p.patch(s, made["id"], with(option(4, "c")))
			p.wantMembers("the command afterwards", p.readCommand(s, made["id"]), with(option(4, "c")))
		}),
		everywhere("STA-08", secStates, 182, "PATCH with default_member_permissions null clears them.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"default_member_permissions": "8"})
			if c := p.patch(s, made["id"], obj{"default_member_permissions": nil}); c["default_member_permissions"] != nil {
				p.fail("default_member_permissions are %s after null", encode(c["default_member_permissions"]))
			}
		}),
		everywhere("STA-16", secObject, 32, `Permissions "0" that come from default_permission false end when it becomes true or null.`, closedByDefault),
		everywhere("STA-17", secObject, 32, `default_permission false means the permissions "0", also beside default_member_permissions null.`, closedBesideNull),
		everywhere("STA-09", secGlobal, 207, "An invalid PATCH of a command changes nothing.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			p.wantRejected(p.send(http.MethodPatch, client.CommandsPath(s)+"/"+text(made["id"]), obj{"description": "Half", "options": []any{option(12, "a")}}),
				"there is no option type 12")
			p.wantMembers("the command afterwards", p.readCommand(s, made["id"]), obj{"description": "A probe"})
		}),
		everywhere("STA-10", secGlobal, 207, "Changing an unknown command gives 404.", func(p *probe, s command.Scope) {
			p.wantStatus(p.send(http.MethodPatch, client.CommandsPath(s)+"/1", obj{"description": "x"}), "there is no such command", http.StatusNotFound)
		}),
		everywhere("STA-11", secStates, 183, "Deleting a command gives 204 without a body.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"name": p.name("gone")})
			r := p.wantStatus(p.send(http.MethodDelete, client.CommandsPath(s)+"/"+text(made["id"]), nil), "the command exists", http.StatusNoContent)
			if len(r.Body) > 0 {
				p.fail("%s returned a body: %s", r.request, short(r.Body))
			}
		}),
		everywhere("STA-12", secStates, 183, "A deleted command no longer exists.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"name": p.name("gone")})
			p.remove(s, made["id"])
			p.wantStatus(p.send(http.MethodGet, client.CommandsPath(s)+"/"+text(made["id"]), nil), "the command was deleted", http.StatusNotFound)
			if listed(p.commands(s), made["name"], 1) != nil {
				p.fail("GET %s lists the deleted command", client.CommandsPath(s))
			}
		}),
		everywhere("STA-13", secVersions, 328, "A change gives a command a larger version.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			before := p.snowflake(made, "version")
			if after := p.snowflake(p.patch(s, made["id"], obj{"description": "Another version"}), "version"); after <= before {
				p.fail("version %d became %d after a change", before, after)
			}
		}),
		on("STA-14", "What the service does", 8, "Commands with the same name in different scopes are different commands.", Writes|Guild, func(p *probe) {
			if g, l := p.create(p.global, nil), p.create(p.guild, nil); g["id"] == l["id"] {
				p.fail("a global command and a guild command both have the id %v", g["id"])
			}
		}),
		on("STA-15", "What the service does", 8, "The command list of a guild contains only the commands of that guild.", Writes|Guild, func(p *probe) {
			made := p.create(p.global, obj{"name": p.name("everywhere")})
			for _, c := range p.commands(p.guild) {
				if c["id"] == made["id"] {
					p.fail("GET %s lists the global command %v", client.CommandsPath(p.guild), made["id"])
				}
			}
		}),
	}
}

// closedByDefault closes a command with default_permission and opens it again.
func closedByDefault(p *probe, s command.Scope) {
	for _, open := range []any{true, nil} {
		id := p.create(s, obj{"default_permission": false})["id"]
		if c := p.patch(s, id, obj{"default_permission": open}); c["default_member_permissions"] != nil {
			p.fail("default_member_permissions are %s after default_permission false and then %v, want null", encode(c["default_member_permissions"]), open)
		}
		id = p.create(s, obj{"default_permission": false, "default_member_permissions": "0"})["id"]
		c := p.patch(s, id, obj{"default_permission": open})
		p.wantMembers("a command whose permissions were given", c, obj{"default_member_permissions": "0"})
	}
}

// closedBesideNull checks that default_permission and default_member_permissions do not contradict each other.
func closedBesideNull(p *probe, s command.Scope) {
	zero := obj{"default_member_permissions": "0"}
	made := p.create(s, obj{"default_permission": false, "default_member_permissions": nil})
	p.wantMembers("a command with default_permission false and null permissions", made, zero)
	made = p.create(s, obj{"default_permission": false, "default_member_permissions": "8"})
	p.wantMembers("a command with default_permission false and permissions", made, obj{"default_member_permissions": "8"})
	changed := p.patch(s, made["id"], obj{"default_member_permissions": nil})
	p.wantMembers("the command after PATCH with null", changed, zero)
	p.wantMembers("the command afterwards", p.readCommand(s, made["id"]), zero)
}
