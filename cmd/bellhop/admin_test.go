package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const adminWorld = `
users: [{id: "200000000000000000", username: ada, token: user-ada}]
guilds: [{id: "300000000000000000", name: Lab, owner: "200000000000000000"}]
`

// TestAdminToken checks that the admin token is shown once, works over HTTP, and can be replaced.
func TestAdminToken(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(file, []byte(adminWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func() *process { return start(t, "serve", "--data", data, "--listen", "127.0.0.1:0") }
	shown := func(p *process) string {
		p.stop(t)
		found := regexp.MustCompile(`(?m)^admin token, shown once: (\S+)$`).FindStringSubmatch(p.Stderr.(*strings.Builder).String())
		if found == nil {
			return ""
		}
		return found[1]
	}
	token := shown(serve())
	if token == "" {
		t.Fatal("the first start shows no admin token")
	}

	p := serve()
	world := func(args ...string) (int, string) {
		var out strings.Builder
		code := run(t.Context(), append([]string{"world"}, args...), &out, &out)
		return code, out.String()
	}
	for _, tt := range []struct {
		name string
		args []string
		exit int
		want string
	}{
		{"apply", []string{"apply", "--base-url", p.base, "--admin-token", token, file}, exitOK, `"user_tokens":{}`},
		{"base URL with the API path", []string{"export", "--base-url", p.base + "/api/v10/", "--admin-token", token}, exitOK, "username: ada"},
		{"export", []string{"export", "--base-url", p.base, "--admin-token", token}, exitOK, "name: Lab"},
		{"wrong token", []string{"export", "--base-url", p.base, "--admin-token", "x"}, exitFailed, "401 Unauthorized"},
		{"no token", []string{"export", "--base-url", p.base}, exitFailed, "no dev controls"},
	} {
		if code, output := world(tt.args...); code != tt.exit || !strings.Contains(output, tt.want) {
			t.Errorf("%s: exit code %d, want %d and output with %q:\n%s", tt.name, code, tt.exit, tt.want, output)
		}
	}
	if again := shown(p); again != "" {
		t.Error("the second start shows an admin token again")
	}

	var out, errs strings.Builder
	if code := run(t.Context(), []string{"token", "admin", "--data", data}, &out, &errs); code != exitOK {
		t.Fatalf("token admin: exit code %d\n%s", code, errs.String())
	}
	p = serve()
	for name, tt := range map[string]struct {
		token string
		want  int
	}{
		"the new token": {strings.TrimSpace(out.String()), http.StatusOK},
		"the old token": {token, http.StatusUnauthorized},
	} {
		if status, body, err := p.send(t.Context(), http.MethodGet, "/admin/v1/users", "Bearer "+tt.token, ""); err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d\n%s", name, status, err, tt.want, body)
		}
	}
	p.stop(t)
}
