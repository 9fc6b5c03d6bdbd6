package conformance

import (
	"net/http"

	"github.com/bellhop/bellhop/client"
)

const (
	secObject = "Application command object"
	secTypes  = "Command types"
)

// objectChecks are about the members of a command.
func objectChecks() []Check { return append(identityChecks(), settingChecks()...) }

// undescribed reads commands that have no description.
func undescribed(p *probe) {
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

// twins creates commands that share a name.
func twins(p *probe) {
	ids := map[any]bool{}
	for _, kind := range []int{1, 2, 3} {
		ids[p.create(p.global, obj{"type": kind, "name": p.name("twin")})["id"]] = true
	}
	if len(ids) != 3 {
		p.fail("three commands of one name and different types have %d ids", len(ids))
	}
}

func identityChecks() []Check {
	return []Check{
		on("OBJ-01", secObject, 21, "A command has an id, which is a snowflake.", Writes, func(p *probe) {
			p.snowflake(p.create(p.global, nil), "id")
		}),
		on("OBJ-02", secObject, 22, "A command without a type is of type 1.", Writes, func(p *probe) {
			p.shows("a command without a type", p.create(p.global, nil), obj{"type": 1})
		}),
		on("OBJ-03", secObject, 23, "A command names its application.", Writes, func(p *probe) {
			for _, s := range p.scopes() {
				p.shows("a command", p.create(s, nil), obj{"application_id": p.Application.String()})
			}
		}),
		on("OBJ-04", secObject, 24, "A command of a guild names the guild.", Writes|Guild, func(p *probe) {
			p.shows("a command of a guild", p.create(p.guild, nil), obj{"guild_id": p.Guild.String()})
		}),
		on("OBJ-05", secObject, 24, "A global command names no guild.", Writes, func(p *probe) {
			if v := p.create(p.global, nil)["guild_id"]; v != nil {
				p.fail("guild_id of a global command is %s", encode(v))
			}
		}),
		on("OBJ-06", secObject, 27, "The description of USER and MESSAGE commands is an empty string, never null.", Writes, undescribed),
		accepts("OBJ-07", secObject, 27, "A description has up to 100 characters.", obj{"description": repeat(100)}),
		refuses("OBJ-08", secObject, 27, "A description has no more than 100 characters.", obj{"description": repeat(101)}),
		refuses("OBJ-09", secObject, 27, "The description of a CHAT_INPUT command is not empty.", obj{"description": ""}),
		refuses("OBJ-10", secObject, 27, "A CHAT_INPUT command has a description.", obj{"description": absent}),
		refuses("OBJ-11", secObject, 28, "Localized descriptions obey the rules of descriptions.", obj{"description_localizations": obj{"de": repeat(101)}}),
	}
}

func settingChecks() []Check {
	return []Check{
		refuses("OBJ-12", secObject, 29, "Only CHAT_INPUT commands have options.", obj{"type": 2, "options": []any{option(3, "a")}}),
		accepts("OBJ-13", secObject, 30, "default_member_permissions is a bit set as a string.", obj{"default_member_permissions": "2147483680"}),
		accepts("OBJ-14", secObject, 30, `default_member_permissions "0" is kept: it means administrators alone.`, obj{"default_member_permissions": "0"}),
		on("OBJ-15", secObject, 30, "default_member_permissions can be null, which asks for nothing.", Writes, func(p *probe) {
			made := p.create(p.global, obj{"default_member_permissions": nil})
			if v := made["default_member_permissions"]; v != nil {
				p.fail("default_member_permissions is %s after null", encode(v))
			}
		}),
		refuses("OBJ-16", secObject, 30, "default_member_permissions is a number in digits.", obj{"default_member_permissions": "everyone"}),
		on("OBJ-17", secObject, 31, "A global command is visible in DMs unless it says otherwise.", Writes, func(p *probe) {
			if v, ok := p.create(p.global, nil)["dm_permission"]; ok && v != true {
				p.fail("dm_permission of a plain command is %s, want true", encode(v))
			}
		}),
		on("OBJ-18", secObject, 31, "dm_permission false comes back.", Writes, func(p *probe) {
			p.shows("a command that is not for DMs", p.create(p.global, obj{"dm_permission": false}), obj{"dm_permission": false})
		}),
		refuses("OBJ-19", secObject, 32, "default_permission is a boolean.", obj{"default_permission": "perhaps"}),
		on("OBJ-20", secObject, 33, "A command is not age-restricted unless it says so.", Writes, func(p *probe) {
			if v, ok := p.create(p.global, nil)["nsfw"]; ok && v != false {
				p.fail("nsfw of a plain command is %s", encode(v))
			}
		}),
		accepts("OBJ-21", secObject, 33, "A command can be age-restricted.", obj{"nsfw": true}),
		on("OBJ-22", secObject, 34, "integration_types of a global command are those of the app unless it says otherwise.", Writes, func(p *probe) {
			made := p.create(p.global, nil)
			if l, ok := made["integration_types"].([]any); !ok || len(l) == 0 {
				p.fail("integration_types of a plain global command are %s", encode(made["integration_types"]))
			}
		}),
		on("OBJ-23", secObject, 36, "A command has a version, which is a snowflake.", Writes, func(p *probe) {
			p.snowflake(p.create(p.global, nil), "version")
		}),
		refuses("OBJ-24", secObject, 37, "Only entry points have a handler.", obj{"handler": 1}),
		refuses("OBJ-25", secTypes, 47, "There is no command type beyond 4.", obj{"type": 5}),
		refuses("OBJ-26", secTypes, 44, "There is no command type below 1.", obj{"type": 0}),
		on("OBJ-27", secTypes, 44, "Commands of one name and different types are different commands.", Writes, twins),
		on("OBJ-28", "Application commands, global", 206, "A command that does not exist is not found.", 0, func(p *probe) {
			p.want(p.ask(http.MethodGet, client.CommandsPath(p.global)+"/1", nil), "there is no such command", http.StatusNotFound)
		}),
	}
}
