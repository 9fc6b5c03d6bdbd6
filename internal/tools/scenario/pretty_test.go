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
