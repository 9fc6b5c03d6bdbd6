package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

var update = flag.Bool("update", false, "rewrite the generated pages of docs/")

// comparePage compares a generated page with the file in docs/, or rewrites the file.
func comparePage(t *testing.T, name, title, text string) {
	t.Helper()
	text = "# " + title + "\n\n> This page is generated from the code. Do not edit it: run `make docs-generate`.\n\n" + strings.TrimSpace(text) + "\n"
	file := "../../docs/" + name
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != text {
		t.Errorf("%s is not what the code says: run make docs-generate (%v)", file, err)
	}
}

// documentedModel returns the command line with the environment variables of the flags.
func documentedModel(t *testing.T) *kong.Application {
	t.Helper()
	p, err := kong.New(&options{}, kong.Name("bellhop"), groups, kong.Vars{"version": "1"}, kong.DefaultEnvars("BELLHOP"))
	if err != nil {
		t.Fatal(err)
	}
	return p.Model
}

// flagTable describes the flags of a subcommand.
func flagTable(node *kong.Node) string {
	var b strings.Builder
	for _, f := range node.Flags {
		if f.Name == "help" || f.Hidden {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("| flag | variable | default | meaning |\n|---|---|---|---|\n")
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		if !f.IsBool() {
			name += "=" + cmp.Or(f.PlaceHolder, "VALUE")
		}
		value := ""
		if f.HasDefault && f.Default != "" {
			value = "`" + f.Default + "`"
		}
		if f.Required {
			value = "required"
		}
		variables := ""
		if len(f.Envs) > 0 {
			variables = "`" + strings.Join(f.Envs, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.ReplaceAll(name, "|", "\\|"), variables, value, tableCell(f.Help))
	}
	return b.String()
}

func tableCell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "\\<", "*", "\\*").Replace(text)
}

func TestDocsReferenceCLI(t *testing.T) {
	t.Parallel()
	nodes := documentedModel(t).Leaves(true)
	slices.SortFunc(nodes, func(a, b *kong.Node) int { return strings.Compare(usage.Path(a), usage.Path(b)) })
	var text strings.Builder
	text.WriteString("Every flag is also an environment variable; the flag comes first. Exit codes: 0 success, 1 failure, 2 wrong usage. The flags of\n" +
		"`bellhop serve` and `bellhop dev` are on the page [Configuration](reference-configuration.md).\n")
	for _, node := range nodes {
		path := usage.Path(node)
		fmt.Fprintf(&text, "\n## bellhop %s\n\n%s\n\n```text\n%s\n```\n", path, node.Help, strings.Join(examples[path], "\n"))
		for _, arg := range node.Positional {
			fmt.Fprintf(&text, "\n`%s`: %s\n", arg.Summary(), arg.Help)
		}
		if table := flagTable(node); table != "" && path != "serve" && path != "dev" {
			text.WriteString("\n" + table)
		}
	}
	comparePage(t, "reference-cli.md", "Command line", text.String())
}

func TestDocsReferenceConfiguration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("The service has no configuration file. Each setting is a flag or an environment variable; the flag comes first. Rate limits are in\n" +
		"[a file of their own](reference-limits.md), users and guilds in [a world file](world.md).\n")
	for _, path := range []string{"serve", "dev"} {
		i := slices.IndexFunc(documentedModel(t).Leaves(true), func(n *kong.Node) bool { return usage.Path(n) == path })
		node := documentedModel(t).Leaves(true)[i]
		fmt.Fprintf(&text, "\n## bellhop %s\n\n%s\n\n%s", path, node.Help, cmp.Or(flagTable(node), "No flags.\n"))
	}
	comparePage(t, "reference-configuration.md", "Configuration", text.String())
}
