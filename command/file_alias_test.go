package command_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
)

// TestParseFileBoundsAliases checks that aliases which multiply each other are refused before they are expanded.
func TestParseFileBoundsAliases(t *testing.T) {
	t.Parallel()
	lines := []string{"- &a [x,x,x,x,x,x,x,x,x,x]"}
	for _, names := range []string{"ab", "bc", "cd", "de", "ef", "fg", "gh"} {
		lines = append(lines, "- &"+names[1:]+" ["+strings.Repeat("*"+names[:1]+",", 10)+"]")
	}
	_, finding := command.ParseFile("commands.yaml", []byte(strings.Join(lines, "\n")))
	if finding == nil || !strings.Contains(finding.Message, "too large after its aliases are expanded") || finding.Line == 0 {
		t.Errorf("ParseFile() = %+v, want a finding about aliases", finding)
	}
}
