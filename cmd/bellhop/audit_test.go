package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
)

// TestAuditCommand reads and follows the audit log of a running service.
func TestAuditCommand(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	token, err := os.ReadFile(filepath.Join(data, secrets.OperatorFile))
	if err != nil {
		t.Fatal(err)
	}
	admin := strings.TrimSpace(string(token))
	rename := func(name string) {
		t.Helper()
		status, body, err := p.Send(t.Context(), http.MethodPut, "/admin/v1/users/200000000000000000", "Bearer "+admin, `{"username":"`+name+`"}`)
		if err != nil || status >= 300 {
			t.Fatalf("PUT: %d %s %v", status, body, err)
		}
	}
	audit := func(ctx context.Context, out io.Writer, want int, args ...string) {
		var errs bytes.Buffer
		if code := run(ctx, append([]string{"audit", "--base-url", p.Base, "--admin-token", admin}, args...), out, &errs); code != want {
			t.Errorf("audit %q: exit code %d, want %d\n%s", args, code, want, errs.String())
		}
	}
	rename("ada")
	rename("grace")
	var table bytes.Buffer
	audit(t.Context(), &table, exitOK, "--target", "user/200000000000000000")
	for _, line := range []string{
		`TIME +ACTOR +ADDRESS +ACTION +TARGET +CHANGES`,
		`Z +operator:admin +127\.0\.0\.1 +user\.create +user/200000000000000000`,
		`Z +operator:admin +127\.0\.0\.1 +user\.update +user/200000000000000000 +username: "ada" → "grace"`,
	} {
		if !regexp.MustCompile(line).MatchString(table.String()) {
			t.Errorf("no line %s in\n%s", line, table.String())
		}
	}
	var entries []map[string]any
	var text bytes.Buffer
	audit(t.Context(), &text, exitOK, "--target", "user/200000000000000000", "-o", "yaml")
	if err := yaml.Unmarshal(text.Bytes(), &entries); err != nil || len(entries) != 2 || entries[1]["action"] != "user.update" {
		t.Errorf("the list is no YAML with 2 entries: %v\n%s", err, text.String())
	}
	audit(t.Context(), io.Discard, exitUsage, "-o", "xml")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		audit(ctx, in, exitOK, "--follow", "--limit", "1", "-o", "json", "--action", "user.update")
		_ = in.Close() // never fails
	}()
	lines := bufio.NewScanner(out)
	next := func(want string) {
		t.Helper()
		var e remote.AuditEntry
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &e) != nil || !strings.Contains(string(e.After), `"username":"`+want+`"`) {
			t.Fatalf("line %q, want the entry about %s", lines.Text(), want)
		}
	}
	next("grace")
	rename("edsger")
	next("edsger")
	p.StopCleanly(t) // ends the stream without delay
	cancel()
	for lines.Scan() {
		t.Errorf("unexpected line %q", lines.Text())
	}
	<-done
}
