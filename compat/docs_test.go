package compat_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// section is a part of docs/clients.md: its heading and its blocks of code, without indentation.
type section struct {
	heading string
	blocks  []string
}

// TestDocumentedLines checks that what the documentation tells people to write is what the programs do.
func TestDocumentedLines(t *testing.T) {
	t.Parallel()
	documented := sections(t, "../docs/clients.md")
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(documented, func(s section) bool { return s.heading == p.reportedName() })
			if i < 0 || len(documented[i].blocks) == 0 {
				t.Fatalf("docs/clients.md has no section %q with a block of code", p.reportedName())
			}
			source := read(t, p.source)
			for _, block := range documented[i].blocks {
				if !strings.Contains(source, block) {
					t.Errorf("%s does not have the lines\n%s", p.source, block)
				}
			}
		})
	}
}

// sections reads the parts of a document that have a heading of the second level.
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
			block = append(block, line)
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
