package load_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/load"
)

// TestParsePlanBoundsAliases checks that aliases which multiply each other are refused before they are expanded.
func TestParsePlanBoundsAliases(t *testing.T) {
	t.Parallel()
	lines := []string{"as: &a [x,x,x,x,x,x,x,x,x,x]"}
	for _, names := range []string{"ab", "bc", "cd", "de", "ef", "fg", "gh"} {
		lines = append(lines, names[1:]+": &"+names[1:]+" ["+strings.Repeat("*"+names[:1]+",", 10)+"]")
	}
	if _, err := load.ParsePlan("load.yaml", []byte(strings.Join(lines, "\n"))); err == nil || !strings.Contains(err.Error(), "too large after its aliases are expanded") {
		t.Errorf("ParsePlan() = %v, want an error about aliases", err)
	}
}
