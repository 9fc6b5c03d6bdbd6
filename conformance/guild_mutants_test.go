package conformance_test

import (
	"net/http"
	"strings"
)

// guildMutants returns the mutants of members, roles, bans, emojis, the audit log and settings of a guild.
func guildMutants() []mutant {
	status := func(bug, check, message, method, part string, from, to int) mutant {
		return mutant{bug: bug, check: check, message: message, response: func(e *exchange) {
			if e.is(method, part) && e.status == from {
				e.status = to
			}
		}}
	}
	edit := func(bug, check, message, method, part string, change func(map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, response: func(e *exchange) {
			if e.is(method, part) && e.status < 300 {
				e.each(change)
			}
		}}
	}
	return []mutant{
		status("new roles get 201", "GLD-01", "the bot manages roles", "POST", "/roles", http.StatusOK, http.StatusCreated),
		edit("colors do not follow the color", "GLD-02", "primary_color", "PATCH", "/roles/", func(o map[string]any) {
			o["colors"] = map[string]any{"primary_color": 0}
		}),
		{bug: "a move returns the moved role alone", check: "GLD-03", message: "the response has", response: func(e *exchange) {
			if list, ok := e.got.([]any); ok && e.is("PATCH", "/roles") {
				e.got = list[:1]
			}
		}},
		status("the role of everyone is deleted", "GLD-04", "it is the role of everyone", "DELETE", "/roles/", http.StatusBadRequest, http.StatusNoContent),
		{bug: "roles are not given", check: "GLD-05", message: "does not have the role", request: func(e *exchange) {
			if e.is("PUT", "/roles/") && !strings.HasSuffix(e.URL.Path, "/5") {
				e.status = http.StatusNoContent
			}
		}},
		edit("the own member has no permissions", "GLD-06", "no permissions", "PATCH", "/members/@me", func(o map[string]any) { delete(o, "permissions") }),
		status("long nicknames are cut", "GLD-07", "the nickname is too long", "PATCH", "/members/", http.StatusBadRequest, http.StatusOK),
		status("bans that do not exist can be lifted", "GLD-08", "the user is not banned", "DELETE", "/bans/", http.StatusNotFound, http.StatusNoContent),
		edit("the number of members is a text", "GLD-09", "no number", "GET", "/prune", func(o map[string]any) { o["pruned"] = "0" }),
		edit("emojis keep their names", "GLD-10", "name is", "PATCH", "/emojis/", func(o map[string]any) { o["name"] = "conform" }),
		edit("the audit log has no list of rules", "GLD-11", "auto_moderation_rules", "GET", "/audit-logs", func(o map[string]any) { delete(o, "auto_moderation_rules") }),
		edit("new events are active", "GLD-13", "status is", "POST", "/scheduled-events", func(o map[string]any) { o["status"] = 2 }),
		status("events end before they start", "GLD-14", "it has not started", "PATCH", "/scheduled-events/", http.StatusBadRequest, http.StatusOK),
		status("events need no place", "GLD-15", "an event elsewhere has an end", "POST", "/scheduled-events", http.StatusBadRequest, http.StatusOK),
		status("events are deleted twice", "GLD-16", "the event was deleted", "DELETE", "/scheduled-events/", http.StatusNotFound, http.StatusNoContent),
		edit("integrations have no bot", "GLD-17", "application", "GET", "/integrations", func(o map[string]any) { o["application"] = map[string]any{} }),
		status("bots create guilds", "GLD-18", "it is a bot", "POST", "/guilds", http.StatusForbidden, http.StatusCreated),
		edit("bans have no reason", "GLD-19", "reason is", "GET", "/bans/", func(o map[string]any) { o["reason"] = nil }),
		status("members are removed twice", "GLD-20", "the member was removed", "DELETE", "/members/", http.StatusNotFound, http.StatusNoContent),
		{bug: "nobody is disconnected", check: "GLD-21", message: "the member was disconnected", request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("PATCH", "/members/") && body["mute"] == nil {
				delete(body, "channel_id")
			}
		}},
		status("a bulk ban of nobody succeeds", "GLD-22", "there is no such user", "POST", "/bulk-ban", http.StatusBadRequest, http.StatusOK),
		{bug: "searches find nobody", check: "GLD-23", message: "found", response: func(e *exchange) {
			if e.is("GET", "/members/search") && e.status == http.StatusOK {
				e.got = []any{}
			}
		}},
		{bug: "channels are not moved", check: "GLD-24", message: "position is", request: func(e *exchange) {
			if e.is("PATCH", "/channels") {
				e.status = http.StatusNoContent
			}
		}},
		edit("the list of emojis has another name", "GLD-25", "do not have the new one", "GET", "/emojis", func(o map[string]any) { delete(o, "items") }),
		edit("guilds always have counts", "GLD-26", "approximate_member_count", "GET", "/guilds/", func(o map[string]any) { o["approximate_member_count"] = 1 }),
		status("short usernames are taken", "GLD-27", "the username is too short", "PATCH", "/users/@me", http.StatusBadRequest, http.StatusOK),
		status("unknown members are edited", "GLD-28", "there is no such user", "PATCH", "/members/", http.StatusNotFound, http.StatusOK),
		edit("an edit of the guild changes its name", "GLD-12", "name is", "PATCH", "/guilds/", func(o map[string]any) { o["name"] = "other" }),
	}
}
