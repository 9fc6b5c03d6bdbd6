package doctor_test

import (
	"io"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/doctor"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// TestPrinterBoundsKinds checks that a kind with many problems does not hide the others: it is printed 20 times and then counted.
func TestPrinterBoundsKinds(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := doctor.NewPrinter(&out, io.Discard)
	for range 22 {
		p.Problem("damaged row", "row\n7", "restore")
	}
	p.Problem("lost file", "a", "copy it")
	if err := p.Summary(); err != nil || p.Problems != 23 {
		t.Fatalf("%d problems, %v", p.Problems, err)
	}
	text := out.String()
	if n := strings.Count(text, "damaged row: row\uFFFD7\n  repair: restore\n"); n != 20 {
		t.Errorf("%d problems of one kind are printed, want 20:\n%s", n, text)
	}
	if !strings.HasSuffix(text, "lost file: a\n  repair: copy it\ndamaged row: 2 more\n\n23 problems found.\n") {
		t.Errorf("the output ends otherwise:\n%s", text)
	}
}

// TestVerdictPrinter checks that failures are counted, and printed with what repairs them.
func TestVerdictPrinter(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := &doctor.VerdictPrinter{Printer: terminal.Printer{Out: &out}}
	p.Report(doctor.Healthy, "token", "valid", "")
	p.Report(doctor.Broken, "clock", "an hour behind", "set the clock")
	want := "ok       token        valid\nfailed   clock        an hour behind\n                      fix: set the clock\n"
	if out.String() != want || p.Failures != 1 {
		t.Errorf("%d failures:\n%s\nwant:\n%s", p.Failures, out.String(), want)
	}
}
