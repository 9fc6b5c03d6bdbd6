package secrets_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/snowflake"
)

// checkFile checks the text of a file that only its owner can read.
func checkFile(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("%s has %q, %v, want %q", path, text, err, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v, want mode 0600", path, info, err)
	}
}

// TestSave checks that secrets are appended to a file, and that the log has only its path.
func TestSave(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	var lines strings.Builder
	log := slog.New(slog.NewTextHandler(&lines, nil))
	if err := secrets.Save(t.Context(), data, client.Secrets{}, log); err != nil || lines.Len() > 0 {
		t.Errorf("Save() without secrets: %v, %s", err, lines.String())
	}
	made := secrets.Reveal(provision.Applied{
		BotTokens:     map[snowflake.Application]auth.Secret{101: "b101", 100: "b100"},
		ClientSecrets: map[snowflake.Application]auth.Secret{100: "c100"},
		UserTokens:    map[snowflake.User]auth.Secret{200: "u200"},
	})
	for range 2 {
		if err := secrets.Save(t.Context(), data, made, log); err != nil {
			t.Fatal(err)
		}
	}
	const once = "bot token of application 100, shown once: b100\nbot token of application 101, shown once: b101\n" +
		"client secret of application 100, shown once: c100\ntoken of user 200, shown once: u200\n"
	path := filepath.Join(data, secrets.NewFile)
	checkFile(t, path, once+once)
	if got := lines.String(); !strings.Contains(got, path) || !strings.Contains(got, "secrets=4") || strings.Contains(got, "b100") {
		t.Errorf("the log has %s, want the path and no secret", got)
	}
}

// TestSaveOperator checks that a new token replaces the file of an old one.
func TestSaveOperator(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, token := range []string{"first", "second"} {
		path, err := secrets.SaveOperator(data, auth.Secret(token))
		if err != nil {
			t.Fatal(err)
		}
		checkFile(t, path, token+"\n")
	}
	if _, err := secrets.SaveOperator(filepath.Join(data, secrets.OperatorFile), "third"); err == nil || !strings.Contains(err.Error(), "bellhop token admin --data") {
		t.Errorf("SaveOperator() = %v, want the command that creates another token", err)
	}
}
