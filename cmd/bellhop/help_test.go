package main

import (
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

// newParser returns a parser that does not exit.
func newParser(t *testing.T) *kong.Kong {
	t.Helper()
	p, err := kong.New(&options{}, kong.Name("bellhop"), groups, kong.Vars{"version": "1"}, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestExamples checks that every subcommand has examples that the command line accepts.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, node := range newParser(t).Model.Leaves(true) {
		path := usage.Path(node)
		if len(examples[path]) == 0 {
			t.Errorf("%s has no example", path)
		}
		if node.ClosestGroup() == nil {
			t.Errorf("%s is in no group", path)
		}
		for _, line := range examples[path] {
			if strings.Contains(line, "<(") || strings.Contains(line, "> ") {
				continue // the script cli.txtar runs it
			}
			out, err := exec.CommandContext(t.Context(), "bash", "-c", `bellhop() { printf '%s\n' "$@"; }; `+line).Output()
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			args := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			parsed, err := newParser(t).Parse(args)
			if err != nil || usage.Path(parsed.Selected()) != path {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	for path := range examples {
		if !slices.ContainsFunc(newParser(t).Model.Leaves(true), func(n *kong.Node) bool { return usage.Path(n) == path }) {
			t.Errorf("there is an example of %q, which does not exist", path)
		}
	}
}

// TestHelpFits checks that the help of every subcommand fits a terminal, except for examples.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, node := range newParser(t).Model.Leaves(true) {
		var out, errs strings.Builder
		args := append(strings.Fields(usage.Path(node)), "--help")
		if code := run(t.Context(), args, &out, &errs); code != exitOK || errs.Len() > 0 {
			t.Errorf("%v: exit code %d\n%s", args, code, errs.String())
		}
		for line := range strings.Lines(out.String()) {
			if len(strings.TrimSpace(line)) > terminal.Columns && !strings.HasPrefix(line, "    bellhop ") && !strings.HasPrefix(line, "Usage: ") {
				t.Errorf("%v: %s", args, line)
			}
		}
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"serv", "bellhop: unexpected argument serv, did you mean one of \"dev\", \"serve\"?\nTry: bellhop --help\n"},
		{"lint x", "bellhop: unexpected argument lint, did you mean \"commands lint\"?\nTry: bellhop --help\n"},
		{"commands shema x", "bellhop: unexpected argument shema, did you mean \"schema\"?\nTry: bellhop commands --help\n"},
		{"dev --lisen x", "bellhop: unknown flag --lisen, did you mean \"--listen\"?\nTry: bellhop dev --help\n"},
		{"dev --listen", "bellhop: --listen: the value is missing\nTry: bellhop dev --help\n"},
		{"dev --lobbies-per-user 0", "bellhop: --lobbies-per-user 0: want 1 or more\nTry: bellhop dev --help\n"},
		{"xyzzyxyzzy", "bellhop: unexpected argument xyzzyxyzzy\nTry: bellhop --help\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			if code := run(t.Context(), strings.Fields(tt.args), &out, &errs); code != exitUsage || errs.String() != tt.want {
				t.Errorf("exit code %d, %q, want %q", code, errs.String(), tt.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"s", "say serve"},
		{"commands ", "diff lint list pull push schema"},
		{"commands p", "pull push"},
		{"commands push --dr", "--dry-run"},
		{"dev --log-format ", "json text"},
		{"dev --log-format=t", "--log-format=text"},
		{"dev --listen ", ""},
		{"dev --listen 127.0.0.1:0 --log-level d", "debug"},
		{"commands list -o ", "json table yaml"},
		{"completion ", "bash fish zsh"},
		{"commands lint ", ""},
	} {
		args := strings.Split(tt.args, " ")
		got := usage.Complete(newParser(t).Model, args)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("Complete(%q) = %v, want %s", args, got, tt.want)
		}
	}
}
