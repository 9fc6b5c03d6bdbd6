package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Report collects results. Its zero value is empty.
type Report struct {
	Results []Result
}

// Add adds a result.
func (r *Report) Add(result Result) { r.Results = append(r.Results, result) }

// Count returns the number of checks with a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, result := range r.Results {
		if result.Verdict == v {
			n++
		}
	}
	return n
}

// Line returns the result as text: one line, and two more for a failed check.
func (r Result) Line() string {
	line := fmt.Sprintf("%-7s %s  %s", r.Verdict, r.ID, r.Rule)
	switch r.Verdict {
	case Failed:
		line += fmt.Sprintf("\n          %s\n          specification: %s", r.Message, r.Cite())
	case Skipped:
		line += " (" + r.Message + ")"
	case Passed:
	}
	return line
}

// Summary returns the number of passed, failed and skipped checks, in one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Count(Passed), r.Count(Failed), r.Count(Skipped))
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// WriteJUnit writes the report as JUnit XML, which CI systems read.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: "conformance", Tests: len(r.Results), Failures: r.Count(Failed), Skipped: r.Count(Skipped)}
	var took time.Duration
	for _, result := range r.Results {
		took += result.Took
		c := junitCase{Class: result.Section, Name: result.ID + " " + result.Rule, Time: seconds(result.Took)}
		message := &junitMessage{Message: printable(result.Message), Text: "specification: " + result.Cite()}
		switch result.Verdict {
		case Failed:
			c.Failure = message
		case Skipped:
			c.Skipped = message
		case Passed:
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(took)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// printable removes the characters that XML does not allow.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// WriteList writes all checks as a Markdown table.
func WriteList(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| check | rule | specification | needs |\n|---|---|---|---|\n")
	for _, c := range Checks() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.ID, strings.ReplaceAll(c.Rule, "|", `\|`), c.Cite(), c.Needs)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
