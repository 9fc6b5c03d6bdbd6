package conformance

import (
	"net/http"
	"slices"
)

// pixel is a PNG file of one pixel, as a data URI.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// auditArrays are the members of a page of the audit log. Libraries read all of them.
var auditArrays = []string{
	"audit_log_entries", "users", "integrations", "webhooks", "guild_scheduled_events", "threads", "application_commands", "auto_moderation_rules",
}

func (p *probe) guildPath() string { return "/guilds/" + p.Guild.String() }

// role creates a role and returns its path and the response. The cleanup of the run deletes it.
func (p *probe) role(body obj) (path string, made obj) {
	r := p.send(http.MethodPost, p.guildPath()+"/roles", body)
	made = p.object(p.wantStatus(r, "the bot manages roles", http.StatusOK))
	p.snowflake(made, "id")
	path = p.guildPath() + "/roles/" + text(made["id"])
	p.channels[path] = true
	return path, made
}

// guildChecks returns the checks of members, roles, bans, emojis, the audit log and settings of a guild.
func guildChecks() []Check {
	on := func(id, section, rule string, needs Needs, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager|needs, run)
	}
	return append([]Check{
		on("GLD-01", "Guild: Create Guild Role", "A new role has defaults, is returned with 200, and is listed.", 0, func(p *probe) {
			_, made := p.role(obj{})
			p.wantMembers("the role", made, obj{"name": "new role", "color": 0, "hoist": false, "managed": false, "mentionable": false, "icon": nil})
			if _, isText := made["permissions"].(string); !isText {
				p.fail("the permissions are %s, want a string", short(encode(made["permissions"])))
			}
			if !hasID(p.readList(p.guildPath()+"/roles"), made["id"]) {
				p.fail("the roles of the guild do not have the new one")
			}
		}),
		on("GLD-02", "Guild: Modify Guild Role", "An edit of a role keeps the rest, and color is the primary color.", 0, func(p *probe) {
			path, _ := p.role(obj{"name": p.name("role"), "hoist": true})
			changed := p.edit(path, obj{"color": 255})
			p.wantMembers("the role", changed, obj{"name": p.name("role"), "hoist": true, "color": 255, "colors": obj{"primary_color": 255}})
			p.wantRejected(p.send(http.MethodPatch, path, obj{"color": 16777216}), "the color is too large")
		}),
		on("GLD-03", "Guild: Modify Guild Role Positions", "A move of roles returns all roles of the guild.", 0, func(p *probe) {
			_, made := p.role(obj{})
			r := p.send(http.MethodPatch, p.guildPath()+"/roles", []any{obj{"id": made["id"], "position": 1}})
			moved := p.objects(p.wantStatus(r, "the bot manages roles", http.StatusOK))
			if all := p.readList(p.guildPath() + "/roles"); len(moved) != len(all) {
				p.fail("the response has %d roles, want %d", len(moved), len(all))
			}
		}),
		on("GLD-04", "Guild: Delete Guild Role", "A deleted role no longer exists, and the role of everyone cannot be deleted.", 0, func(p *probe) {
			path, _ := p.role(obj{})
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "the bot manages roles")
			p.wantNotFound(p.send(http.MethodGet, path, nil), "the role was deleted")
			p.wantStatus(p.send(http.MethodDelete, p.guildPath()+"/roles/"+p.Guild.String(), nil), "it is the role of everyone", http.StatusBadRequest)
		}),
		on("GLD-05", "Guild: Add Guild Member Role", "A member gets a role, also if it has the role already, and loses it.", Users, func(p *probe) {
			_, made := p.role(obj{})
			member := p.guildPath() + "/members/" + p.user(0)
			role := member + "/roles/" + text(made["id"])
			for range 2 {
				p.wantEmpty(p.send(http.MethodPut, role, nil), "the role is below those of the bot")
			}
			if !hasText(p.read(member), "roles", made["id"]) {
				p.fail("the member does not have the role")
			}
			p.wantEmpty(p.send(http.MethodDelete, role, nil), "the role is below those of the bot")
			p.wantNotFound(p.send(http.MethodPut, member+"/roles/5", nil), "there is no such role")
		}),
		on("GLD-06", "Guild: Modify Current Member", "A bot changes its own nickname and gets its permissions.", 0, func(p *probe) {
			own := p.edit(p.guildPath()+"/members/@me", obj{"nick": p.name("nick")})
			p.wantMembers("the member", own, obj{"nick": p.name("nick")})
			if _, isText := own["permissions"].(string); !isText {
				p.fail("the member has no permissions")
			}
			p.wantMembers("the member", p.edit(p.guildPath()+"/members/@me", obj{"nick": nil}), obj{"nick": nil})
		}),
		on("GLD-07", "Guild: Modify Guild Member", "A nickname above 32 characters and a timeout above 28 days are refused.", Users, func(p *probe) {
			member := p.guildPath() + "/members/" + p.user(0)
			p.wantRejected(p.send(http.MethodPatch, member, obj{"nick": repeat(33)}), "the nickname is too long")
			p.wantRejected(p.send(http.MethodPatch, member, obj{"communication_disabled_until": "2999-01-01T00:00:00Z"}), "the timeout is too long")
		}),
	}, slices.Concat(moderationChecks(), scheduleChecks(), removalChecks(), listChecks())...)
}

// moderationChecks returns the checks of bans, pruning, emojis, the audit log and settings.
func moderationChecks() []Check {
	on := func(id, section, rule string, needs Needs, run func(*probe)) Check {
		return on(id, section, 0, rule, Writes|Guild|Manager|needs, run)
	}
	return []Check{
		on("GLD-08", "Guild: Create Guild Ban", "A user who does not exist cannot be banned, and a ban that does not exist is not found.", Users, func(p *probe) {
			bans := p.guildPath() + "/bans"
			p.wantNotFound(p.send(http.MethodPut, bans+"/5", obj{}), "there is no such user")
			p.wantNotFound(p.send(http.MethodGet, bans+"/"+p.user(0), nil), "the user is not banned")
			p.wantNotFound(p.send(http.MethodDelete, bans+"/"+p.user(0), nil), "the user is not banned")
			p.wantRejected(p.send(http.MethodPut, bans+"/"+p.user(0), obj{"delete_message_seconds": 604801}), "it is more than a week")
			p.readList(bans)
		}),
		on("GLD-09", "Guild: Get Guild Prune Count", "Pruning is counted for 1 to 30 days.", 0, func(p *probe) {
			if _, isNumber := p.read(p.guildPath() + "/prune?days=30")["pruned"].(float64); !isNumber {
				p.fail("the response has no number of members")
			}
			p.wantRejected(p.send(http.MethodGet, p.guildPath()+"/prune?days=31", nil), "it is more than 30 days")
		}),
		on("GLD-10", "Emoji: Create Guild Emoji", "An emoji is created, listed, renamed and deleted.", 0, func(p *probe) {
			emojis := p.guildPath() + "/emojis"
			r := p.send(http.MethodPost, emojis, obj{"name": "conform", "image": pixel})
			made := p.object(p.wantStatus(r, "the bot creates emojis", http.StatusCreated))
			path := emojis + "/" + text(made["id"])
			p.channels[path] = true
			p.wantMembers("the emoji", made, obj{"name": "conform", "animated": false, "available": true, "managed": false, "require_colons": true, "roles": []any{}})
			if !hasID(p.readList(emojis), made["id"]) {
				p.fail("the emojis of the guild do not have the new one")
			}
			p.wantMembers("the emoji", p.edit(path, obj{"name": "renamed"}), obj{"id": made["id"], "name": "renamed", "animated": false})
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "the bot created it")
			p.wantNotFound(p.send(http.MethodDelete, path, nil), "the emoji was deleted")
			p.wantRejected(p.send(http.MethodPost, emojis, obj{"name": "conform", "image": "no image"}), "it is no data URI")
		}),
		on("GLD-11", "Audit Log: Get Guild Audit Log", "A new role has an entry with its new values, and the page has all lists.", 0, func(p *probe) {
			_, made := p.role(obj{"name": p.name("logged")})
			page := p.read(p.guildPath() + "/audit-logs?action_type=30&limit=1")
			for _, name := range auditArrays {
				if _, isList := page[name].([]any); !isList {
					p.fail("the page has no list %s", name)
				}
			}
			entries := items(page, "audit_log_entries")
			if len(entries) != 1 || entries[0]["target_id"] != made["id"] {
				p.fail("the newest entry is %s, want one about the role %s", short(encode(entries)), text(made["id"]))
			}
			for _, change := range items(entries[0], "changes") {
				p.wantAbsent(change, "old_value", "the role is new")
			}
		}),
		on("GLD-12", "Guild: Modify Guild", "An edit of the guild changes what it names, and wrong values are refused.", 0, func(p *probe) {
			old := p.read(p.guildPath())
			p.wantMembers("the guild", p.edit(p.guildPath(), obj{"description": p.name("text")}), obj{"description": p.name("text"), "name": old["name"]})
			p.edit(p.guildPath(), obj{"description": old["description"]})
			p.wantRejected(p.send(http.MethodPatch, p.guildPath(), obj{"afk_timeout": 61}), "it is none of the values")
			p.wantRejected(p.send(http.MethodPatch, p.guildPath(), obj{"verification_level": 5}), "it is at most 4")
		}),
	}
}

// hasText reports whether a member of an object is a list with a value.
func hasText(o obj, name string, value any) bool {
	list, _ := o[name].([]any)
	return slices.Contains(list, value)
}
