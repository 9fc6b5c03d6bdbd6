package conformance

import (
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/client"
)

const (
	secSets     = "Guild application command permissions object"
	secEntries  = "Application command permission object"
	secPermits  = "Command permissions"
	permitNeeds = Writes | Guild | Editor
)

// entry is one permission on the wire.
func entry(id string, kind int, allow bool) obj {
	return obj{"id": id, "type": kind, "permission": allow}
}

func (p *probe) permitPath(id any) string {
	return client.CommandsPath(p.guild) + "/" + text(id) + "/permissions"
}

// permit sets the permissions of a command with the editor's token.
func (p *probe) permit(id any, entries ...any) reply {
	if entries == nil {
		entries = []any{}
	}
	return p.askAs(p.client("Bearer "+p.EditorToken), http.MethodPut, p.permitPath(id), obj{"permissions": entries}, nil)
}

// permitted sets the permissions of a new command for everyone and returns the command's id.
func (p *probe) permitted() any {
	id := p.create(p.guild, obj{"name": p.name("permitted")})["id"]
	p.want(p.permit(id, p.everyone(false)), "the editor may edit permissions", http.StatusOK)
	return id
}

func (p *probe) everyone(allow bool) obj { return entry(p.Guild.String(), 1, allow) }

// hasSet reports whether the guild's list has permissions for a command.
func (p *probe) hasSet(id any) bool {
	r := p.want(p.ask(http.MethodGet, client.CommandsPath(p.guild)+"/permissions", nil), "permissions can be listed", http.StatusOK)
	for _, set := range p.objects(r) {
		if l, _ := set["permissions"].([]any); set["id"] == id && len(l) > 0 {
			return true
		}
	}
	return false
}

// permissionChecks are about who may use commands in a guild.
func permissionChecks() []Check {
	return []Check{
		on("PER-01", secSets, 124, "A set of permissions names its command, application and guild.", permitNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			set := p.object(p.want(p.permit(id, p.everyone(false)), "the editor may edit permissions", http.StatusOK))
			p.shows("the set", set, obj{
				"id": id, "application_id": p.Application.String(), "guild_id": p.Guild.String(), "permissions": []any{p.everyone(false)},
			})
		}),
		on("PER-02", secPermits, 231, "The permissions of one command can be read.", permitNeeds, func(p *probe) {
			id := p.permitted()
			set := p.object(p.want(p.ask(http.MethodGet, p.permitPath(id), nil), "permissions are set", http.StatusOK))
			p.shows("the set", set, obj{"id": id, "permissions": []any{p.everyone(false)}})
		}),
		on("PER-03", secPermits, 230, "The permissions of all commands can be listed.", permitNeeds, func(p *probe) {
			if id := p.permitted(); !p.hasSet(id) {
				p.fail("the list of permissions lacks those of command %v", id)
			}
		}),
		on("PER-04", secPermits, 232, "Setting permissions replaces those there are.", permitNeeds, func(p *probe) {
			id := p.permitted()
			next := entry(strconv.FormatUint(uint64(p.Guild)-1, 10), 3, false)
			p.want(p.permit(id, next), "the editor may edit permissions", http.StatusOK)
			set := p.object(p.want(p.ask(http.MethodGet, p.permitPath(id), nil), "permissions are set", http.StatusOK))
			p.shows("the set after a second PUT", set, obj{"permissions": []any{next}})
		}),
		on("PER-05", secEntries, 137, "The guild's id stands for everyone, the one before it for all channels.", permitNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			all := entry(strconv.FormatUint(uint64(p.Guild)-1, 10), 3, true)
			set := p.object(p.want(p.permit(id, p.everyone(true), all), "both are constants", http.StatusOK))
			if l, _ := set["permissions"].([]any); len(l) != 2 {
				p.fail("the set has %d entries, want 2: %s", len(l), encode(set))
			}
		}),
		on("PER-06", secEntries, 134, "There is no type of permission beyond 3.", permitNeeds, func(p *probe) {
			p.refused(p.permit(p.create(p.guild, nil)["id"], entry(p.Guild.String(), 4, true)), "there is no type 4")
		}),
		on("PER-07", secEntries, 135, "An entry says whether it allows.", permitNeeds, func(p *probe) {
			p.refused(p.permit(p.create(p.guild, nil)["id"], obj{"id": p.Guild.String(), "type": 1}), "permission is missing")
		}),
		on("PER-08", secSets, 127, "A command has no more than 100 permissions in a guild.", permitNeeds, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			p.refused(p.permit(id, many(101, func(i int) any { return entry(strconv.Itoa(1000+i), 2, true) })...), "there are 101")
		}),
		on("PER-09", secErrors, 287, "A bot token does not set permissions.", Writes|Guild, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			r := p.ask(http.MethodPut, p.permitPath(id), obj{"permissions": []any{}})
			p.want(r, "the token is a bot's", http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest)
		}),
		on("PER-10", secAuth, 252, "An access token without the scope for it does not set permissions.", Writes|Guild|Client, func(p *probe) {
			id := p.create(p.guild, nil)["id"]
			r := p.askAs(p.owned(), http.MethodPut, p.permitPath(id), obj{"permissions": []any{}}, nil)
			p.want(r, "the token lacks the scope", http.StatusForbidden, http.StatusUnauthorized)
		}),
		on("PER-11", secPermits, 233, "Setting the permissions of many commands at once is disabled.", Writes|Guild|Editor, func(p *probe) {
			r := p.askAs(p.client("Bearer "+p.EditorToken), http.MethodPut, client.CommandsPath(p.guild)+"/permissions", []any{}, nil)
			if r.Status < 400 || r.Status >= 500 {
				p.fail("%s is answered %d %s, want it refused: it is disabled", r.asked, r.Status, short(r.Body))
			}
		}),
		on("PER-12", secStates, 183, "Deleting a command deletes its permissions for good.", permitNeeds, func(p *probe) {
			id := p.permitted()
			p.remove(p.guild, id)
			if again := p.create(p.guild, obj{"name": p.name("permitted")}); p.hasSet(id) || p.hasSet(again["id"]) {
				p.fail("the permissions of a command outlived it")
			}
		}),
		on("PER-13", secStates, 184, "Renaming a command deletes its permissions for good.", permitNeeds, func(p *probe) {
			id := p.permitted()
			p.fresh(p.guild, p.name("renamed"))
			p.patch(p.guild, id, obj{"name": p.name("renamed")})
			if p.hasSet(id) {
				p.fail("the permissions of command %v outlived its name", id)
			}
		}),
		on("PER-14", secStates, 182, "A change that keeps the name keeps the permissions.", permitNeeds, func(p *probe) {
			id := p.permitted()
			p.patch(p.guild, id, obj{"description": "Changed"})
			if !p.hasSet(id) {
				p.fail("the permissions of command %v are gone with a change of its description", id)
			}
		}),
	}
}
