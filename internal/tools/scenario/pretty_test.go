package scenario_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// TestPretty checks the lines for people: no name of a scenario can move the cursor, and a failure has its place.
func TestPretty(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := scenario.Pretty{Printer: terminal.Printer{Out: &out}}
	failure := &scenario.Failure{Step: "/roll", Error: "no answer", Diff: "-old\n+new\n"}
	results := []scenario.Result{
		{File: "s.yaml", Scenario: "rolls\x1b[2J", Took: 12 * time.Millisecond},
		{File: "s.yaml", Scenario: "fails", Took: time.Second, Failure: failure},
	}
	for _, r := range results {
		p.Result(r)
	}
	p.Summary(results, 1500*time.Millisecond)
	const want = "pass  s.yaml: rolls�[2J  12 ms\nFAIL  s.yaml: fails  1000 ms\n      s.yaml:0:0\n" +
		"      /roll: no answer\n      the answers differ from the snapshot\n      -old\n      +new\n" +
		"2 scenarios: 1 passed, 1 failed, 1.5 s\n"
	if p.Err != nil || out.String() != want {
		t.Errorf("printed %q, %v, want %q", out.String(), p.Err, want)
	}
}

// TestPrettyIsShort checks that a long failure has at most 12 lines and no token, and that Verbose prints the rest.
func TestPrettyIsShort(t *testing.T) {
	t.Parallel()
	const token = "MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only"
	failure := &scenario.Failure{
		Step: "/roll", Error: "refused with " + token, Diff: strings.Repeat("+line\n", 40), Exchange: `POST /api {"token":"secret"}`, Output: "bot started",
	}
	result := scenario.Result{File: "s.yaml", Scenario: "fails", Failure: failure}
	var short, long, junit, github strings.Builder
	(&scenario.Pretty{Printer: terminal.Printer{Out: &short}}).Result(result)
	if lines := strings.Count(short.String(), "\n") - 1; lines > 12 || strings.Contains(short.String(), token) || !strings.Contains(short.String(), "-v shows the last request") {
		t.Errorf("%d lines after the name:\n%s", lines, &short)
	}
	(&scenario.Pretty{Printer: terminal.Printer{Out: &long}, Verbose: true}).Result(result)
	if !strings.Contains(long.String(), "POST /api") || !strings.Contains(long.String(), "bot started") {
		t.Errorf("with Verbose: %s", &long)
	}
	for out, format := range map[*strings.Builder]scenario.Format{&junit: scenario.JUnit, &github: scenario.GitHub} {
		if err := scenario.Write(out, format, []scenario.Result{result}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), token) || strings.Contains(out.String(), "POST /api") || strings.Contains(out.String(), "bot started") {
			t.Errorf("%s has a dump or a token:\n%s", format, out)
		}
	}
}
