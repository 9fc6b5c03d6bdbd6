package compare

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Unit is the unit of a reading.
type Unit string

// The units.
const (
	Seconds     Unit = "s"
	Kibibytes   Unit = "KiB"
	Mebibytes   Unit = "MiB"
	Nanoseconds Unit = "ns"
	Share       Unit = "of 1"
)

// Report is the result of a run of the suite.
type Report struct {
	Time        time.Time     `json:"time"`
	Machine     Machine       `json:"machine"`
	Revision    string        `json:"revision,omitempty"` // of the measured service
	Connections int           `json:"connections"`
	Rounds      int           `json:"rounds"`
	Round       time.Duration `json:"round_ns"`
	Scale       int           `json:"scale"`
	Outcomes    []Outcome     `json:"outcomes"`
}

// Machine describes the machine of a report. Ratios of different machines can be compared, rates cannot.
type Machine struct {
	CPU   string `json:"cpu,omitempty"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

// Missed returns the names of the cases that missed their bounds.
func (r Report) Missed() []string {
	var names []string
	for _, o := range r.Outcomes {
		if o.Verdict == Missed {
			names = append(names, o.Name)
		}
	}
	return names
}

// WriteTable writes one row per outcome. p50 and p99 are latencies of the subject, cpu is the CPU time per response.
func (r Report) WriteTable(w io.Writer) error {
	rows := [][]string{{"case", "subject", "yardstick", "ratio", "bound", "verdict", "p50", "p99", "cpu", "yardstick cpu"}}
	for _, o := range r.Outcomes {
		rows = append(rows, o.row())
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row returns the cells of o.
func (o Outcome) row() []string {
	if o.Subject == nil {
		amount := func(v float64) string { return trim(v) + " " + string(o.Unit) }
		return []string{o.Name, amount(o.Value), "-", "-", o.Bound.text(amount), string(o.Verdict), "-", "-", "-", "-"}
	}
	return []string{
		o.Name,
		trim(o.Subject.Rate) + "/s", trim(o.Yardstick.Rate) + "/s", strconv.FormatFloat(o.Value, 'f', 2, 64),
		o.Bound.text(trim), string(o.Verdict), brief(o.Subject.P50), brief(o.Subject.P99),
		brief(o.Subject.AnswerCPU), brief(o.Yardstick.AnswerCPU),
	}
}

// trim formats v with three significant digits, or without decimals if it is 1000 or more.
func trim(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// brief formats d with about three digits.
func brief(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	default:
		return d.Round(100 * time.Nanosecond).String()
	}
}
