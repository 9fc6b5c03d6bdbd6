package conformance

import (
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/client"
)

const (
	secSets         = "Guild application command permissions object"
	secEntries      = "Application command permission object"
	secPermissions  = "Command permissions"
	permissionNeeds = Writes | Guild | Editor
)

// entry returns a permission entry.
func entry(id string, kind int, allow bool) obj {
	return obj{"id": id, "type": kind, "permission": allow}
}

func (p *probe) permissionsPath(id any) string {
	return client.CommandsPath(p.guild) + "/" + text(id) + "/permissions"
}

// setPermissions sets the permissions of a command with the editor's token.
func (p *probe) setPermissions(id any, entries ...any) reply {
	if entries == nil {
		entries = []any{}
	}
	return p.sendAs(p.client("Bearer "+p.EditorToken), http.MethodPut, p.permissionsPath(id), obj{"permissions": entries}, nil)
}

// commandWithPermissions creates a command, denies it to everyone and returns its id.
func (p *probe) commandWithPermissions() any {
	id := p.create(p.guild, obj{"name": p.name("permitted")})["id"]
	p.wantStatus(p.setPermissions(id, p.everyone(false)), "the editor can edit permissions", http.StatusOK)
	return id
}

func (p *probe) everyone(allow bool) obj { return entry(p.Guild.String(), 1, allow) }

// hasPermissions reports whether the guild's list contains permissions of a command.
func (p *probe) hasPermissions(id any) bool {
	r := p.wantStatus(p.send(http.MethodGet, client.CommandsPath(p.guild)+"/permissions", nil), "permissions can be listed", http.StatusOK)
	for _, set := range p.objects(r) {
		if l, _ := set["permissions"].([]any); set["id"] == id && len(l) > 0 {
			return true
		}
	}
	return false
}

// permissionChecks returns the checks of command permissions.
func permissionChecks() []Check {
	return []Check{
		on("PER-01", secSets, 124, "A permissions object contains the ids of its command, application and guild.", permissionNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			set := p.object(p.wantStatus(p.setPermissions(id, p.everyone(false)), "the editor can edit permissions", http.StatusOK))
			p.wantMembers("the permissions object", set, obj{
				"id": id, "application_id": p.Application.String(), "guild_id": p.Guild.String(), "permissions": []any{p.everyone(false)},
			})
		}),
		on("PER-02", secPermissions, 231, "The permissions of one command can be read.", permissionNeeds, func(p *probe) {
			id := p.commandWithPermissions()
			set := p.object(p.wantStatus(p.send(http.MethodGet, p.permissionsPath(id), nil), "permissions are set", http.StatusOK))
			p.wantMembers("the permissions object", set, obj{"id": id, "permissions": []any{p.everyone(false)}})
		}),
		on("PER-03", secPermissions, 230, "The permissions of all commands of a guild can be listed.", permissionNeeds, func(p *probe) {
			if id := p.commandWithPermissions(); !p.hasPermissions(id) {
				p.fail("the list does not contain the permissions of command %v", id)
			}
		}),
		on("PER-04", secPermissions, 232, "Setting permissions replaces the existing ones.", permissionNeeds, func(p *probe) {
			id := p.commandWithPermissions()
			next := entry(strconv.FormatUint(uint64(p.Guild)-1, 10), 3, false)
			p.wantStatus(p.setPermissions(id, next), "the editor can edit permissions", http.StatusOK)
			set := p.object(p.wantStatus(p.send(http.MethodGet, p.permissionsPath(id), nil), "permissions are set", http.StatusOK))
			p.wantMembers("the permissions object after a second PUT", set, obj{"permissions": []any{next}})
		}),
		on("PER-05", secEntries, 137, "The guild's id means everyone, and the guild's id minus 1 means all channels.", permissionNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			all := entry(strconv.FormatUint(uint64(p.Guild)-1, 10), 3, true)
			set := p.object(p.wantStatus(p.setPermissions(id, p.everyone(true), all), "both are constants", http.StatusOK))
			if l, _ := set["permissions"].([]any); len(l) != 2 {
				p.fail("the permissions object has %d entries, want 2: %s", len(l), encode(set))
			}
		}),
		on("PER-06", secEntries, 134, "The largest permission type is 3; larger numbers are rejected.", permissionNeeds, func(p *probe) {
			p.wantRejected(p.setPermissions(p.create(p.guild, nil)["id"], entry(p.Guild.String(), 4, true)), "there is no type 4")
		}),
		on("PER-07", secEntries, 135, "A permission entry must have the field permission.", permissionNeeds, func(p *probe) {
			p.wantRejected(p.setPermissions(p.create(p.guild, nil)["id"], obj{"id": p.Guild.String(), "type": 1}), "permission is missing")
		}),
		on("PER-08", secSets, 127, "A command cannot have more than 100 permission entries in a guild.", permissionNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			p.wantRejected(p.setPermissions(id, many(101, func(i int) any { return entry(strconv.Itoa(1000+i), 2, true) })...), "there are 101 entries")
		}),
		on("PER-09", secErrors, 287, "A bot token cannot set permissions.", Writes|Guild, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			r := p.send(http.MethodPut, p.permissionsPath(id), obj{"permissions": []any{}})
			p.wantStatus(r, "the token is a bot token", http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest)
		}),
		on("PER-10", secAuth, 252, "An access token without the required scope cannot set permissions.", Writes|Guild|Client, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			r := p.sendAs(p.appClient(), http.MethodPut, p.permissionsPath(id), obj{"permissions": []any{}}, nil)
			p.wantStatus(r, "the token lacks the scope", http.StatusForbidden, http.StatusUnauthorized)
		}),
		on("PER-11", secPermissions, 233, "Setting the permissions of several commands in one request is disabled.", Writes|Guild|Editor, func(p *probe) {
			r := p.sendAs(p.client("Bearer "+p.EditorToken), http.MethodPut, client.CommandsPath(p.guild)+"/permissions", []any{}, nil)
			if r.Status < 400 || r.Status >= 500 {
				p.fail("%s returned %d %s, want a 4xx status: the endpoint is disabled", r.request, r.Status, short(r.Body))
			}
		}),
		on("PER-12", secStates, 183, "Deleting a command deletes its permissions permanently.", permissionNeeds, func(p *probe) {
			id := p.commandWithPermissions()
			p.remove(p.guild, id)
			if again := p.create(p.guild, obj{"name": p.name("permitted")}); p.hasPermissions(id) || p.hasPermissions(again["id"]) {
				p.fail("deleting the command did not delete its permissions")
			}
		}),
		on("PER-13", secStates, 184, "Renaming a command deletes its permissions permanently.", permissionNeeds, func(p *probe) {
			id := p.commandWithPermissions()
			p.deleteByName(p.guild, p.name("renamed"))
			p.patch(p.guild, id, obj{"name": p.name("renamed")})
			if p.hasPermissions(id) {
				p.fail("renaming the command %v did not delete its permissions", id)
			}
		}),
		on("PER-14", secStates, 182, "A change that keeps the name keeps the permissions.", permissionNeeds, func(p *probe) {
			id := p.commandWithPermissions()
			p.patch(p.guild, id, obj{"description": "Changed"})
			if !p.hasPermissions(id) {
				p.fail("changing the description of command %v deleted its permissions", id)
			}
		}),
	}
}
