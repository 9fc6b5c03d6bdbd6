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

// TestEncryptionByDefault starts a service without flags for encryption, and takes it through a backup, a restore without the key,
// one with it, and a change of the key.
func TestEncryptionByDefault(t *testing.T) {
	t.Parallel()
	data, base := t.TempDir(), t.TempDir()
	world := filepath.Join(base, "world.yaml")
	text := "users: [{id: 10, username: ada}]\napplications: [{id: 20, name: Echo, owner: 10}]\n"
	if err := os.WriteFile(world, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keysOf := func(dir string) string {
		t.Helper()
		p := start(t, "serve", "--data", dir, "--listen", "127.0.0.1:0", "--world", world)
		status, answer, err := p.Send(t.Context(), http.MethodGet, "/api/oauth2/keys", "", "")
		if err != nil || status != http.StatusOK {
			t.Fatalf("keys: %d %s %v", status, answer, err)
		}
		p.StopCleanly(t)
		return answer
	}
	bellhop := func(want int, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a service that starts nevertheless ends
		defer cancel()
		var out strings.Builder
		if code := run(ctx, args, &out, &out); code != want {
			t.Errorf("bellhop %s: exit code %d, want %d, output %s", strings.Join(args, " "), code, want, out.String())
		}
		return out.String()
	}

	first := keysOf(data)
	file := filepath.Join(data, "encryption-key")
	key, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the key file: %v %v %v", info, err, statErr)
	}
	if stored, err := os.ReadFile(filepath.Join(data, "attachments", "key")); err != nil || !strings.HasPrefix(string(stored), "sealed ") {
		t.Errorf("the key of attachments is %q, %v, want it encrypted", stored, err)
	}
	if out := bellhop(exitOK, "doctor", "data", "--data", data); !strings.Contains(out, "no problem found") || strings.Contains(out, "not encrypted") {
		t.Errorf("doctor: %s", out)
	}

	without, with := filepath.Join(base, "without"), filepath.Join(base, "with")
	bellhop(exitOK, "backup", "--data", data, "-o", without)
	bellhop(exitOK, "backup", "--data", data, "-o", with, "--with-encryption-key")
	copied := filepath.Join(base, "copied")
	out := bellhop(exitOK, "restore", "--data", copied, without)
	if !strings.Contains(out, "3 signing keys encrypted with the key ") || !strings.Contains(out, "which is not in the backup") {
		t.Errorf("restore does not say what is missing: %s", out)
	}
	out = bellhop(exitFailed, "serve", "--data", copied, "--listen", "127.0.0.1:0")
	if !strings.Contains(out, "cannot be decrypted") || !strings.Contains(out, "--encryption-key-file") {
		t.Errorf("a start without the key: %s", out)
	}
	if _, err := os.Stat(filepath.Join(copied, "encryption-key")); err == nil {
		t.Error("the failed start made a key")
	}
	if out := bellhop(exitFailed, "doctor", "data", "--data", copied); !strings.Contains(out, "missing encryption key") {
		t.Errorf("doctor without the key: %s", out)
	}
	whole := filepath.Join(base, "whole")
	if out := bellhop(exitOK, "restore", "--data", whole, with); strings.Contains(out, "not in the backup") {
		t.Errorf("restore of the key: %s", out)
	}
	if again := keysOf(whole); again != first {
		t.Errorf("the restored service has the keys %s, want %s", again, first)
	}

	// Another key encrypts, and then the first one is removed.
	next := "8c0H7TqYxWm2fJzZbA1nR6vKs4uLeQ9dPgXoNtIyVrE=\n"
	onlyNext := filepath.Join(base, "next")
	if err := os.WriteFile(onlyNext, []byte(next), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{next + string(key), next} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		// The service encrypts the keys while it runs: it must not stop before.
		p := start(t, "serve", "--data", data, "--listen", "127.0.0.1:0", "--world", world)
		for ends := time.Now().Add(30 * time.Second); ; {
			var out strings.Builder
			if run(t.Context(), []string{"doctor", "data", "--data", data, "--encryption-key-file", onlyNext}, &out, &out) == exitOK {
				break
			}
			if time.Now().After(ends) {
				t.Fatalf("waited 30 s for keys that are encrypted with the new key: %s", out.String())
			}
		}
		p.StopCleanly(t)
		if again := keysOf(data); again != first {
			t.Errorf("after a change of the key: keys %s, want %s", again, first)
		}
		bellhop(exitOK, "doctor", "data", "--data", data)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := bellhop(exitFailed, "doctor", "data", "--data", data); !strings.Contains(out, "not protected") {
		t.Errorf("doctor with a key that others can read: %s", out)
	}
}
