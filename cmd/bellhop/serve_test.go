package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHooksFile checks that a wrong hooks file is a fault of --hooks-file with its position, and that the log of the start has the key
// and not the URL.
func TestHooksFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hooks.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	serve := []string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--hooks-file", file}
	write("hooks:\n- {name: a, url: 'https://game.example', befor: [message]}\n")
	var out, errs bytes.Buffer
	if code := run(t.Context(), serve, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "--hooks-file: ") ||
		!strings.Contains(errs.String(), `hooks.yaml:2:42: unknown key "befor": did you mean before?`) {
		t.Errorf("exit code %d, %s, want the flag and the position of the key", code, errs.String())
	}
	write("hooks:\n- {name: a, url: 'https://game.example/?key=hidden', before: [message]}\n")
	p := start(t, serve...)
	if status, body, err := p.Send(t.Context(), http.MethodGet, "/readyz", "", ""); err != nil || status != http.StatusOK {
		t.Errorf("/readyz: %d %s %v", status, body, err)
	}
	p.StopCleanly(t)
	if log := p.Log(); !strings.Contains(log, "verify_key") || strings.Contains(log, "hidden") {
		t.Errorf("the log of the start: %s", log)
	}
}

// TestPublicURL checks which URLs --public-url takes, and that none ends with a slash.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"https://bellhop.example/":        "https://bellhop.example",
		"HTTPS://game.example:8443/play/": "https://game.example:8443/play",
		"http://127.0.0.1:8080/a/b%20c":   "http://127.0.0.1:8080/a/b%20c",
	} {
		if got, err := publicURL(text); got != want || err != nil {
			t.Errorf("publicURL(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"game.example/play", "ftp://game.example", "https:///play", "https://ada@game.example", "https://game.example/play?a", "https://game.example/#a", "%"} {
		if got, err := publicURL(text); err == nil {
			t.Errorf("publicURL(%q) = %q, want an error", text, got)
		}
	}
}
