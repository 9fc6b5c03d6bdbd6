package scaffold_test

import (
	"io"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scaffold"
)

// TestAskLanguage answers with a number and with names.
func TestAskLanguage(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"1\n": 0, "Python\n": 3, "typescript": 2} {
		if got, err := scaffold.AskLanguage(strings.NewReader(answer), io.Discard); err != nil || got != want {
			t.Errorf("AskLanguage(%q) = %d, %v, want %d", answer, got, err, want)
		}
	}
	for _, answer := range []string{"", "5\n", "cobol\n"} {
		if got, err := scaffold.AskLanguage(strings.NewReader(answer), io.Discard); err == nil {
			t.Errorf("AskLanguage(%q) = %d, want an error", answer, got)
		}
	}
}
