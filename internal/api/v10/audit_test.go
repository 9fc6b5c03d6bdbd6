package v10_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// audited returns the newest entries of the audit log that a query selects.
func (s *service) audited(t *testing.T, query string) []store.AuditEntry {
	t.Helper()
	got := s.ask(t, "op-read", "GET", "/admin/v1/audit?"+query, "")
	var list []store.AuditEntry
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != http.StatusOK {
		t.Fatalf("GET /admin/v1/audit?%s: %d %s %v", query, got.status, got.body, err)
	}
	return list
}

// TestAudit makes changes as operators, users and apps, and reads their entries in the audit log.
func TestAudit(t *testing.T) {
	t.Parallel()
	d := open(t)
	const (
		guild  = "/admin/v1/guilds/900000000000000001"
		app    = "/admin/v1/applications/1300000000000000001"
		tokens = "/applications/1300000000000000001/guilds/900000000000000001/commands/1300000000000000001/permissions"
	)
	for _, tt := range []struct {
		as, method, path, body string
		// actor|via|action|target of the entries, oldest first, and parts of their objects before and after.
		want   []string
		before string
		after  string
	}{
		{
			"op-directory", "PUT", "/admin/v1/users/700000000000000002", `{"username":"bobby"}`,
			[]string{"operator:op-directory||user.update|user/700000000000000002"},
			`"username":"bob"`, `"username":"bobby"`,
		},
		{
			"admin", "PUT", "/admin/v1/users/700000000000000009", `{"username":"eve","token":"secret-of-eve"}`,
			[]string{"operator:admin||user.create|user/700000000000000009", "operator:admin||token.replace|user/700000000000000009/token"},
			"", "",
		},
		{"admin", "GET", "/admin/v1/world", "", []string{"operator:admin||world.export|world"}, "", ""},
		{"admin", "DELETE", "/admin/v1/users/700000000000000009", "", []string{"operator:admin||user.delete|user/700000000000000009"}, `"username":"eve"`, ""},
		{
			"admin", "PUT", guild + "/roles/900000000000000031", `{"name":"mods","permissions":"8"}`,
			[]string{"operator:admin||role.create|guild/900000000000000001/role/900000000000000031"},
			"", `"name":"mods"`,
		},
		{
			"admin", "DELETE", guild + "/installs/1300000000000000001", "",
			[]string{"operator:admin||install.delete|guild/900000000000000001/install/1300000000000000001"},
			"applications.commands", "",
		},
		{
			"admin", "PUT", guild + "/installs/1300000000000000001", `{"scopes":["applications.commands"]}`,
			[]string{"operator:admin||install.create|guild/900000000000000001/install/1300000000000000001"},
			"", "applications.commands",
		},
		{
			"op-secrets", "POST", app + "/client-secret", "",
			[]string{"operator:op-secrets||secret.replace|application/1300000000000000001/client-secret"},
			"", "",
		},
		{"op-secrets", "POST", app + "/bot-token", "", []string{"operator:op-secrets||token.replace|application/1300000000000000001/bot-token"}, "", ""},
		{
			"op-secrets", "POST", "/admin/v1/users/700000000000000001/passes", "",
			[]string{"operator:op-secrets||token.create|user/700000000000000001/token"},
			"", "expires_at",
		},
		{"admin", "PUT", "/admin/v1/operators/ci", `{"scopes":["read"]}`, []string{"operator:admin||token.create|operator/ci"}, "", `"scopes":["read"]`},
		{"admin", "DELETE", "/admin/v1/operators/ci", "", []string{"operator:admin||token.revoke|operator/ci"}, "", ""},
		{"admin", "POST", "/admin/v1/session", "", []string{"operator:admin||operator.signin|operator/admin"}, "", ""},
		{"wrong", "GET", "/admin/v1/users", "", []string{"anonymous||operator.signin_failed|GET /admin/v1/users"}, "", ""},
		{
			"permit-ada", "PUT", "/api/v10" + tokens, `{"permissions":[{"id":"900000000000000001","type":1,"permission":false}]}`,
			[]string{"user:700000000000000001|application:1300000000000000001|permissions.update|guild/900000000000000001/permissions/1300000000000000001/1300000000000000001"},
			"", `"permission":false`,
		},
		{
			"op-secrets", "PUT", "/admin/v1/users/700000000000000001/identities", `{"issuer":"https://id.example","subject":"ada"}`,
			[]string{"operator:op-secrets||identity.put|user/700000000000000001/identity"},
			"", `"subject":"ada","user":"700000000000000001"`,
		},
		{
			"op-secrets", "PUT", "/admin/v1/users/700000000000000002/identities", `{"issuer":"https://id.example","subject":"ada"}`,
			[]string{"operator:op-secrets||identity.put|user/700000000000000002/identity"},
			`"user":"700000000000000001"`, `"user":"700000000000000002"`,
		},
		{"admin", "PUT", "/admin/v1/users/700000000000000002", `{"username":"bobby"}`, nil, "", ""}, // changes nothing
		{"admin", "PUT", "/admin/v1/users/700000000000000002", `{"username":""}`, nil, "", ""},      // is refused
		{"op-read", "PUT", "/admin/v1/users/700000000000000002", `{"username":"b"}`, nil, "", ""},   // is refused
	} {
		from := d.audited(t, "limit=1")[0].ID
		answer := d.ask(t, tt.as, tt.method, tt.path, tt.body)
		var got []string
		var before, after string
		all := d.audited(t, "")
		for _, e := range slices.Backward(all) {
			if e.ID <= from {
				continue
			}
			got = append(got, strings.Join([]string{e.Actor, e.Via, e.Action, e.Target}, "|"))
			before, after = before+string(e.Before), after+string(e.After)
			if e.Address != "192.0.2.1" || e.Time.IsZero() {
				t.Errorf("%s %s: entry from %q at %v", tt.method, tt.path, e.Address, e.Time)
			}
		}
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%s %s (%d %s) as %s: entries\n%s\nwant\n%s", tt.method, tt.path, answer.status, answer.body, tt.as, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
		if !strings.Contains(before, tt.before) || !strings.Contains(after, tt.after) {
			t.Errorf("%s %s: before %s, after %s, want %s and %s", tt.method, tt.path, before, after, tt.before, tt.after)
		}
		if tt.before == "" && before != "" {
			t.Errorf("%s %s: before %s, want none", tt.method, tt.path, before)
		}
		var made struct{ Secret, Token string }
		if json.Unmarshal([]byte(answer.body), &made) == nil {
			for _, secret := range []string{made.Secret, made.Token, "secret-of-eve"} {
				if text := d.ask(t, "op-read", "GET", "/admin/v1/audit", "").body; secret != "" && strings.Contains(text, secret) {
					t.Errorf("%s %s: the audit log contains a secret", tt.method, tt.path)
				}
			}
		}
	}
}

// TestAuditOfSignIns signs a user in, fails to sign in, grants and ends a consent, and signs out.
func TestAuditOfSignIns(t *testing.T) {
	t.Parallel()
	d := open(t)
	addPortal(t, d)
	from := d.audited(t, "limit=1")[0].ID
	b := &browser{service: d, described: describe(t, d, &coverage{})}
	signIn := b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", "token=nobody", http.StatusUnauthorized)
	b.send(t, signIn, "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	shown := b.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusOK)
	b.send(t, shown, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusOK)
	device := b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	b.send(t, device, "/oauth2/signout", "", http.StatusOK)
	signIn = b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	for _, path := range []string{"/sessions", "/grants/" + portal} {
		if got := d.ask(t, "admin", "DELETE", "/admin/v1/users/700000000000000001"+path, ""); got.status != http.StatusNoContent {
			t.Fatalf("DELETE %s: %d %s", path, got.status, got.body)
		}
	}
	var got []string
	for _, e := range d.audited(t, "") {
		if e.ID > from {
			got = append([]string{e.Actor + " " + e.Action + " " + e.Target}, got...)
		}
		if e.Action == "consent.grant" && (len(e.Before) > 0 || string(e.After) != `{"scopes":["email","identify","openid"]}`) {
			t.Errorf("the consent changes %s to %s", e.Before, e.After)
		}
	}
	want := `anonymous signin.failed /oauth2/signin
user:700000000000000001 signin user/700000000000000001
user:700000000000000001 consent.grant user/700000000000000001/consent/1300000000000000009
user:700000000000000001 signout user/700000000000000001
user:700000000000000001 signin user/700000000000000001
operator:admin session.end user/700000000000000001/sessions
operator:admin consent.revoke user/700000000000000001/consent/1300000000000000009`
	if strings.Join(got, "\n") != want {
		t.Errorf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestAuditFilters reads the audit log by actor, action, target, page and time.
func TestAuditFilters(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, name := range []string{"a", "b", "c"} {
		d.ask(t, "admin", "PUT", "/admin/v1/users/700000000000000002", `{"username":"`+name+`"}`)
	}
	all := d.audited(t, "actor=operator:admin")
	if len(all) != 3 || !strings.Contains(string(all[0].After), `"c"`) {
		t.Fatalf("entries of the operator: %v, want 3, newest first", all)
	}
	middle := all[1]
	for query, want := range map[string]int{
		"actor=operator:admin&action=user.update":             3,
		"actor=operator:admin&action=user.delete":             0,
		"actor=operator:admin&target=user/700000000000000002": 3,
		"actor=operator:admin&target=user/700000000000000001": 0,
		"actor=operator:admin&limit=2":                        2,
		"actor=operator:admin&before=" + idText(middle.ID):    1,
		"actor=operator:admin&after=" + idText(middle.ID):     1,
		"actor=operator:admin&since=1h":                       3,
		"actor=operator:admin&since=2026-05-01T12:00:01Z":     0,
		"actor=operator:nobody":                               0,
	} {
		if got := d.audited(t, query); len(got) != want {
			t.Errorf("%s: %d entries, want %d", query, len(got), want)
		}
	}
	for _, query := range []string{"limit=0", "limit=1001", "since=yesterday", "before=x"} {
		if got := d.ask(t, "op-read", "GET", "/admin/v1/audit?"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", query, got.status)
		}
	}
}

func idText(id uint64) string { return strconv.FormatUint(id, 10) }
