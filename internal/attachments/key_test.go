package attachments_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
)

// TestKeyIsEncrypted takes the key of a folder through all steps of turning encryption on, changing the encryption key and turning
// it off. The key stays the same.
func TestKeyIsEncrypted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sealer := func(keys string) *auth.Sealer {
		t.Helper()
		if keys == "" {
			return nil
		}
		var text []string
		for name := range strings.FieldsSeq(keys) {
			sum := sha256.Sum256([]byte(name))
			if name != "none" {
				name = base64.StdEncoding.EncodeToString(sum[:])
			}
			text = append(text, name)
		}
		s, err := auth.NewSealer(strings.Join(text, " "))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open := func(keys string) (string, error) {
		f, err := attachments.OpenFiles(dir, attachments.FilesConfig{
			Clock: clock.System{}, Wall: clock.System{}, Log: slog.New(slog.DiscardHandler), Sealer: sealer(keys),
		})
		if err != nil {
			return "", err
		}
		return f.WebhookToken(1, []byte("salt")), nil
	}
	first, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(filepath.Join(dir, "key"))
	if err != nil || len(plain) != 32 {
		t.Fatalf("the key has %d bytes, %v", len(plain), err)
	}
	for _, keys := range []string{"none one", "one", "one two", "two one", "two"} {
		if again, err := open(keys); err != nil || again != first {
			t.Errorf("with the keys %s: token %s, %v, want %s", keys, again, err, first)
		}
		stored, err := os.ReadFile(filepath.Join(dir, "key"))
		if err != nil || bytes.Contains(stored, plain) != (keys == "none one") {
			t.Errorf("with the keys %s the file is %q, %v", keys, stored, err)
		}
	}
	for _, keys := range []string{"", "one", "none"} {
		if _, err := open(keys); !errors.Is(err, auth.ErrSealed) {
			t.Errorf("with the keys %q: %v, want ErrSealed", keys, err)
		}
	}
	if again, err := open("none two"); err != nil || again != first {
		t.Errorf("turned off: token %s, %v, want %s", again, err, first)
	}
	if again, err := open(""); err != nil || again != first {
		t.Errorf("without a key: token %s, %v, want %s", again, err, first)
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("sealed x ?"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open("one"); err == nil {
		t.Error("a damaged file is accepted")
	}
}
