package conformance_test

import (
	"net/http"
	"slices"
	"strings"
)

// requestMutants returns the mutants that change requests.
func requestMutants() []mutant {
	return slices.Concat(tokenMutants(), definitionMutants(), optionMutants(), lobbyMutants(), playerMutants(), invocationMutants())
}

func tokenMutants() []mutant {
	return []mutant{
		{bug: "requests without a token are accepted", check: "AUT-01", message: "there is no token", request: func(e *exchange) {
			if e.Header.Get("Authorization") == "" {
				e.Header.Set("Authorization", e.bot)
			}
		}},
		{bug: "any token is accepted", check: "AUT-02", message: "the token is unknown", request: func(e *exchange) {
			if strings.Contains(e.Header.Get("Authorization"), "unknown.bot.token") {
				e.Header.Set("Authorization", e.bot)
			}
		}},
		{bug: "the application of the token is ignored", check: "AUT-06", message: "another application", request: func(e *exchange) {
			e.URL.Path = strings.ReplaceAll(e.URL.Path, before(echo.String()), echo.String())
		}},
		{bug: "access tokens cannot register", check: "AUT-05", message: "the token has the scope", request: func(e *exchange) {
			if e.is("POST", "/commands") && strings.HasPrefix(e.Header.Get("Authorization"), "Bearer") {
				e.status = http.StatusForbidden
			}
		}},
		{bug: "reading needs the scope", check: "AUT-13", message: "reading needs no scope", response: func(e *exchange) {
			if e.is("GET", "/commands") && strings.HasPrefix(e.Header.Get("Authorization"), "Bearer") {
				e.status = http.StatusForbidden
			}
		}},
		{bug: "creating needs no scope", check: "AUT-13", message: "creating needs the scope", request: func(e *exchange) {
			if e.is("POST", "/commands") && strings.HasPrefix(e.Header.Get("Authorization"), "Bearer") {
				e.Header.Set("Authorization", e.bot)
			}
		}},
		{bug: "lobby endpoints need no prefix", check: "AUT-09", message: "the prefix Bot", request: func(e *exchange) {
			if auth := e.Header.Get("Authorization"); "Bot "+auth == e.bot {
				e.Header.Set("Authorization", e.bot)
			}
		}},
		{bug: "command endpoints ignore the case of the prefix", check: "AUT-12", message: "the prefix is bot", request: func(e *exchange) {
			if token, found := strings.CutPrefix(e.Header.Get("Authorization"), "bot "); found && e.is("GET", "/commands") {
				e.Header.Set("Authorization", "Bot "+token)
			}
		}},
		{bug: "bots set permissions", check: "PER-09", message: "the token is a bot token", request: func(e *exchange) {
			if e.is("PUT", "/permissions") && e.Header.Get("Authorization") == e.bot {
				e.Header.Set("Authorization", e.editor)
			}
		}},
		{bug: "setting permissions keeps the existing ones", check: "PER-04", message: "want a list of 1", request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("PUT", "/permissions") {
				list, _ := body["permissions"].([]any)
				old, _ := e.memory["entries"].([]any)
				body["permissions"] = append(slices.Clone(old), list...)
				e.memory["entries"] = list
			}
		}},
	}
}

func definitionMutants() []mutant {
	on := func(bug, check, message string, edit func(e *exchange, d map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			if d := e.definition(); d != nil {
				edit(e, d)
			}
		}}
	}
	return []mutant{
		on("long descriptions are cut", "OBJ-08", "more than 100", func(_ *exchange, d map[string]any) { d["description"] = cut(d["description"], 100) }),
		on("an empty description is filled", "OBJ-09", "cannot be empty", func(_ *exchange, d map[string]any) {
			if d["description"] == "" {
				d["description"] = "-"
			}
		}),
		on("dm_permission is forgotten", "OBJ-18", "dm_permission is true, want false", func(_ *exchange, d map[string]any) { delete(d, "dm_permission") }),
		on("names are made lowercase", "NAM-06", "lowercase", func(_ *exchange, d map[string]any) { d["name"] = strings.ToLower(text(d["name"])) }),
		on("spaces in names become hyphens", "NAM-08", "spaces", func(_ *exchange, d map[string]any) { d["name"] = strings.ReplaceAll(text(d["name"]), " ", "-") }),
		on("long names are cut", "NAM-02", "more than 32", func(_ *exchange, d map[string]any) { d["name"] = cut(d["name"], 32) }),
		on("names are counted in bytes", "NAM-03", "returned 400", func(_ *exchange, d map[string]any) {
			if len(text(d["name"])) > 32 {
				d["name"] = ""
			}
		}),
		on("the description of USER commands is dropped", "NAM-17", "with a description", func(_ *exchange, d map[string]any) {
			if d["type"] != 1.0 && d["type"] != nil {
				delete(d, "description")
			}
		}),
		on("guilds have entry points", "CTX-06", "entry point commands are global", func(_ *exchange, d map[string]any) {
			if d["type"] == 4.0 {
				d["type"] = 2
				delete(d, "handler")
			}
		}),
		on("unknown permissions are dropped", "OBJ-29", "default_member_permissions", func(_ *exchange, d map[string]any) {
			if d["default_member_permissions"] == "18014398509481984" {
				d["default_member_permissions"] = "0"
			}
		}),
		on("integration types are ignored in guilds", "CTX-09", "does not support", func(e *exchange, d map[string]any) {
			if strings.Contains(e.URL.Path, "/guilds/") {
				delete(d, "integration_types")
			}
		}),
		on("permissions stay after default_permission false", "STA-16", "want null", func(e *exchange, d map[string]any) {
			if _, given := d["default_permission"]; given && e.Method == http.MethodPatch {
				d["default_member_permissions"] = "0"
			}
		}),
		on("default_permission true clears given permissions", "STA-16", "whose permissions were given", func(e *exchange, d map[string]any) {
			if _, given := d["default_permission"]; given && e.Method == http.MethodPatch {
				d["default_member_permissions"] = nil
			}
		}),
		on("null permissions win over default_permission", "STA-17", "and null permissions", func(e *exchange, d map[string]any) {
			if bits, given := d["default_member_permissions"]; given && bits == nil && e.Method == http.MethodPost {
				delete(d, "default_permission")
			}
		}),
		on("PATCH with null permissions opens a command", "STA-17", "after PATCH with null", func(e *exchange, d map[string]any) {
			if bits, given := d["default_member_permissions"]; given && bits == nil && e.Method == http.MethodPatch {
				d["default_permission"] = true
			}
		}),
		on("the numbers of choices do not count", "LIM-07", "8006 characters", func(_ *exchange, d map[string]any) {
			list, _ := d["options"].([]any)
			for _, o := range list {
				choices, _ := o.(map[string]any)["choices"].([]any)
				for i, c := range choices {
					if _, number := c.(map[string]any)["value"].(float64); number {
						c.(map[string]any)["value"] = i
					}
				}
			}
		}),
		on("integration types are ignored", "CTX-05", "no app supports", func(_ *exchange, d map[string]any) { delete(d, "integration_types") }),
		on("PATCH resets what it does not name", "STA-06", "nsfw is false, want true", func(e *exchange, d map[string]any) {
			if e.Method == http.MethodPatch && d["nsfw"] == nil {
				d["nsfw"] = false
			}
		}),
		on("POST changes only what it names", "STA-03", "still has old fields", func(e *exchange, d map[string]any) {
			if d["options"] == nil && e.Method == http.MethodPost {
				d["options"] = e.memory["options"]
			}
			e.memory["options"] = d["options"]
		}),
		{bug: "invalid items are skipped", check: "BLK-04", message: "not lowercase", request: func(e *exchange) {
			if list, ok := e.sent.([]any); ok && e.Method == http.MethodPut {
				e.sent = slices.DeleteFunc(list, func(item any) bool {
					name := text(item.(map[string]any)["name"])
					return strings.ToLower(name) != name
				})
			}
		}},
		{bug: "long lists are cut", check: "BLK-06", message: "no more than 100", request: func(e *exchange) {
			if list, ok := e.sent.([]any); ok && len(list) > 100 {
				e.sent = list[:100]
			}
		}},
		{bug: "the ids of a list are ignored", check: "BLK-03", message: "and a new name returned", request: func(e *exchange) {
			if list, ok := e.sent.([]any); ok {
				for _, item := range list {
					delete(item.(map[string]any), "id")
				}
			}
		}},
		{bug: "with_localizations is ignored", check: "LOC-03", message: "_localizations is null, want an object", request: func(e *exchange) {
			withoutQuery(e, "with_localizations")
		}},
		{bug: "Accept-Language comes first", check: "LOC-06", message: `"franz"`, request: func(e *exchange) {
			if e.Header.Get("Accept-Language") != "" {
				e.Header.Del("X-Service-Locale")
			}
		}},
		{bug: "case matters in X-Service-Locale", check: "LOC-18", message: `want "deutsch"`, request: func(e *exchange) { replaceLocale(e, "DE", "fr") }},
		{bug: "en-US has no fallback", check: "LOC-09", message: `want "british"`, request: func(e *exchange) { replaceLocale(e, "en-US", "fr") }},
		{bug: "es-ES falls back to es-419", check: "LOC-12", message: "want the default", request: func(e *exchange) { replaceLocale(e, "es-ES", "es-419") }},
		{bug: "only five options count", check: "LIM-02", message: "8001 characters", request: func(e *exchange) {
			if list := e.options(); len(list) > 5 {
				e.definition()["options"] = list[:5]
			}
		}},
	}
}

func invocationMutants() []mutant {
	on := func(bug, check, message string, edit func(d map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			if d := e.definition(); d != nil {
				edit(d)
			}
		}}
	}
	options := func(edit func(o map[string]any)) func(map[string]any) {
		return func(d map[string]any) {
			l, _ := d["options"].([]any)
			for _, o := range l {
				edit(o.(map[string]any))
			}
		}
	}
	return []mutant{
		on("choices are ignored", "EVT-08", "b is not a choice", options(func(o map[string]any) { delete(o, "choices") })),
		on("subcommands are ignored", "EVT-09", "only its subcommand", func(d map[string]any) { delete(d, "options") }),
		on("default_member_permissions is ignored", "EVT-10", "for administrators", func(d map[string]any) { delete(d, "default_member_permissions") }),
		on("required is ignored", "EVT-11", "required option is missing", options(func(o map[string]any) { delete(o, "required") })),
		on("max_value is ignored", "EVT-12", "6 is more than 5", options(func(o map[string]any) { delete(o, "max_value") })),
		{bug: "the app receives no interaction", check: "EVT-01", message: "want the outcome answered", request: func(e *exchange) {
			if e.is("POST", "/_dev/invoke") {
				e.status, e.body = http.StatusOK, []byte(`{"outcome":"failed"}`)
			}
		}},
		{bug: "the app receives no autocomplete interaction", check: "EVT-06", message: "received no interaction", request: func(e *exchange) {
			if e.is("POST", "/_dev/invoke") {
				e.status, e.body = http.StatusOK, []byte(`{"outcome":"answered","choices":[]}`)
			}
		}},
		{bug: "options that are not focused can have any text", check: "EVT-14", message: "abc is no number", request: func(e *exchange) {
			if e.is("POST", "/_dev/invoke") {
				command, _ := e.sent.(map[string]any)["command"].(map[string]any)
				first := command["options"].([]any)[0].(map[string]any)
				if first["value"] == "abc" {
					first["value"] = 5
				}
			}
		}},
	}
}

func replaceLocale(e *exchange, from, to string) {
	if e.Header.Get("X-Service-Locale") == from {
		e.Header.Set("X-Service-Locale", to)
	}
}

func optionMutants() []mutant {
	on := func(bug, check, message string, edit func(o map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			for _, o := range e.options() {
				edit(o.(map[string]any))
			}
		}}
	}
	list := func(bug, check, message string, edit func([]any) []any) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			if l := e.options(); l != nil {
				e.definition()["options"] = edit(l)
			}
		}}
	}
	return []mutant{
		list("required options are moved to the front", "OPT-01", "before optional", func(l []any) []any {
			slices.SortStableFunc(l, func(a, b any) int {
				if a.(map[string]any)["required"] == b.(map[string]any)["required"] {
					return 0
				}
				if a.(map[string]any)["required"] == true {
					return -1
				}
				return 1
			})
			return l
		}),
		list("options of one name are merged", "OPT-03", "the same name", func(l []any) []any {
			return slices.CompactFunc(l, func(a, b any) bool { return a.(map[string]any)["name"] == b.(map[string]any)["name"] })
		}),
		list("the 26th option is dropped", "OPT-13", "more than 25", func(l []any) []any { return l[:min(len(l), 25)] }),
		on("groups in groups are dropped", "OPT-15", "A group cannot contain a group", func(o map[string]any) {
			if o["type"] == 2.0 {
				o["options"] = []any{map[string]any{"type": 1, "name": "x", "description": "x"}}
			}
		}),
		on("groups in subcommands are dropped", "OPT-16", "A subcommand cannot contain a group", func(o map[string]any) {
			if o["type"] == 1.0 {
				delete(o, "options")
			}
		}),
		on("fractions are rounded", "OPT-35", "cannot have a fraction", func(o map[string]any) {
			if n, ok := o["min_value"].(float64); ok {
				o["min_value"] = int(n)
			}
		}),
		on("a max_length of 0 is raised", "OPT-44", "at least 1", func(o map[string]any) {
			if o["max_length"] == 0.0 {
				o["max_length"] = 1
			}
		}),
		on("autocomplete is dropped when there are choices", "OPT-49", "both autocomplete and choices", func(o map[string]any) {
			if o["choices"] != nil {
				delete(o, "autocomplete")
			}
		}),
		on("choices of another type are dropped", "CHO-04", "string value", func(o map[string]any) {
			if o["type"] == 4.0 {
				delete(o, "choices")
			}
		}),
		on("the 26th choice is dropped", "CHO-15", "more than 25", func(o map[string]any) {
			if l, ok := o["choices"].([]any); ok && len(l) > 25 {
				o["choices"] = l[:25]
			}
		}),
		on("values of choices are cut", "CHO-11", "more than 100", func(o map[string]any) {
			l, _ := o["choices"].([]any)
			for _, c := range l {
				c.(map[string]any)["value"] = cut(c.(map[string]any)["value"], 100)
			}
		}),
		on("names that collide by a fallback are dropped", "LOC-19", "from a fallback", func(o map[string]any) {
			if names, ok := o["name_localizations"].(map[string]any); ok {
				delete(names, "en-GB")
			}
		}),
		on("localized names that collide are dropped", "LOC-14", "cannot equal the default name", func(o map[string]any) { delete(o, "name_localizations") }),
	}
}

func lobbyMutants() []mutant {
	on := func(bug, check, message string, edit func(e *exchange, body map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && strings.Contains(e.URL.Path, "/lobbies") {
				edit(e, body)
			}
		}}
	}
	metadata := func(body map[string]any) map[string]any {
		m, _ := body["metadata"].(map[string]any)
		return m
	}
	return []mutant{
		on("long metadata is cut", "LOB-04", "more than 1000", func(_ *exchange, body map[string]any) {
			for k, v := range metadata(body) {
				metadata(body)[k] = cut(v, 100)
			}
		}),
		on("numbers in metadata become strings", "LOB-05", "strings", func(_ *exchange, body map[string]any) {
			for k := range metadata(body) {
				metadata(body)[k] = "x"
			}
		}),
		on("a small idle_timeout_seconds is raised", "LOB-07", "less than 5", func(_ *exchange, body map[string]any) {
			if n, ok := body["idle_timeout_seconds"].(float64); ok && n < 5 {
				body["idle_timeout_seconds"] = 5
			}
		}),
		on("PATCH merges metadata", "LOB-09", "still has old values", func(e *exchange, body map[string]any) {
			if e.Method == http.MethodPatch && metadata(body) != nil {
				metadata(body)["a"] = "1"
			}
		}),
		{bug: "sessions are retained by another clock", check: "LOB-18", message: "exists 1000 minutes", request: func(e *exchange) {
			if e.is("POST", "/_dev/clock") {
				e.status, e.body = http.StatusOK, []byte(`{"now":"2026-01-01T00:00:00Z"}`)
			}
		}},
		{bug: "deleting a lobby does nothing", check: "LOB-13", message: "the lobby was deleted", request: func(e *exchange) {
			if e.is("DELETE", "/lobbies/") {
				e.status = http.StatusNoContent
			}
		}},
		{bug: "deleting a lobby twice fails", check: "LOB-14", message: "deleting a lobby again succeeds", request: func(e *exchange) {
			if e.is("DELETE", "/lobbies/") && e.memory[e.URL.Path] != nil {
				e.status = http.StatusNotFound
				delete(e.memory, e.URL.Path) // so that the cleanup works
				return
			}
			if e.is("DELETE", "/lobbies/") {
				e.memory[e.URL.Path] = true
			}
		}},
		on("the 26th member is dropped", "MEM-02", "26 members", func(_ *exchange, body map[string]any) {
			if l, ok := body["members"].([]any); ok && len(l) > 25 {
				body["members"] = l[:25]
			}
		}),
		on("members without an id are dropped", "MEM-03", "the id is missing", func(_ *exchange, body map[string]any) { delete(body, "members") }),
		on("adding a member again changes nothing", "MEM-05", `a is "1", want "2"`, func(e *exchange, body map[string]any) {
			if e.is("PUT", "/members/") {
				if first, ok := e.memory["first"]; ok {
					body["metadata"] = first
				}
				e.memory["first"] = body["metadata"]
			}
		}),
		on("metadata keeps only 25 keys", "LOB-16", "metadata", func(_ *exchange, body map[string]any) {
			for k := range metadata(body) {
				if len(metadata(body)) > 25 {
					delete(metadata(body), k)
				}
			}
		}),
		on("PUT clears the fields that the request does not contain", "MEM-15", "PUT with only flags", func(e *exchange, body map[string]any) {
			if e.is("PUT", "/members/") && body["metadata"] == nil {
				body["metadata"] = nil
			}
		}),
		on("unknown flags are dropped", "MEM-07", "not supported", func(_ *exchange, body map[string]any) { delete(body, "flags") }),
		on("PATCH adds members", "MEM-12", "the members are", func(e *exchange, body map[string]any) {
			l, _ := body["members"].([]any)
			old, _ := e.memory["members"].([]any)
			if l != nil {
				body["members"] = append(slices.Clone(old), l...)
				e.memory["members"] = l
			}
		}),
	}
}
