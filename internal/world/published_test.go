package world_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
)

// secretForms find tokens and secrets in documents, examples and world files. The last group is the secret.
var secretForms = []*regexp.Regexp{
	regexp.MustCompile(`\b([A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,8}\.[A-Za-z0-9_-]{16,})`),                                        // a token of three parts
	regexp.MustCompile(`(?:bot_token|client_secret|clientSecret|\btoken)["']?: *["']?([A-Za-z0-9_.+/=-]{6,})["']?(?:[ ,}]|$)`), // a member of YAML or JSON
	regexp.MustCompile(`(?:TOKEN|SECRET|_KEY|PASSWORD)=["']?([A-Za-z0-9_.+/=-]{6,})`),                                          // an environment variable
	regexp.MustCompile(`(?:Bot|Bearer) ([A-Za-z0-9_.+/=-]{12,})`),                                                              // a header
	regexp.MustCompile(`--(?:[a-z-]*token|[a-z-]*secret|encryption-key)[ =]["']?([A-Za-z0-9_.+/=-]{6,})`),                      // a flag
	regexp.MustCompile(`["' ]([A-Za-z0-9+/]{43}=)(?:["' ]|$)`),                                                                 // 32 bytes in Base64
}

// publishedIn are the files and folders whose secrets users copy.
var publishedIn = []string{
	"README.md", "SECURITY.md", "compose.yaml", "compose.single.yaml", "action.yml", "docs", "examples", "deploy", "kit", "npm",
	"internal/world/demo.yaml", "internal/tools/scaffold/templates", "internal/tools/devservice/demo_app.go",
}

// notSecret matches placeholders and names of members in code.
var notSecret = regexp.MustCompile(`^[A-Z_]+$|^[a-z]+([A-Z][a-z]+)+$|^[a-z_]+(\.[a-zA-Z_]+)+$|^[a-z]+_[a-z_]+$|^[a-zA-Z]+$`)

// TestSecretsInDocumentsAreOnTheList checks that production refuses all tokens and secrets that our documents, examples and
// world files show: they are on the list in published.txt. -update writes the list.
func TestSecretsInDocumentsAreOnTheList(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, root := range publishedIn {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "shots" || entry.Name() == "diagrams"):
				return fs.SkipDir
			case entry.IsDir() || strings.Contains(entry.Name(), "lock") || strings.HasSuffix(path, ".sum"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				for _, form := range secretForms {
					for _, match := range form.FindAllStringSubmatch(strings.TrimRight(line, "\n"), -1) {
						if secret := strings.TrimRight(match[1], ".,"); !notSecret.MatchString(secret) {
							found[secret] = path
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		text := "# Tokens and secrets in our documents, examples and world files. Production refuses them.\n" +
			"# Written by: go test ./internal/world -run TestSecretsInDocumentsAreOnTheList -update\n" +
			strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
		if err := os.WriteFile("published.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	list := world.PublishedSecrets()
	for _, secret := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(list, secret) {
			t.Errorf("%s shows %q, which is not in published.txt: production accepts it. Run this test with -update", found[secret], secret)
		}
	}
	if len(found) < 10 {
		t.Errorf("found %d secrets only: %v", len(found), found)
	}
}
