package scenario

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/parity"
	"github.com/go-json-experiment/json/jsontext"
)

const maxShownBody = 4 << 10 // bytes of a body in a report

// String returns the request and the response.
func (e exchange) String() string {
	if e.method == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%s", e.method, e.path, indented(e.sent))
	if e.status != 0 {
		fmt.Fprintf(&b, "%d\n%s", e.status, indented(e.received))
	}
	return b.String()
}

// indented returns JSON with one member per line, at most maxShownBody bytes.
func indented(text string) string {
	if text == "" {
		return ""
	}
	v := jsontext.Value(text)
	if v.Indent(jsontext.WithIndent("  ")) == nil {
		text = string(v)
	}
	if len(text) > maxShownBody {
		text = strings.ToValidUTF8(text[:maxShownBody], "") + "\n…"
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// Place returns the file, line and column of a failure, or of the scenario if it passed.
func (r Result) Place() string {
	at := r.Position
	if r.Failure != nil {
		at = r.Failure.Position
	}
	return fmt.Sprintf("%s:%d:%d", r.File, at.Line, at.Column)
}

// Summary returns what is wrong, without the exchange and the output of the app.
func (f *Failure) Summary() string {
	var lines []string
	if f.Error != "" {
		lines = append(lines, f.Error)
	}
	for _, m := range f.Mismatches {
		lines = append(lines, fmt.Sprintf("%s\n  want %s\n  got  %s", m.What, m.Want, strings.ReplaceAll(m.Got, "\n", "\n       ")))
	}
	if f.Diff != "" {
		lines = append(lines, "the answers differ from the snapshot\n"+strings.TrimSuffix(f.Diff, "\n"))
	}
	text := strings.Join(lines, "\n")
	if f.Step != "" {
		text = f.Step + ": " + text
	}
	return text
}

// short returns the first lines of the summary, without tokens, and says what -v shows.
func (f *Failure) short() string {
	lines := strings.Split(withoutTokens(f.Summary()), "\n")
	if len(lines) < maxLines && f.Exchange == "" && f.Output == "" {
		return strings.Join(lines, "\n")
	}
	return strings.Join(append(lines[:min(len(lines), maxLines-2)], "… -v shows the last request and the output of the app"), "\n")
}

// tokens matches tokens of bots, users and interactions, and members with secrets.
var tokens = regexp.MustCompile(`[\w-]{17,}\.[\w-]{4,}\.[\w-]{20,}|\b(?:Bot|Bearer) [\w.-]{16,}|("token": ?")[^"]+|[\w-]{60,}`)

// withoutTokens masks the tokens in a text.
func withoutTokens(text string) string { return tokens.ReplaceAllString(text, "${1}***") }

// Details returns everything that is known about a failure.
func (f *Failure) Details() string {
	text := f.Summary()
	if f.Exchange != "" {
		text += "\n\nthe last request of the step:\n" + strings.TrimSuffix(f.Exchange, "\n")
	}
	if f.Output != "" {
		text += "\n\nthe output of the app:\n" + strings.TrimSuffix(f.Output, "\n")
	}
	return text
}

// Format is a format of results for programs.
type Format string

// The formats.
const (
	JUnit  Format = "junit"
	TAP    Format = "tap"
	GitHub Format = "github"
	JSON   Format = "json"
)

// Write writes results in a format.
func Write(w io.Writer, format Format, results []Result) error {
	switch format {
	case JUnit:
		return writeJUnit(w, results)
	case TAP:
		return writeTAP(w, results)
	case GitHub:
		return writeGitHub(w, results)
	case JSON:
		return writeJSON(w, results)
	}
	return fmt.Errorf("unknown format %q", format)
}

// Gaps returns the operations of Discord that the apps have called and the service does not have.
func Gaps(results []Result) []parity.Operation {
	called := map[string]bool{}
	for i := range results {
		for _, name := range results[i].Gaps {
			called[name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(parity.All().Operations), func(o parity.Operation) bool { return !called[o.Name] })
}

// Failed returns how many scenarios failed.
func Failed(results []Result) int {
	n := 0
	for i := range results {
		if results[i].Failure != nil {
			n++
		}
	}
	return n
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// FormatOf returns the format for a file: JSON for names that end in .json, otherwise JUnit.
func FormatOf(name string) Format {
	if strings.HasSuffix(name, ".json") {
		return JSON
	}
	return JUnit
}

// writeJUnit writes a suite for each file.
func writeJUnit(w io.Writer, results []Result) error {
	var all junitSuites
	var took time.Duration
	for i := range results {
		r := &results[i]
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != r.File {
			all.Suites, took = append(all.Suites, junitSuite{Name: r.File}), 0
		}
		suite := &all.Suites[len(all.Suites)-1]
		took += r.Took
		suite.Tests, suite.Time = suite.Tests+1, seconds(took)
		c := junitCase{Class: r.File, Name: r.Scenario, File: r.File, Line: r.Position.Line, Time: seconds(r.Took)}
		if f := r.Failure; f != nil {
			suite.Failures++
			first, _, _ := strings.Cut(f.Summary(), "\n")
			c.Failure = &junitFailure{withoutTokens(first), r.Place() + "\n" + f.short()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// writeTAP writes the Test Anything Protocol, version 13.
func writeTAP(w io.Writer, results []Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 13\n1..%d\n", len(results))
	for i := range results {
		r := &results[i]
		verdict := "ok"
		if r.Failure != nil {
			verdict = "not ok"
		}
		name := strings.NewReplacer("#", `\#`, "\n", " ").Replace(r.File + ": " + r.Scenario)
		fmt.Fprintf(&b, "%s %d - %s\n", verdict, i+1, name)
		if r.Failure != nil {
			fmt.Fprintf(&b, "  ---\n  at: %s\n  message: |\n    %s\n  ...\n", r.Place(), strings.ReplaceAll(r.Failure.short(), "\n", "\n    "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGitHub writes an annotation of GitHub Actions for each failure.
func writeGitHub(w io.Writer, results []Result) error {
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for i := range results {
		r := &results[i]
		if r.Failure == nil {
			continue
		}
		at := r.Failure.Position
		_, err := fmt.Fprintf(w, "::error file=%s,line=%d,col=%d,title=%s::%s\n", property.Replace(r.File), at.Line, at.Column,
			property.Replace(r.Scenario), text.Replace(r.Failure.short()))
		if err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a list of results.
func writeJSON(w io.Writer, results []Result) error {
	list := make([]object, len(results))
	for i := range results {
		r := &results[i]
		list[i] = object{"file": r.File, "line": r.Position.Line, "scenario": r.Scenario, "passed": r.Failure == nil, "took_ms": r.Took.Milliseconds()}
		if len(r.Gaps) > 0 {
			list[i]["gaps"] = r.Gaps
		}
		if f := r.Failure; f != nil {
			list[i]["failure"] = object{
				"line": f.Position.Line, "column": f.Position.Column, "step": f.Step, "summary": f.Summary(), "exchange": f.Exchange, "output": f.Output,
			}
		}
	}
	text, err := marshal(list)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
