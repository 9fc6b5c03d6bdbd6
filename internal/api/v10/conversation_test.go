package v10_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestConversations sends the requests of the text archives in testdata and compares the responses. A request is a line
// "caller METHOD path", header lines, an empty line and the body.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	var met coverage
	t.Run("play", func(t *testing.T) { // returns when all conversations have ended
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				converse(t, file, &met)
			})
		}
	})
	// These responses differ in every run, so they are not in a file.
	d := open(t)
	described := describe(t, d, &met)
	const app = "/admin/v1/applications/1300000000000000001"
	for _, ask := range [][4]string{
		{"anonymous", "GET", "/metrics", ""},
		{"anonymous", "GET", "/openapi.json", ""},
		{"anonymous", "GET", "/commands.schema.json", ""},
		{"anonymous", "GET", "/_dev/requests", ""},
		{"anonymous", "GET", d.keep(t, 1, "a.png", "A"), ""},
		{"bot", "PATCH", "/api/v10/users/@me", `{"avatar":"` + dot + `","banner":"` + dot + `"}`},
		{"bot", "PATCH", "/api/v10/applications/@me", `{"icon":"` + dot + `"}`},
		{"person", "PATCH", "/api/v10/guilds/900000000000000001/members/@me", `{"avatar":"` + dot + `","banner":"` + dot + `"}`},
		{"anonymous", "GET", "/guilds/900000000000000001/users/700000000000000001/avatars/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/guilds/900000000000000001/users/700000000000000001/banners/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/avatars/1300000000000000001/" + dotHash + ".png?size=64", ""},
		{"anonymous", "GET", "/banners/1300000000000000001/" + dotHash + ".webp", ""},
		{"anonymous", "GET", "/app-icons/1300000000000000001/" + dotHash + ".jpg", ""},
		{"admin", "PUT", "/admin/v1/guilds/900000000000000001", `{"name":"Lab","owner":"700000000000000001","features":["DISCOVERABLE","INVITE_SPLASH","ROLE_ICONS"]}`},
		{"person", "PATCH", "/api/v10/guilds/900000000000000001", `{"icon":"` + dot + `","splash":"` + dot + `","discovery_splash":"` + dot + `","home_header":"` + dot + `"}`},
		{"admin", "PUT", "/admin/v1/guilds/900000000000000001/roles/900000000000000029", `{"name":"painters"}`},
		{"person", "PATCH", "/api/v10/guilds/900000000000000001/roles/900000000000000029", `{"icon":"` + dot + `"}`},
		{"anonymous", "GET", "/guild-events/" + d.event(t) + "/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/role-icons/900000000000000029/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/icons/900000000000000001/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/splashes/900000000000000001/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/discovery-splashes/900000000000000001/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/home-headers/900000000000000001/" + dotHash + ".png", ""},
		{"anonymous", "GET", "/embed/avatars/5.png", ""},
		{"anonymous", "GET", "/emojis/" + d.emoji(t) + ".png", ""},
		{"anonymous", "POST", "/_dev/token", `{"application":"1300000000000000001"}`},
		{"anonymous", "POST", "/_dev/console", ""},
		{"admin", "PUT", "/admin/v1/operators/ci", `{"scopes":["read"],"expires_in":3600}`},
		{"admin", "PUT", "/admin/v1/operators/ci", `{}`},
		{"admin", "GET", "/admin/v1/operators", ""},
		{"admin", "GET", "/admin/v1/audit", ""},
		{"admin", "GET", "/admin/v1/audit/head", ""},
		{"admin", "DELETE", "/admin/v1/operators/ci", ""},
		{"admin", "POST", "/admin/v1/session", ""},
		{"admin", "GET", "/admin/v1/session", ""},
		{"admin", "DELETE", "/admin/v1/session", ""},
		{"person", "GET", "/api/v10/oauth2/tokens", ""},
		{"person", "DELETE", "/api/v10/oauth2/tokens/1300000000000000001", ""},
		{"person", "GET", "/api/v10/auth/sessions", ""},
		{"person", "POST", "/api/v10/auth/sessions/logout", `{"session_id_hashes":["00"]}`},
		{"admin", "GET", "/admin/v1/users/700000000000000001/grants", ""},
		{"admin", "DELETE", "/admin/v1/users/700000000000000001/grants/1300000000000000001", ""},
		{"admin", "GET", app + "/grants", ""},
		{"admin", "GET", "/admin/v1/users/700000000000000001/sessions", ""},
		{"admin", "DELETE", "/admin/v1/users/700000000000000001/sessions", ""},
		{"admin", "DELETE", "/admin/v1/users/700000000000000001/sessions/00", ""},
		{"admin", "PUT", "/admin/v1/users/700000000000000001/identities", `{"issuer":"https://id.example","subject":"ada"}`},
		{"admin", "GET", "/admin/v1/users/700000000000000001/identities", ""},
		{"admin", "POST", app + "/passes", `{}`},
		{"admin", "POST", app + "/bot-token", ""},
		{"admin", "POST", app + "/client-secret", ""},
		{"admin", "POST", "/admin/v1/users/700000000000000001/passes", ""},
	} {
		described.check(t, ask[1], ask[2], d.ask(t, ask[0], ask[1], ask[2], ask[3]))
	}
	resent := "/_dev/requests/" + strconv.FormatUint(d.deliver(t).ID, 10) + "/resend"
	described.check(t, "POST", resent, d.ask(t, "anonymous", "POST", resent, `{}`))
	authorizations(t, &met)
	players(t, &met)
	pages(t, &met)
	met.complete(t, described)
}

// converse sends the requests of one archive.
func converse(t *testing.T, file string, met *coverage) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := open(t)
	if strings.HasPrefix(filepath.Base(file), "interactions") {
		d.addRelay(t)
	}
	described := describe(t, d, met)
	played := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".request")
		if !ok {
			continue
		}
		got := d.exchange(t, described, string(f.Data))
		played.Files = append(played.Files, f, txtar.File{Name: name + ".answer", Data: got})
	}
	text := txtar.Format(played)
	if *update {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(text)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// exchange sends one request of an archive, checks the response against /openapi.json and returns it as text.
func (d *service) exchange(t *testing.T, described *description, request string) []byte {
	t.Helper()
	head, body, _ := strings.Cut(d.variables.expand(request), "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	words := strings.Fields(lines[0])
	if len(words) != 3 {
		t.Fatalf("request line %q", lines[0])
	}
	var headers []string
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		headers = append(headers, name, value)
	}
	as, method, path := words[0], words[1], words[2]
	got := d.ask(t, as, method, path, strings.TrimSpace(body), headers...)
	described.check(t, method, path, got)
	got.body = d.variables.capture(got.body)
	var b bytes.Buffer
	fmt.Fprintln(&b, got.status)
	for _, name := range []string{"Allow", "Retry-After", "X-RateLimit-Scope"} {
		if v := got.header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	if got.body != "" {
		fmt.Fprintf(&b, "\n%s\n", got.body)
	}
	return b.Bytes()
}
