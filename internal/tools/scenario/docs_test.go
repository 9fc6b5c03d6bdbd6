package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scenario"
)

// TestDocumentedExample reads the example of docs/scenarios.md, with the demo world.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml scenarios.yaml\n")
	example, _, _ = strings.Cut(example, "```")
	example = strings.Replace(example, "world: world.yaml ", "world: null ", 1)
	if f, err := scenario.Parse("example.yaml", []byte(example)); err != nil || len(f.Scenarios) != 1 {
		t.Errorf("Parse() = %v", err)
	}
}
