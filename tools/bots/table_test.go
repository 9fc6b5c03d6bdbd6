package bots_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

const page = "../../docs/bots.md"

// header begins the table of the page.
const header = "| bot | language | from | starts with | seen | when |\n|---|---|---|---|---|---|\n"

// origin returns where a bot comes from, for the page.
func (s source) origin() string {
	switch {
	case s.Go != "":
		return "Go module `" + s.Go + "`"
	case s.NPM != "":
		return "npm `" + s.NPM + "`"
	case s.Crate != "":
		return "crates.io `" + s.Crate + "`"
	}
	return fmt.Sprintf("[%s](https://github.com/%s/tree/%s) at `%.8s`", s.Repository, s.Repository, s.Commit, s.Commit)
}

// rows returns the rows of the page by the name of the bot, and the text before the table.
func rows(text string) (before string, known map[string]string) {
	before, table, _ := strings.Cut(text, header)
	known = map[string]string{}
	for line := range strings.Lines(table) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok {
			known[name] = line
		}
	}
	return before, known
}

// update writes results to the page. The rows of other bots stay.
func update(results map[string]string, now time.Time) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, known := rows(string(text))
	var out strings.Builder
	out.WriteString(before + header)
	for _, b := range list {
		if seen, ok := results[b.Name]; ok {
			if seen != answers && b.Missing != "" {
				seen += ". " + b.Missing
			}
			known[b.Name] = fmt.Sprintf("| %s | %s | %s | `%s` | %s | %s |\n", b.Name, b.Language, b.From.origin(), b.Start, seen, now.UTC().Format(time.DateOnly))
		}
		out.WriteString(known[b.Name])
	}
	return os.WriteFile(page, []byte(out.String()), 0o600)
}

// The page lists every bot, and the list has enough of them.
func TestPageListsEveryBot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, known := rows(string(text))
	languages, registries := map[string]bool{}, 0
	for _, b := range list {
		languages[b.Language] = true
		if (b.From.Go != "" || b.From.NPM != "") && b.Missing == "" {
			registries++
		}
		if row := known[b.Name]; !strings.Contains(row, b.From.origin()) || !strings.Contains(row, "`"+b.Start+"`") {
			t.Errorf("docs/bots.md has an old row or none for %s: %q; run the tests with -write", b.Name, row)
		}
	}
	if len(known) != len(list) {
		t.Errorf("docs/bots.md has %d rows, the list has %d bots", len(known), len(list))
	}
	if len(list) < 25 || len(languages) < 5 || registries < 8 {
		t.Errorf("%d bots in %d languages, %d from Go modules and npm: want 25, 5 and 8", len(list), len(languages), registries)
	}
}
