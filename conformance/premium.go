package conformance

import "net/http"

// entitlementsPath is the path of the entitlements of the application.
func (p *probe) entitlementsPath() string {
	return "/applications/" + p.Application.String() + "/entitlements"
}

// grant gives a user a test entitlement to the first offer of the application. It returns the path and the answer.
func (p *probe) grant(user string) (path string, made obj) {
	body := obj{"sku_id": p.soldSKU, "owner_id": user, "owner_type": 2}
	made = p.object(p.wantStatus(p.send(http.MethodPost, p.entitlementsPath(), body), "the application sells the SKU", http.StatusOK))
	p.snowflake(made, "id")
	path = p.entitlementsPath() + "/" + text(made["id"])
	p.channels[path] = true // the cleanup of the run deletes it
	return path, made
}

// premiumChecks returns the checks of entitlements and of role connections.
func premiumChecks() []Check {
	const needs = Writes | Guild | Users | Seller
	records := func(p *probe) string {
		return "/applications/" + p.Application.String() + "/role-connections/metadata"
	}
	return []Check{
		on("PRM-01", "Entitlement: Create Test Entitlement", 0, "A new test entitlement is returned with 200 and without times, and is listed with them.", needs, func(p *probe) {
			path, made := p.grant(p.user(0))
			p.wantMembers("the entitlement", made, obj{"sku_id": p.soldSKU, "user_id": p.user(0), "type": 8, "deleted": false})
			p.wantAbsent(made, "starts_at", "the answer to a request for a test entitlement has no times")
			p.wantAbsent(made, "ends_at", "the answer to a request for a test entitlement has no times")
			p.wantMembers("the entitlement", p.read(path), obj{"id": made["id"], "starts_at": nil, "ends_at": nil})
			if !hasID(p.readList(p.entitlementsPath()+"?user_id="+p.user(0)), made["id"]) {
				p.fail("the entitlements of the user do not have the new one")
			}
			if hasID(p.readList(p.entitlementsPath()+"?user_id="+p.user(1)), made["id"]) {
				p.fail("the entitlements of another user have the new one")
			}
		}),
		on("PRM-02", "Entitlement: List Entitlements", 0, "A deleted entitlement is listed only on request.", needs, func(p *probe) {
			path, made := p.grant(p.user(0))
			p.wantEmpty(p.send(http.MethodDelete, path, nil), "it is a test entitlement")
			if hasID(p.readList(p.entitlementsPath()), made["id"]) {
				p.fail("the list has a deleted entitlement")
			}
			if !hasID(p.readList(p.entitlementsPath()+"?exclude_deleted=false&user_id="+p.user(0)), made["id"]) {
				p.fail("the list with exclude_deleted=false lacks the deleted entitlement")
			}
			p.wantNotFound(p.send(http.MethodDelete, path, nil), "the entitlement was deleted")
		}),
		on("PRM-03", "Entitlement: Create Test Entitlement", 0, "An unknown SKU and an incomplete request are refused.", needs, func(p *probe) {
			p.wantNotFound(p.send(http.MethodPost, p.entitlementsPath(), obj{"sku_id": "5", "owner_id": p.user(0), "owner_type": 2}), "there is no such SKU")
			p.wantRejected(p.send(http.MethodPost, p.entitlementsPath(), obj{"sku_id": p.soldSKU, "owner_id": p.user(0)}), "it has no owner_type")
		}),
		needing(Seller, invoking("PRM-04", "Entitlement: Entitlement Object", 0, "An interaction contains the entitlements of the user, until they are deleted.", func(s *invoker) {
			s.register(obj{})
			path, made := s.grant(s.other)
			got := s.wantAnswered(s.other, s.input(s.name("use")))
			if !hasID(items(got, "entitlements"), made["id"]) {
				s.fail("the entitlements of the interaction are %s, want one with the id %s", short(encode(got["entitlements"])), text(made["id"]))
			}
			s.wantEmpty(s.send(http.MethodDelete, path, nil), "it is a test entitlement")
			if got := s.wantAnswered(s.other, s.input(s.name("use"))); hasID(items(got, "entitlements"), made["id"]) {
				s.fail("the interaction has an entitlement that was deleted")
			}
		})),
		on("PRM-05", "Application Role Connection Metadata: Update Application Role Connection Metadata Records", 0,
			"The records of role connections are replaced, and are at most five.", needs, func(p *probe) {
				old := p.readList(records(p))
				record := func(key string) obj { return obj{"type": 2, "key": key, "name": "A", "description": "B"} }
				set := p.objects(p.wantStatus(p.send(http.MethodPut, records(p), []any{record("a"), record("b")}), "the records are valid", http.StatusOK))
				if len(set) != 2 || len(p.readList(records(p))) != 2 {
					p.fail("the records are %s, want two", short(encode(set)))
				}
				six := []any{record("a"), record("b"), record("c"), record("d"), record("e"), record("f")}
				p.wantRejected(p.send(http.MethodPut, records(p), six), "there are more than five")
				p.wantRejected(p.send(http.MethodPut, records(p), []any{record("A b")}), "the key has other characters")
				p.wantStatus(p.send(http.MethodPut, records(p), old), "the records are as before", http.StatusOK)
			}),
	}
}
