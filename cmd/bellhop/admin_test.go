package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/secrets"
)

const adminWorld = `
users: [{id: "200000000000000000", username: ada, token: user-H3kD8vB5yN0cF6jX2s-ada}]
guilds: [{id: "300000000000000000", name: Lab, owner: "200000000000000000"}]
`

// TestNewSecrets checks that a start saves the secrets which it creates for a world file, and prints none of them.
func TestNewSecrets(t *testing.T) {
	t.Parallel()
	const world = `{users: [{id: "200000000000000000", username: ada}], applications: [{id: "100000000000000000", name: Echo, owner: "200000000000000000"}]}`
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(file, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func() string {
		p := start(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--world", file)
		p.StopCleanly(t)
		return p.Log()
	}
	log := serve()
	path := filepath.Join(data, secrets.NewFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the secrets: %v, %v, want mode 0600", info.Mode(), err)
	}
	secrets := regexp.MustCompile(`(?m): (\S+)$`).FindAllStringSubmatch(string(text), -1)
	if len(secrets) == 0 || !strings.Contains(log, path) {
		t.Errorf("%d secrets in the file; the log must contain its path:\n%s", len(secrets), log)
	}
	for _, s := range secrets {
		if strings.Contains(log, s[1]) {
			t.Errorf("the log contains a secret:\n%s", log)
		}
	}
	serve()
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
		t.Errorf("after the second start, which creates no secrets: %v\n%s", err, again)
	}
}

// TestAdminToken checks that the first start saves the admin token in a file and does not print it, that it works over
// HTTP, and that it can be replaced.
func TestAdminToken(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(file, []byte(adminWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func() *process { return start(t, "serve", "--data", data, "--listen", "127.0.0.1:0") }
	path := filepath.Join(data, secrets.OperatorFile)
	p := serve()
	p.StopCleanly(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the token: %v, %v, want mode 0600", info.Mode(), err)
	}
	if log := p.Log(); token == "" || !strings.Contains(log, path) || strings.Contains(log, token) {
		t.Errorf("the log must contain the path of the token and not the token:\n%s", log)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	p = serve()
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
		{"apply", []string{"apply", "--base-url", p.Base, "--admin-token", token, file}, exitOK, "unchanged: 0 records"},
		{"base URL with the API path", []string{"export", "--base-url", p.Base + "/api/v10/", "--admin-token", token}, exitOK, "username: ada"},
		{"export", []string{"export", "--base-url", p.Base, "--admin-token", token}, exitOK, "name: Lab"},
		{"wrong token", []string{"export", "--base-url", p.Base, "--admin-token", "x"}, exitFailed, "401 Unauthorized"},
		{"no token", []string{"export", "--base-url", p.Base}, exitFailed, "no dev controls"},
	} {
		if code, output := world(tt.args...); code != tt.exit || !strings.Contains(output, tt.want) {
			t.Errorf("%s: exit code %d, want %d and output with %q:\n%s", tt.name, code, tt.exit, tt.want, output)
		}
	}
	made := adminTokens(t, p, token)
	p.StopCleanly(t)
	if _, err := os.Stat(path); err == nil {
		t.Error("the second start saves an admin token again")
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
		"another token": {made, http.StatusOK},
	} {
		if status, body, err := p.Send(t.Context(), http.MethodGet, "/admin/v1/users", "Bearer "+tt.token, ""); err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d\n%s", name, status, err, tt.want, body)
		}
	}
	p.StopCleanly(t)
}

// adminTokens creates, lists and revokes tokens of operators while the service runs. It returns a token with the scope
// read.
func adminTokens(t *testing.T, p *process, token string) string {
	t.Helper()
	admin := func(want int, args ...string) string {
		t.Helper()
		var out strings.Builder
		args = append([]string{"token", "admin", "--base-url", p.Base, "--admin-token", token}, args...)
		if code := run(t.Context(), args, &out, &out); code != want {
			t.Fatalf("%q: exit code %d, want %d\n%s", args[6:], code, want, out.String())
		}
		return strings.TrimSpace(out.String())
	}
	reader := admin(exitOK, "--name", "reader", "--scope", "read")
	brief := admin(exitOK, "--name", "brief", "--expires", "1h")
	if list := admin(exitOK, "--list"); !strings.Contains(list, "reader  read ") || !strings.Contains(list, "brief   read,directory,secrets") {
		t.Errorf("the list of tokens:\n%s", list)
	}
	admin(exitOK, "--revoke", "brief")
	admin(exitFailed, "--revoke", "brief")
	admin(exitFailed, "--name", "Not A Name")
	for name, tt := range map[string]struct {
		token, method, path string
		want                int
	}{
		"read with the scope read":  {reader, http.MethodGet, "/admin/v1/users", http.StatusOK},
		"write with the scope read": {reader, http.MethodDelete, "/admin/v1/users/200000000000000000", http.StatusForbidden},
		"a revoked token":           {brief, http.MethodGet, "/admin/v1/users", http.StatusUnauthorized},
	} {
		if status, body, err := p.Send(t.Context(), tt.method, tt.path, "Bearer "+tt.token, ""); err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d\n%s", name, status, err, tt.want, body)
		}
	}
	return reader
}
