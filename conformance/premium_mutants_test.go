package conformance_test

import (
	"net/http"
	"strings"
)

// premiumMutants returns the mutants of entitlements and of role connections.
func premiumMutants() []mutant {
	return []mutant{
		{bug: "test entitlements have times in the answer", check: "PRM-01", message: "starts_at", response: func(e *exchange) {
			if e.is("POST", "/entitlements") && e.status < 300 {
				e.each(func(o map[string]any) { o["starts_at"] = nil })
			}
		}},
		{bug: "deleted entitlements are listed", check: "PRM-02", message: "the list has a deleted entitlement", request: func(e *exchange) {
			if e.is("GET", "/entitlements") && e.URL.RawQuery == "" {
				e.URL.RawQuery = "exclude_deleted=false"
			}
		}},
		{bug: "unknown SKUs get 400", check: "PRM-03", message: "there is no such SKU", response: func(e *exchange) {
			if e.is("POST", "/entitlements") && e.status == http.StatusNotFound {
				e.status = http.StatusBadRequest
			}
		}},
		{bug: "entitlements belong to another user", check: "PRM-04", message: "the entitlements of the interaction", request: func(e *exchange) {
			if body, ok := e.sent.(map[string]any); ok && e.is("POST", "/entitlements") {
				body["owner_id"] = "1100000000000000201"
			}
		}},
		{bug: "records are added", check: "PRM-05", message: "want two", response: func(e *exchange) {
			if list, ok := e.got.([]any); ok && strings.HasSuffix(e.URL.Path, "/role-connections/metadata") && len(list) == 2 {
				e.got = append(list, list[0])
			}
		}},
	}
}
