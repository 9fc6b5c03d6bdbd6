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

// patch changes a command.
func (p *probe) patch(s command.Scope, id any, body obj) obj {
	r := p.ask(http.MethodPatch, client.CommandsPath(s)+"/"+text(id), body)
	return p.object(p.want(r, "the change is valid", http.StatusOK))
}

// fresh makes sure that there is no command of a name.
func (p *probe) fresh(s command.Scope, name string) {
	if old := listed(p.commands(s), name, 1); old != nil {
		p.remove(s, old["id"])
	}
}

// lifecycleChecks are about what becomes of commands.
func lifecycleChecks() []Check {
	return []Check{
		everywhere("STA-01", secStates, 180, "Creating a command is answered 201.", func(p *probe, s command.Scope) {
			p.fresh(s, p.name("new"))
			p.want(p.ask(http.MethodPost, client.CommandsPath(s), p.define(obj{"name": p.name("new")})), "the command is new", http.StatusCreated)
		}),
		everywhere("STA-02", secStates, 181, "Creating a command that exists is answered 200 and keeps its id.", func(p *probe, s command.Scope) {
			first := p.create(s, nil)
			r := p.want(p.ask(http.MethodPost, client.CommandsPath(s), p.define(obj{"description": "Again"})), "the command exists", http.StatusOK)
			if again := p.object(r); again["id"] != first["id"] {
				p.fail("overwriting %v made %v", first["id"], again["id"])
			}
		}),
		everywhere("STA-03", secStates, 181, "Creating a command that exists overwrites all of it.", func(p *probe, s command.Scope) {
			p.create(s, obj{"default_member_permissions": "8", "options": []any{option(3, "a")}, "nsfw": true})
			c := p.readCommand(s, p.create(s, nil)["id"])
			if options, _ := c["options"].([]any); len(options) > 0 || c["default_member_permissions"] != nil || c["nsfw"] == true {
				p.fail("a command that was overwritten still has what it had: %s", short(encode(c)))
			}
		}),
		everywhere("STA-04", secStates, 180, "A new command is there at once.", func(p *probe, s command.Scope) {
			p.fresh(s, p.name("now"))
			made := p.create(s, obj{"name": p.name("now")})
			p.shows("the command by its id", p.readCommand(s, made["id"]), obj{"id": made["id"]})
			if listed(p.commands(s), p.name("now"), 1) == nil {
				p.fail("GET %s does not list a command that was just created", client.CommandsPath(s))
			}
		}),
		everywhere("STA-05", secStates, 182, "PATCH replaces what it names.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			p.shows("the answer to PATCH", p.patch(s, made["id"], obj{"description": "Another"}), obj{"description": "Another", "id": made["id"]})
			p.shows("the command afterwards", p.readCommand(s, made["id"]), obj{"description": "Another"})
		}),
		everywhere("STA-06", secStates, 182, "PATCH leaves what it does not name.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"default_member_permissions": "8", "nsfw": true, "options": []any{option(3, "a")}})
			p.patch(s, made["id"], obj{"description": "Another"})
			p.shows("the command afterwards", p.readCommand(s, made["id"]),
				obj{"default_member_permissions": "8", "nsfw": true, "options": []any{option(3, "a")}, "name": made["name"]})
		}),
		everywhere("STA-07", secStates, 182, "PATCH replaces options entirely.", func(p *probe, s command.Scope) {
			made := p.create(s, with(option(3, "a"), option(3, "b")))
			p.patch(s, made["id"], with(option(4, "c")))
			p.shows("the command afterwards", p.readCommand(s, made["id"]), with(option(4, "c")))
		}),
		everywhere("STA-08", secStates, 182, "PATCH with null for default_member_permissions clears them.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"default_member_permissions": "8"})
			if c := p.patch(s, made["id"], obj{"default_member_permissions": nil}); c["default_member_permissions"] != nil {
				p.fail("default_member_permissions are %s after null", encode(c["default_member_permissions"]))
			}
		}),
		everywhere("STA-09", secGlobal, 207, "A PATCH that is refused changes nothing.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			p.refused(p.ask(http.MethodPatch, client.CommandsPath(s)+"/"+text(made["id"]), obj{"description": "Half", "options": []any{option(12, "a")}}),
				"there is no option type 12")
			p.shows("the command afterwards", p.readCommand(s, made["id"]), obj{"description": "A probe"})
		}),
		everywhere("STA-10", secGlobal, 207, "A command that does not exist cannot be changed.", func(p *probe, s command.Scope) {
			p.want(p.ask(http.MethodPatch, client.CommandsPath(s)+"/1", obj{"description": "x"}), "there is no such command", http.StatusNotFound)
		}),
		everywhere("STA-11", secStates, 183, "Deleting a command is answered 204, with nothing in it.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"name": p.name("gone")})
			r := p.want(p.ask(http.MethodDelete, client.CommandsPath(s)+"/"+text(made["id"]), nil), "the command exists", http.StatusNoContent)
			if len(r.Body) > 0 {
				p.fail("%s is answered with a body: %s", r.asked, short(r.Body))
			}
		}),
		everywhere("STA-12", secStates, 183, "A deleted command is gone.", func(p *probe, s command.Scope) {
			made := p.create(s, obj{"name": p.name("gone")})
			p.remove(s, made["id"])
			p.want(p.ask(http.MethodGet, client.CommandsPath(s)+"/"+text(made["id"]), nil), "the command was deleted", http.StatusNotFound)
			if listed(p.commands(s), made["name"], 1) != nil {
				p.fail("GET %s lists a command that was deleted", client.CommandsPath(s))
			}
		}),
		everywhere("STA-13", secVersions, 328, "A change gives a command a later version.", func(p *probe, s command.Scope) {
			made := p.create(s, nil)
			before := p.snowflake(made, "version")
			if after := p.snowflake(p.patch(s, made["id"], obj{"description": "Another version"}), "version"); after <= before {
				p.fail("version %d became %d with a change", before, after)
			}
		}),
		on("STA-14", "What the service does", 8, "Commands of one name in different scopes are different commands.", Writes|Guild, func(p *probe) {
			if g, l := p.create(p.global, nil), p.create(p.guild, nil); g["id"] == l["id"] {
				p.fail("a global command and one of a guild have the id %v both", g["id"])
			}
		}),
		on("STA-15", "What the service does", 8, "A guild's list holds the commands of that guild alone.", Writes|Guild, func(p *probe) {
			made := p.create(p.global, obj{"name": p.name("everywhere")})
			for _, c := range p.commands(p.guild) {
				if c["id"] == made["id"] {
					p.fail("GET %s lists the global command %v", client.CommandsPath(p.guild), made["id"])
				}
			}
		}),
	}
}
