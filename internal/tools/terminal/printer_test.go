package terminal

import (
	"errors"
	"strings"
	"testing"
)

// brokenAfter accepts a number of writes, and then fails.
type brokenAfter struct {
	strings.Builder

	left int
}

var errBroken = errors.New("broken")

func (w *brokenAfter) Write(text []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errBroken
	}
	return w.Builder.Write(text)
}

// TestPrinterKeepsFirstError checks that a printer stops at the first line that it cannot write.
func TestPrinterKeepsFirstError(t *testing.T) {
	t.Parallel()
	out := &brokenAfter{left: 1}
	p := Printer{Out: out}
	p.Line("%d of %d", 1, 3)
	p.Line("2 of 3")
	out.left = 1
	p.Line("3 of 3")
	if got := out.String(); got != "1 of 3\n" || !errors.Is(p.Err, errBroken) {
		t.Errorf("printed %q, error %v", got, p.Err)
	}
}
