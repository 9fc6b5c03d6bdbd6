package guide_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// comment is a comment of the shell and of YAML.
var comment = regexp.MustCompile(`(?m)(^|\s)#.*$`)

// checkCommands checks commands that do not run: the syntax, the commands and flags of bellhop, the targets of make, and the
// packages of Go. It returns what is wrong, or "".
func (c checker) checkCommands(source string) string {
	syntax := exec.Command("bash", "-n")
	syntax.Stdin = strings.NewReader(source)
	if out, err := syntax.CombinedOutput(); err != nil {
		return strings.TrimSpace(string(out))
	}
	source = comment.ReplaceAllString(strings.ReplaceAll(source, "\\\n", " "), "")
	for _, command := range regexp.MustCompile(`\n|&&|\||;|\$\(`).Split(source, -1) {
		if problem := c.checkCommand(strings.Fields(command)); problem != "" {
			return problem
		}
	}
	return ""
}

// checkCommand checks the words of one command.
func (c checker) checkCommand(words []string) string {
	assignment := regexp.MustCompile(`^[A-Z_]+=`)
	for len(words) > 0 && (assignment.MatchString(words[0]) || words[0] == "npx") {
		words = words[1:]
	}
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "bellhop":
		return c.checkBellhop(words[1:])
	case "make":
		for _, target := range words[1:] {
			if !strings.Contains(target, "=") && !slices.Contains(c.targets, target) {
				return "the Makefile has no target " + target
			}
		}
	case "go":
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "./") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, word)); err != nil {
				return "there is no package " + word
			}
		}
	}
	return ""
}

// checkBellhop checks a command of bellhop and its flags.
func (c checker) checkBellhop(words []string) string {
	command := words[0]
	if len(words) > 1 && c.commands[command] == nil {
		command += " " + words[1]
	}
	flags, ok := c.commands[command]
	if !ok {
		return "there is no command bellhop " + command
	}
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		if name == "--" {
			break // the words after it belong to another program
		}
		if strings.HasPrefix(name, "-") && !slices.Contains(flags, name) {
			return "bellhop " + command + " has no flag " + name
		}
	}
	return ""
}

// TestCheck checks that the checks of blocks find mistakes.
func TestCheck(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, tt := range []struct {
		name, page string
		give       block
		want       string
	}{
		{"a page that runs", "docs/backup.md", block{kind: "sh", text: "bellhop backup\n"}, ""},
		{"a page that does not run", "docs/faults.md", block{kind: "sh", text: "bellhop backup\n"}, "no test runs the page"},
		{"output of a page that does not run", "docs/faults.md", block{kind: "output", text: "ok\n"}, "no test runs the page"},
		{"no kind", "docs/faults.md", block{text: "bellhop backup\n"}, `blocks of the kind ""`},
		{"code that no test checks", "docs/faults.md", block{kind: "js", text: "1;\n"}, `blocks of the kind "js"`},
		{"a file of a page that does not run", "docs/faults.md", block{kind: "toml", file: "a.toml", text: "a = 1\n"}, `blocks of the kind "toml"`},
		{"a quote", "docs/lobbies.md", block{kind: "go", text: "nonsense()\n"}, "client/example_test.go does not have these lines"},
		{"plain text", "docs/faults.md", block{kind: "text", text: "nothing to check --here\n"}, ""},
		{"a flag", "docs/faults.md", block{kind: "shell", text: "A=1 bellhop serve --data a \\\n  --nonsense # --comment\n"}, "bellhop serve has no flag --nonsense"},
		{"a flag of another program", "docs/faults.md", block{kind: "text", text: "bellhop run -- node --nonsense\n"}, ""},
		{"a flag after a pipe", "docs/faults.md", block{kind: "shell", text: "cat a | bellhop commands push --force\n"}, "bellhop commands push has no flag --force"},
		{"a flag in plain text", "docs/faults.md", block{kind: "text", text: "bellhop serve --nonsense\n"}, "has no flag --nonsense"},
		{"a command", "docs/faults.md", block{kind: "shell", text: "bellhop world drop a.yaml\n"}, "there is no command bellhop world drop"},
		{"a target of make", "docs/faults.md", block{kind: "shell", text: "make image VERSION=1 && make nonsense\n"}, "the Makefile has no target nonsense"},
		{"a package", "docs/faults.md", block{kind: "shell", text: "go run ./examples/nonsense\n"}, "there is no package ./examples/nonsense"},
		{"syntax of the shell", "docs/faults.md", block{kind: "shell", text: "bellhop 'dev\n"}, "unexpected EOF"},
		{"a block without a reason", "docs/faults.md", block{kind: "shell", text: "true\n"}, "notRun has no reason"},
		{"a block with a reason", "docs/install.md", block{kind: "shell", text: "helm install chat\n"}, ""},
		{"a service of a page that does not run", "docs/faults.md", block{kind: "service", text: "bellhop dev\n"}, "no test runs the page"},
		{"JSON", "docs/faults.md", block{kind: "json", text: `{"a":}`}, "this is no JSON"},
		{"YAML", "docs/faults.md", block{kind: "yaml", text: "a: [1\n"}, "not found"},
		{"a command in YAML", "docs/faults.md", block{kind: "yaml", text: "run: bellhop test --nonsense\n"}, "bellhop test has no flag --nonsense"},
		{"a metric in YAML", "docs/faults.md", block{kind: "yaml", text: "expr: bellhop_nonsense_total > 0\n"}, "there is no metric bellhop_nonsense_total"},
	} {
		if got := c.check(tt.page, tt.give); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
