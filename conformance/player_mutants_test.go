package conformance_test

import (
	"net/http"
	"strconv"
	"strings"
)

// playerMutants returns the mutants of provisional accounts.
func playerMutants() []mutant {
	const named = "/partner-sdk/token/bot"
	on := func(bug, check, message string, edit func(e *exchange, body map[string]any)) mutant {
		return mutant{bug: bug, check: check, message: message, request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("POST", named) {
				edit(e, body)
			}
		}}
	}
	return []mutant{
		{bug: "players get tokens without the scope", check: "PLA-01", message: "want sdk.social_layer", response: func(e *exchange) {
			if token, ok := e.got.(map[string]any); ok && e.is("POST", named) {
				token["scope"] = "identify"
			}
		}},
		on("each sign-in makes a user", "PLA-02", "at the second sign-in", func(e *exchange, body map[string]any) {
			n, _ := e.memory["signed in"].(int)
			e.memory["signed in"] = n + 1
			body["external_user_id"] = text(body["external_user_id"]) + strconv.Itoa(n)
		}),
		on("all players are one user", "PLA-02", "two players are the same user", func(_ *exchange, body map[string]any) { body["external_user_id"] = "anybody" }),
		on("preferred names are dropped", "PLA-03", "global_name", func(_ *exchange, body map[string]any) { delete(body, "preferred_global_name") }),
		{bug: "provisional users have no flag", check: "PLA-03", message: "want the flag", response: func(e *exchange) {
			if user, ok := e.got.(map[string]any); ok && e.is("GET", "/users/@me") {
				user["public_flags"] = 0
			}
		}},
		{bug: "leaving does nothing", check: "PLA-04", message: "the player has left", request: func(e *exchange) {
			if e.is("DELETE", "/members/@me") {
				e.status = http.StatusNoContent
			}
		}},
		{bug: "messages have another author", check: "PLA-04", message: "the author", response: func(e *exchange) {
			if m, ok := e.got.(map[string]any); ok && e.is("POST", "/messages") {
				if author, ok := m["author"].(map[string]any); ok {
					author["id"] = before(text(author["id"]))
				}
			}
		}},
		on("empty names of players are filled", "PLA-05", "external_user_id is empty", func(_ *exchange, body map[string]any) {
			if id, given := body["external_user_id"]; given && id == "" {
				body["external_user_id"] = "anybody"
			}
		}),
		{bug: "players name players", check: "PLA-06", message: "the token is that of a player", request: func(e *exchange) {
			if e.is("POST", named) && strings.HasPrefix(e.Header.Get("Authorization"), "Bearer") {
				e.Header.Set("Authorization", e.bot)
			}
		}},
		{bug: "provisional accounts can be taken apart", check: "PLA-07", message: "the account is provisional", response: func(e *exchange) {
			if e.is("POST", "/unmerge/bot") {
				e.status, e.dropped = http.StatusNoContent, true
			}
		}},
	}
}
