package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
)

const (
	secObject = "Application command object"
	secTypes  = "Command types"
)

// objectChecks returns the checks of the fields of a command.
func objectChecks() []Check { return append(identityChecks(), settingChecks()...) }

// emptyDescriptions checks the description of USER and MESSAGE commands.
func emptyDescriptions(p *probe) {
	for _, kind := range []int{2, 3} {
		made := p.create(p.global, obj{"type": kind})
		for what, c := range map[string]obj{
			"by its id": p.readCommand(p.global, made["id"]), "in the list": listed(p.commands(p.global), made["name"], kind),
		} {
			if d, ok := c["description"]; !ok || d != "" {
				p.fail("the description of a command of type %d, %s, is %s, want \"\"", kind, what, encode(d))
			}
		}
	}
}

// sameNameTwice creates three commands with one name and different types.
func sameNameTwice(p *probe) {
	ids := map[any]bool{}
	for _, kind := range []int{1, 2, 3} {
		ids[p.create(p.global, obj{"type": kind, "name": p.name("twin")})["id"]] = true
	}
	if len(ids) != 3 {
		p.fail("three commands with one name and different types have %d ids", len(ids))
	}
}

func identityChecks() []Check {
	return []Check{
		on("OBJ-01", secObject, 21, "A command has an id, which is a snowflake.", Writes, func(p *probe) {
			p.snowflake(p.create(p.global, nil), "id")
		}),
		on("OBJ-02", secObject, 22, "A command created without a type has type 1.", Writes, func(p *probe) {
			p.wantMembers("a command without a type", p.create(p.global, nil), obj{"type": 1})
		}),
		on("OBJ-03", secObject, 23, "A command contains the id of its application.", Writes, func(p *probe) {
			for _, s := range p.scopes() {
				p.wantMembers("a command", p.create(s, nil), obj{"application_id": p.Application.String()})
			}
		}),
		on("OBJ-04", secObject, 24, "A guild command contains the id of its guild.", Writes|Guild, func(p *probe) {
			p.wantMembers("a command of a guild", p.create(p.guild, nil), obj{"guild_id": p.Guild.String()})
		}),
		on("OBJ-05", secObject, 24, "A global command has no guild_id.", Writes, func(p *probe) {
			if v := p.create(p.global, nil)["guild_id"]; v != nil {
				p.fail("guild_id of a global command is %s", encode(v))
			}
		}),
		on("OBJ-06", secObject, 27, "The description of a USER or MESSAGE command is an empty string, not null.", Writes, emptyDescriptions),
		accepts("OBJ-07", secObject, 27, "A description can have 100 characters.", obj{"description": repeat(100)}),
		refuses("OBJ-08", secObject, 27, "A description cannot have more than 100 characters.", obj{"description": repeat(101)}),
		refuses("OBJ-09", secObject, 27, "The description of a CHAT_INPUT command cannot be empty.", obj{"description": ""}),
		refuses("OBJ-10", secObject, 27, "A CHAT_INPUT command must have a description.", obj{"description": absent}),
		refuses("OBJ-11", secObject, 28, "A localized description follows the same rules as the description.", obj{"description_localizations": obj{"de": repeat(101)}}),
	}
}

func settingChecks() []Check {
	return []Check{
		refuses("OBJ-12", secObject, 29, "Only CHAT_INPUT commands can have options.", obj{"type": 2, "options": []any{option(3, "a")}}),
		accepts("OBJ-13", secObject, 30, "default_member_permissions is a bit set in a decimal string.", obj{"default_member_permissions": "2147483680"}),
		accepts("OBJ-14", secObject, 30, `default_member_permissions "0" (administrators only) is returned unchanged.`, obj{"default_member_permissions": "0"}),
		on("OBJ-15", secObject, 30, "default_member_permissions can be null (no permission required).", Writes, func(p *probe) {
			made := p.create(p.global, obj{"default_member_permissions": nil})
			if v := made["default_member_permissions"]; v != nil {
				p.fail("default_member_permissions is %s after null", encode(v))
			}
		}),
		accepts("OBJ-29", secObject, 30, "default_member_permissions keeps bits that have no meaning.", obj{"default_member_permissions": "18014398509481984"}),
		refuses("OBJ-16", secObject, 30, "default_member_permissions must be a decimal number.", obj{"default_member_permissions": "everyone"}),
		on("OBJ-17", secObject, 31, "dm_permission of a global command is true by default.", Writes, func(p *probe) {
			if v, ok := p.create(p.global, nil)["dm_permission"]; ok && v != true {
				p.fail("dm_permission is %s by default, want true", encode(v))
			}
		}),
		on("OBJ-18", secObject, 31, "dm_permission false is returned unchanged.", Writes, func(p *probe) {
			p.wantMembers("a command with dm_permission false", p.create(p.global, obj{"dm_permission": false}), obj{"dm_permission": false})
		}),
		refuses("OBJ-19", secObject, 32, "default_permission must be a boolean.", obj{"default_permission": "perhaps"}),
		on("OBJ-20", secObject, 33, "nsfw is false by default.", Writes, func(p *probe) {
			if v, ok := p.create(p.global, nil)["nsfw"]; ok && v != false {
				p.fail("nsfw is %s by default, want false", encode(v))
			}
		}),
		accepts("OBJ-21", secObject, 33, "nsfw true is returned unchanged.", obj{"nsfw": true}),
		on("OBJ-22", secObject, 34, "integration_types of a global command are by default those of the app.", Writes, func(p *probe) {
			made := p.create(p.global, nil)
			if l, ok := made["integration_types"].([]any); !ok || len(l) == 0 {
				p.fail("integration_types are %s by default, want those of the app", encode(made["integration_types"]))
			}
		}),
		on("OBJ-23", secObject, 36, "A command has a version, which is a snowflake.", Writes, func(p *probe) {
			p.snowflake(p.create(p.global, nil), "version")
		}),
		refuses("OBJ-24", secObject, 37, "Only entry point commands can have a handler.", obj{"handler": 1}),
		refuses("OBJ-25", secTypes, 47, "The largest command type is 4; larger numbers are rejected.", obj{"type": 5}),
		refuses("OBJ-26", secTypes, 44, "The smallest command type is 1; smaller numbers are rejected.", obj{"type": 0}),
		on("OBJ-27", secTypes, 44, "Commands with the same name and different types are different commands.", Writes, sameNameTwice),
		on("OBJ-28", "Application commands, global", 206, "Reading an unknown command gives 404.", 0, func(p *probe) {
			p.wantStatus(p.send(http.MethodGet, client.CommandsPath(p.global)+"/1", nil), "there is no such command", http.StatusNotFound)
		}),
	}
}
