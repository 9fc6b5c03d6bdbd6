package command_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
)

// TestParseFileBoundsAliases checks that aliases which multiply each other are refused before they are expanded.
func TestParseFileBoundsAliases(t *testing.T) {
	t.Parallel()
	text := "- &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, names := range []string{"ab", "bc", "cd", "de", "ef", "fg", "gh"} {
		text += "- &" + names[1:] + " [" + strings.Repeat("*"+names[:1]+",", 10) + "]\n"
	}
	_, finding := command.ParseFile("commands.yaml", []byte(text))
	if finding == nil || !strings.Contains(finding.Message, "too large after its aliases are expanded") || finding.Line == 0 {
		t.Errorf("ParseFile() = %+v, want a finding about aliases", finding)
	}
}
