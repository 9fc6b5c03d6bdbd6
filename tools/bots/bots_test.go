package bots_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	all          = flag.Bool("all", false, "run the bots that do not come from Go modules and npm too")
	write        = flag.Bool("write", false, "write the results to docs/bots.md")
	repositories = flag.String("repositories", "", "folder with repositories as OWNER+NAME, instead of cloning them")
)

// timeout bounds the run of one bot, which is built before.
const timeout = 3 * time.Minute

// A public bot runs unchanged and answers.
func TestBots(t *testing.T) {
	t.Parallel()
	program := binary(t)
	var mu sync.Mutex
	results := map[string]string{}
	t.Run("run", func(t *testing.T) {
		for _, b := range list {
			if b.From.Go == "" && b.From.NPM == "" && !*all {
				continue
			}
			t.Run(strings.ReplaceAll(b.Name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				seen, details := run(t, program, b)
				mu.Lock()
				results[b.Name] = seen
				mu.Unlock()
				t.Log(seen)
				if seen != answers && b.Missing == "" {
					t.Errorf("%s\n%s", seen, details)
				}
			})
		}
	})
	if *write {
		if err := update(results, time.Now()); err != nil {
			t.Error(err)
		}
	}
}

const answers = "answers"

// binary returns the program to test.
func binary(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("BELLHOP_BINARY"); name != "" {
		return name
	}
	name := filepath.Join(t.TempDir(), "bellhop")
	if err := command("../..", "go", "build", "-o", name, "./cmd/bellhop"); err != nil {
		t.Fatal(err)
	}
	return name
}

// run starts a bot with "bellhop run" and has its conversation. It returns what was seen in a few words, and the details of a failure.
func run(t *testing.T, program string, b bot) (seen, details string) {
	t.Helper()
	p, err := obtain(t, b.From)
	if err != nil {
		return "cannot be obtained: " + oneLine(err.Error()), ""
	}
	file := filepath.Join(t.TempDir(), "scenarios.yaml")
	if err := os.WriteFile(file, []byte(scenario(program, p, b)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "test", "--json", file)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || len(out) == 0 {
		t.Fatalf("bellhop test: %v\n%s", err, out)
	}
	var list []result
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 1 {
		t.Fatalf("bellhop test: %v\n%s", err, out)
	}
	return list[0].String(), list[0].Failure.Step + "\n" + list[0].Failure.Exchange + "\n" + list[0].Failure.Output
}

// scenario returns the scenario file of a bot.
func scenario(program string, p place, b bot) string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	ready := "online"
	if b.Ready != "" {
		ready = fmt.Sprintf("{stdout: %q}", b.Ready)
	}
	run := "cd " + quoted(p.folder)
	for _, entry := range p.env {
		name, value, _ := strings.Cut(entry, "=")
		run += " && export " + name + "=" + quoted(value)
	}
	run += " && exec " + quoted(program) + " run -- sh -c " + quoted(b.Start)
	text := fmt.Sprintf("app: {run: %q, ready: %s, start_timeout: 90s}\ntimeout: 20s\n", run, ready)
	if b.World != "" {
		text += "world:" + b.World
	}
	return text + "scenarios:\n  - name: a conversation\n    steps:" + strings.ReplaceAll(b.Steps, "\n", "\n      ") + "\n"
}

// result is a scenario in the output of "bellhop test --json".
type result struct {
	Passed  bool
	Gaps    []string
	Failure struct{ Summary, Step, Exchange, Output string }
}

// String returns the result in a few words.
func (r result) String() string {
	slices.Sort(r.Gaps)
	gaps := strings.Join(slices.Compact(r.Gaps), ", ")
	switch {
	case r.Passed && gaps == "":
		return answers
	case r.Passed:
		return "answers; it calls " + gaps + ", which is not served"
	case gaps != "":
		return "gap: " + gaps
	case strings.Contains(r.Failure.Summary, "ready"):
		return "does not start: " + oneLine(r.Failure.Summary)
	}
	return "fails: " + oneLine(r.Failure.Summary)
}

// oneLine returns the first line of a text without what a table cannot hold.
func oneLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.NewReplacer("|", "/", "`", "'").Replace(line)
}
