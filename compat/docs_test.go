package compat_test

import (
	"maps"
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
	"discord.py":         "libraries/python/direct.py",
	"Pycord":             "libraries/python/direct.py",
	"nextcord":           "libraries/python/direct.py",
	"disnake":            "libraries/python/direct.py",
	"hikari":             "libraries/python/direct.py",
	"interactions.py":    "libraries/python/direct.py",
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

// versionSources has the file that sets the version of a library, and the text before the version.
var versionSources = map[string]struct{ file, before string }{
	"discordgo":            {"go.mod", "github.com/bwmarrin/discordgo v"},
	"disgo":                {"go.mod", "github.com/disgoorg/disgo v"},
	"arikawa":              {"go.mod", "github.com/diamondburned/arikawa/v3 v"},
	"discord.js":           {"node/package.json", `"discord.js": "`},
	"@discordjs/rest":      {"node/package.json", `"@discordjs/rest": "`},
	"oceanic.js":           {"node/package.json", `"oceanic.js": "`},
	"eris":                 {"node/package.json", `"eris": "`},
	"slash-create":         {"node/package.json", `"slash-create": "`},
	"discordeno":           {"node/package.json", `"discordeno": "`},
	"seyfert":              {"node/package.json", `"seyfert": "`},
	"discord.py":           {"../tools/libraries", "discord.py=="},
	"Pycord":               {"../tools/libraries", "py-cord=="},
	"nextcord":             {"../tools/libraries", "nextcord=="},
	"disnake":              {"../tools/libraries", "disnake=="},
	"hikari":               {"../tools/libraries", "hikari=="},
	"interactions.py":      {"../tools/libraries", "discord-py-interactions=="},
	"JDA":                  {"libraries/java/jda/pom.xml", "<version>"},
	"Javacord":             {"libraries/java/javacord/pom.xml", "<version>"},
	"Discord4J":            {"libraries/java/discord4j/pom.xml", "<version>"},
	"Kord":                 {"libraries/kotlin/kord/pom.xml", "<version>"},
	"poise, with serenity": {"libraries/rust/poise/Cargo.lock", "name = \"poise\"\nversion = \""},
	"twilight":             {"libraries/rust/twilight/Cargo.lock", "name = \"twilight-gateway\"\nversion = \""},
}

// TestDocumentedVersions checks that the table of docs/clients.md has each library with the version that the tests use.
func TestDocumentedVersions(t *testing.T) {
	t.Parallel()
	missing := maps.Clone(versionSources)
	languages := map[string]bool{}
	for line := range strings.Lines(read(t, "../docs/clients.md")) {
		cells := strings.Split(line, " | ")
		if len(cells) != 6 || cells[1] == "language" {
			continue
		}
		name := strings.TrimPrefix(cells[0], "| ")
		languages[cells[1]] = true
		source, known := versionSources[name]
		if !known {
			t.Errorf("no file sets the version of %s", name)
		}
		delete(missing, name)
		version, _, _ := strings.Cut(cells[2], ",")
		if known && !strings.Contains(read(t, source.file), source.before+version) {
			t.Errorf("%s: %s does not have %s%s", name, source.file, source.before, version)
		}
	}
	for name := range missing {
		t.Errorf("docs/clients.md has no row for %s", name)
	}
	if len(versionSources) < 20 || len(languages) < 5 {
		t.Errorf("%d libraries in %d languages, want 20 in 5", len(versionSources), len(languages))
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
