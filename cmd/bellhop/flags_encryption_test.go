package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEncryptionKey serves with an encrypted signing key, and starts without the key.
func TestEncryptionKey(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("8c0H7TqYxWm2fJzZbA1nR6vKs4uLeQ9dPgXoNtIyVrE=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := []string{"serve", "--data", data, "--listen", "127.0.0.1:0"}
	keys := func(p *process) string {
		t.Helper()
		status, text, err := p.Send(t.Context(), http.MethodGet, "/api/oauth2/keys", "", "")
		if err != nil || status != http.StatusOK {
			t.Fatalf("keys: %d %s %v", status, text, err)
		}
		p.StopCleanly(t)
		return text
	}
	first := keys(start(t, append(serve, "--encryption-key-file", file)...))

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a service that starts nevertheless ends
	defer cancel()
	var out strings.Builder
	if code := run(ctx, serve, &out, &out); code != exitFailed || !strings.Contains(out.String(), "cannot be decrypted") {
		t.Errorf("without the key: exit code %d, output %s", code, out.String())
	}
	if again := keys(start(t, append(serve, "--encryption-key-file", file)...)); again != first {
		t.Errorf("keys %s, want those of the first start %s", again, first)
	}
	out.Reset()
	if code := run(ctx, append(serve, "--encryption-key", "short"), &out, &out); code != exitFailed || !strings.Contains(out.String(), "32 bytes in Base64") {
		t.Errorf("a short key: exit code %d, output %s", code, out.String())
	}
}
