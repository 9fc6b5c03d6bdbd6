package conformance_test

import (
	"net/http"
	"slices"
	"strings"
)

// responseMutants returns the mutants that change responses.
func responseMutants() []mutant {
	return slices.Concat(commandMutants(), stateMutants(), otherMutants(), guildMutants(), premiumMutants())
}

func commandMutants() []mutant {
	on := func(bug, check, message string, edit func(c map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, response: func(e *exchange) { e.commands(edit) }}
	}
	null := func(bug, check, message, member string) mutant {
		return on(bug, check, message, func(c map[string]any) { c[member] = nil })
	}
	drop := func(bug, check, message, member string) mutant {
		return on(bug, check, message, func(c map[string]any) { delete(c, member) })
	}
	return []mutant{
		on("ids are numbers", "OBJ-23", "want a snowflake as a string", func(c map[string]any) { c["version"] = 5 }),
		drop("the type is left out", "OBJ-02", "type is null, want 1", "type"),
		drop("the application is left out", "OBJ-03", "application_id is null", "application_id"),
		drop("the guild is left out", "OBJ-04", "guild_id is null", "guild_id"),
		on("USER commands have no description at all", "OBJ-06", `want ""`, func(c map[string]any) {
			if c["type"] != 1.0 {
				c["description"] = nil
			}
		}),
		null("permissions of 0 become null", "OBJ-14", `default_member_permissions is null, want "0"`, "default_member_permissions"),
		on("permissions are numbers", "OBJ-13", `want "2147483680"`, func(c map[string]any) { c["default_member_permissions"] = 2147483680 }),
		on("every command is age-restricted", "OBJ-20", "nsfw", func(c map[string]any) { c["nsfw"] = true }),
		drop("integration_types are left out", "OBJ-22", "integration_types", "integration_types"),
		null("contexts are not kept", "CTX-01", "contexts is null", "contexts"),
		drop("localized names are left out of lists", "LOC-04", "_localized is null", "name_localized"),
		on("localized names that equal the default are left out", "LOC-17", "name_localized is null", func(c map[string]any) {
			if c["name_localized"] == c["name"] {
				delete(c, "name_localized")
			}
		}),
		on("every list contains dictionaries", "LOC-04", "name_localizations are", func(c map[string]any) {
			c["name_localizations"] = map[string]any{"de": "probe-de"}
		}),
		on("bounds of options are not kept", "OPT-33", "min_value is null", func(c map[string]any) {
			l, _ := c["options"].([]any)
			for _, o := range l {
				delete(o.(map[string]any), "min_value")
			}
		}),
		on("options lose their order", "OPT-11", "options.0", func(c map[string]any) {
			if l, ok := c["options"].([]any); ok {
				slices.Reverse(l)
			}
		}),
		on("choices lose their localized names", "CHO-17", "name_localizations is null, want an object", func(c map[string]any) {
			l, _ := c["options"].([]any)
			for _, o := range l {
				choices, _ := o.(map[string]any)["choices"].([]any)
				for _, choice := range choices {
					choice.(map[string]any)["name_localizations"] = nil
				}
			}
		}),
		on("names are shown in capitals", "NAM-15", "name is", func(c map[string]any) { c["name"] = strings.ToUpper(text(c["name"])) }),
	}
}

func stateMutants() []mutant {
	status := func(bug, check, message, method string, from, to int) mutant {
		return mutant{bug: bug, check: check, message: message, response: func(e *exchange) {
			if e.is(method, "/commands") && e.status == from {
				e.status = to
			}
		}}
	}
	return []mutant{
		status("new commands get 200", "STA-01", "the command is new", "POST", 201, 200),
		status("existing commands get 201", "STA-02", "the command exists", "POST", 200, 201),
		status("deleting a command gives 200", "STA-11", "want 204", "DELETE", 204, 200),
		status("changing an unknown command gives 400", "STA-10", "no such command", "PATCH", 404, 400),
		{bug: "deleting a command does nothing", check: "STA-12", message: "the command was deleted", request: func(e *exchange) {
			if e.is("DELETE", "/commands/") && e.memory["deleted"] == nil {
				e.status = http.StatusNoContent
				e.memory["deleted"] = true // so that the cleanup works
			}
		}},
		{bug: "versions do not change", check: "STA-13", message: "after a change", response: func(e *exchange) {
			e.commands(func(c map[string]any) { c["version"] = c["id"] })
		}},
		{bug: "overwriting makes a new command", check: "BLK-02", message: "PUT returned", response: func(e *exchange) {
			if e.Method == http.MethodPut {
				e.commands(func(c map[string]any) { c["id"] = "1" + text(c["id"])[1:5] })
			}
		}},
		{bug: "guilds list global commands", check: "STA-15", message: "lists the global command", response: func(e *exchange) {
			if got, ok := e.got.(map[string]any); ok && e.is("POST", "/commands") {
				e.memory["made"] = got
			}
			if list, ok := e.got.([]any); ok && strings.Contains(e.URL.Path, "/guilds/") && e.memory["made"] != nil {
				e.got = append(list, e.memory["made"])
			}
		}},
		{bug: "a new command is not listed", check: "STA-04", message: "does not list the new command", response: func(e *exchange) {
			if list, ok := e.got.([]any); ok && e.is("GET", "/commands") {
				e.got = slices.DeleteFunc(list, func(c any) bool { return strings.HasSuffix(text(c.(map[string]any)["name"]), "-now") })
			}
		}},
	}
}

func otherMutants() []mutant {
	return []mutant{
		{bug: "the idle timeout is forgotten", check: "LOB-17", message: "idle_timeout_seconds is 300, want 3600", response: func(e *exchange) {
			if e.is("GET", "/_dev/applications/") {
				e.each(func(lobby map[string]any) { lobby["idle_timeout_seconds"] = 300 })
			}
		}},
		{bug: "the decision ignores Use Activities", check: "EVT-13", message: "is true, but", response: func(e *exchange) {
			if e.is("GET", "/_dev/explain") {
				e.each(func(decision map[string]any) { decision["allowed"] = true })
			}
		}},
		{bug: "the disabled endpoint sets permissions", check: "PER-11", message: "the endpoint is disabled", response: func(e *exchange) {
			if e.is("PUT", "/commands/permissions") {
				e.status, e.got, e.body = http.StatusOK, []any{}, []byte("[]")
			}
		}},
		{bug: "deleting a command keeps its permissions", check: "PER-12", message: "did not delete its permissions", response: func(e *exchange) {
			if e.is("PUT", "/permissions") {
				e.memory["set"] = e.got
			}
			if list, ok := e.got.([]any); ok && e.is("GET", "/commands/permissions") {
				e.got = append(list, e.memory["set"])
			}
		}},
		{bug: "permissions objects have no guild_id", check: "PER-01", message: "guild_id", response: func(e *exchange) {
			if e.is("PUT", "/permissions") {
				e.each(func(o map[string]any) { delete(o, "guild_id") })
			}
		}},
		{bug: "flags of members are not shown", check: "MEM-06", message: "flags is 0, want 1", response: func(e *exchange) {
			if e.is("PUT", "/members/") {
				e.each(func(o map[string]any) { o["flags"] = 0 })
			}
		}},
		{bug: "removing a member of an unknown lobby gives 204", check: "MEM-11", message: "there is no such lobby", response: func(e *exchange) {
			if e.is("DELETE", "/members/") && e.status == http.StatusNotFound {
				e.status, e.dropped = http.StatusNoContent, true
			}
		}},
		{bug: "the history is ascending", check: "MSG-07", message: "the newest first", response: func(e *exchange) {
			if list, ok := e.got.([]any); ok && e.is("GET", "/messages") {
				slices.Reverse(list)
			}
		}},
		{bug: "an edit loses the embeds", check: "MSG-08", message: "has the embeds []", response: func(e *exchange) {
			if e.is("PATCH", "/messages/") {
				e.each(func(o map[string]any) { o["embeds"] = []any{} })
			}
		}},
		{bug: "mentions is null", check: "MSG-01", message: "mentions", response: func(e *exchange) {
			if e.is("POST", "/messages") {
				e.each(func(o map[string]any) { o["mentions"] = nil })
			}
		}},
		{bug: "me of reactions is false", check: "MSG-10", message: "me", response: func(e *exchange) {
			if e.is("GET", "/messages/") {
				e.each(func(o map[string]any) {
					list, _ := o["reactions"].([]any)
					for _, r := range list {
						r.(map[string]any)["me"] = false
					}
				})
			}
		}},
		{bug: "pins have no time", check: "MSG-13", message: "pinned_at", response: func(e *exchange) {
			if e.is("GET", "/messages/pins") {
				e.each(func(o map[string]any) {
					list, _ := o["items"].([]any)
					for _, pin := range list {
						delete(pin.(map[string]any), "pinned_at")
					}
				})
			}
		}},
		{bug: "a bulk deletion deletes nothing", check: "MSG-17", message: "it was deleted", request: func(e *exchange) {
			if e.is("POST", "/bulk-delete") {
				e.status = http.StatusNoContent
			}
		}},
		{bug: "a poll does not end", check: "MSG-23", message: "is_finalized", request: func(e *exchange) {
			if e.is("POST", "/expire") {
				e.status, e.body = http.StatusOK, []byte(`{}`)
			}
		}},
		{bug: "threads are created with 200", check: "THR-01", message: "want 201", response: func(e *exchange) {
			if e.is("POST", "/threads") && e.status == http.StatusCreated {
				e.status = http.StatusOK
			}
		}},
		{bug: "archived threads stay active", check: "THR-05", message: "archived", request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("PATCH", "/channels/") {
				delete(body, "archived")
			}
		}},
		{bug: "thread_id is ignored", check: "WHK-06", message: "channel_id", request: func(e *exchange) {
			if e.is("POST", "/webhooks/") {
				e.URL.RawQuery = "wait=true"
			}
		}},
		{bug: "messages of webhooks have a member", check: "WHK-03", message: "a webhook is no member", response: func(e *exchange) {
			if e.is("POST", "/webhooks/") {
				e.each(func(o map[string]any) { o["member"] = map[string]any{} })
			}
		}},
		{bug: "overwrites are not stored", check: "CHN-04", message: "want one", request: func(e *exchange) {
			if e.is("PUT", "/permissions/") {
				e.status = http.StatusNoContent
			}
		}},
		{bug: "every request makes a new invite", check: "CHN-06", message: "unique", request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("POST", "/invites") {
				body["unique"] = true
			}
		}},
		{bug: "deleting a lobby returns a body", check: "LOB-12", message: "want an empty body", response: func(e *exchange) {
			if e.is("DELETE", "/lobbies/") {
				e.status, e.body, e.got = http.StatusOK, []byte(`{"deleted":true}`), map[string]any{"deleted": true}
			}
		}},
		{bug: "a 429 has no Retry-After", check: "LIM-05", message: "Retry-After", response: func(e *exchange) {
			e.header.Del("Retry-After")
		}},
		{bug: "there is no rate limit", check: "LIM-05", cleanupFails: true, message: "got no 429", response: func(e *exchange) {
			if e.status == http.StatusTooManyRequests {
				e.status = http.StatusOK
			}
		}},
		{bug: "there is no daily limit", check: "LIM-06", message: "in one day", request: func(e *exchange) {
			if e.is("DELETE", "/commands/") && e.memory["cleaning"] == nil {
				e.status = http.StatusNoContent
			}
			if d := e.definition(); d != nil && e.Method == http.MethodPost {
				e.memory["asked"] = true
			}
		}, response: func(e *exchange) {
			if e.is("POST", "/commands") && e.status == http.StatusOK {
				e.status = http.StatusCreated
			}
		}},
	}
}
