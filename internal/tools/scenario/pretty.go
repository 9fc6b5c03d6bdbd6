package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// Pretty prints results for people.
type Pretty struct {
	terminal.Printer
	terminal.Style

	Verbose bool // print everything that is known about a failure
}

// maxLines is the highest number of lines that are printed about a failure without Verbose.
const maxLines = 12

// Result prints a result, and what is known about its failure.
func (p *Pretty) Result(r Result) {
	verdict, took := p.Green("pass"), fmt.Sprintf("%d ms", r.Took.Milliseconds())
	if r.Failure != nil {
		verdict = p.Red("FAIL")
	}
	p.Line("%s  %s: %s  %s", verdict, r.File, terminal.Printable(r.Scenario), p.Dim(took))
	if r.Failure != nil {
		p.Line("      %s", p.Bold(r.Place()))
		text := r.Failure.short()
		if p.Verbose {
			text = r.Failure.Details()
		}
		p.Line("      %s", strings.ReplaceAll(p.colourDiff(text), "\n", "\n      "))
	}
}

// colourDiff colours added and removed lines.
func (p *Pretty) colourDiff(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = terminal.Printable(strings.ReplaceAll(line, "\t", "  "))
		switch {
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "  want "):
			lines[i] = p.Green(lines[i])
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, "  got "):
			lines[i] = p.Red(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// Summary prints how many scenarios passed, and which operations the apps have called that the service does not have.
func (p *Pretty) Summary(results []Result, took time.Duration) {
	failed := Failed(results)
	text := fmt.Sprintf("%s: %d passed, %d failed, %.1f s", terminal.Plural(len(results), "scenario"), len(results)-failed, failed, took.Seconds())
	if failed > 0 {
		text = p.Red(text)
	}
	p.Line("%s", text)
	gaps := Gaps(results)
	if len(gaps) > 0 {
		p.Line("%s", p.Bold("gaps: Bellhop does not serve"))
	}
	for _, o := range gaps {
		p.Line("  %s %s: %s", o.Method, o.Path, o.Note)
	}
}
