package compat_test

import (
	"os"
	"strings"
	"testing"
)

// section is a part of docs/clients.md: its heading and its blocks of code, without indentation.
type section struct {
	heading string
	blocks  []string
}

// librarySources are the bots of make libraries that need lines of configuration, by heading.
var librarySources = map[string]string{
	"Discord4J":          "libraries/java/discord4j/Bot.java",
	"serenity and poise": "libraries/rust/poise/src/main.rs",
	"twilight":           "libraries/rust/twilight/src/main.rs",
}

// TestDocumentedLines checks that the code blocks of docs/clients.md are lines of the programs and bots.
func TestDocumentedLines(t *testing.T) {
	t.Parallel()
	sources := map[string]string{} // by heading
	for _, p := range programs {
		sources[p.reportedName()] += read(t, p.source)
	}
	for _, b := range bots {
		sources[b.library()] += read(t, b.source)
	}
	for heading, source := range librarySources {
		sources[heading] += read(t, source)
	}
	for _, s := range sections(t, "../docs/clients.md") {
		source, known := sources[s.heading]
		delete(sources, s.heading)
		if !known || len(s.blocks) == 0 {
			t.Errorf("the section %q names no tested library, or has no code block", s.heading)
		}
		for _, block := range s.blocks {
			if !strings.Contains(source, block) {
				t.Errorf("no program with %s has the lines\n%s", s.heading, block)
			}
		}
	}
	for library := range sources {
		t.Errorf("docs/clients.md has no section %q", library)
	}
}

// sections returns the sections of a document with a second-level heading.
func sections(t *testing.T, file string) []section {
	t.Helper()
	var list []section
	var block []string
	inside := false
	for line := range strings.Lines(read(t, file)) {
		line = strings.TrimSuffix(line, "\n")
		heading, isHeading := strings.CutPrefix(line, "## ")
		switch {
		case isHeading && !inside:
			list = append(list, section{heading: heading})
		case strings.HasPrefix(line, "```"):
			if inside && len(list) > 0 {
				last := &list[len(list)-1]
				last.blocks = append(last.blocks, strings.Join(block, "\n"))
			}
			inside, block = !inside, nil
		case inside:
			block = append(block, strings.TrimLeft(line, " \t"))
		}
	}
	return list
}

// read returns a file with the indentation of its lines removed.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var plain strings.Builder
	for line := range strings.Lines(string(text)) {
		plain.WriteString(strings.TrimLeft(line, " \t"))
	}
	return plain.String()
}
