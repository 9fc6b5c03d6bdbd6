package doctor

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// maxOfKind is the highest number of problems of one kind that are printed.
const maxOfKind = 20

// Printer prints the problems of data. It implements Course.
type Printer struct {
	terminal.Printer

	Problems int // that were found

	notes io.Writer
	bar   *terminal.Progress // of the rows; nil: none was checked yet
	kinds map[string]int     // problems of each kind
}

// NewPrinter returns a printer that writes problems to out, and what is not checked and the progress to notes.
func NewPrinter(out, notes io.Writer) *Printer {
	return &Printer{Printer: terminal.Printer{Out: out}, notes: notes, kinds: map[string]int{}}
}

// Problem prints a problem and how to repair it.
func (p *Printer) Problem(kind, where, repair string) {
	p.Problems++
	if p.kinds[kind]++; p.kinds[kind] > maxOfKind {
		return
	}
	p.Clear()
	p.Line("%s: %s\n  repair: %s", kind, terminal.Printable(where), repair)
}

// Note prints what is not checked.
func (p *Printer) Note(text string) { fmt.Fprintln(p.notes, text) }

// Step shows how many rows are checked.
func (p *Printer) Step(done, total int64) {
	if p.bar == nil {
		p.bar = terminal.NewProgress(p.notes, "rows")
	}
	p.bar.Step(done, total)
}

// Busy shows that a part of the check runs.
func (p *Printer) Busy(part string, check func() error) error {
	p.Clear()
	return terminal.Busy(p.notes, part, check)
}

// Clear removes the progress of the rows.
func (p *Printer) Clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// Summary ends the output. If there are problems, it prints how many. It returns the first error of the output.
func (p *Printer) Summary() error {
	for _, kind := range slices.Sorted(maps.Keys(p.kinds)) {
		if n := p.kinds[kind]; n > maxOfKind {
			p.Line("%s: %d more", kind, n-maxOfKind)
		}
	}
	if p.Problems > 0 {
		p.Line("\n%s found.", terminal.Plural(p.Problems, "problem"))
	}
	return p.Err
}

// VerdictPrinter prints the results of checks.
type VerdictPrinter struct {
	terminal.Printer
	terminal.Style

	Failures int // the checks that failed
}

// Report prints the result of a check. fix says how to repair it.
func (p *VerdictPrinter) Report(v Verdict, name, text, fix string) {
	mark := fmt.Sprintf("%-8s", v)
	switch v {
	case Healthy:
		mark = p.Green(mark)
	case Broken:
		mark = p.Red(mark)
		p.Failures++
	case Skipped:
		mark = p.Dim(mark)
	}
	p.Line("%s %-12s %s", mark, name, terminal.Printable(text))
	if fix != "" {
		p.Line("%-21s fix: %s", "", fix)
	}
}
