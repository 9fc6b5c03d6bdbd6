package compare

import "fmt"

// Bound is the range that a value must be in: at least Least, and at most Most if that is not 0.
type Bound struct {
	Least float64 `json:"least,omitzero"`
	Most  float64 `json:"most,omitzero"`
}

// AtLeast returns the bound of values that should be high.
func AtLeast(least float64) Bound { return Bound{Least: least} }

// AtMost returns the bound of values that should be low.
func AtMost(most float64) Bound { return Bound{Most: most} }

// Verdict says whether a value is within its bound.
type Verdict string

// The verdicts.
const (
	NoBound Verdict = "-"
	Met     Verdict = "ok"
	Missed  Verdict = "MISSED"
)

// check compares value with b. It uses the exact value, although the table shows rounded ones. NaN is never within a bound.
func (b Bound) check(value float64) Verdict {
	switch {
	case b == Bound{}:
		return NoBound
	case value >= b.Least && (b.Most == 0 || value <= b.Most):
		return Met
	default:
		return Missed
	}
}

// text returns b for the table. format writes its numbers.
func (b Bound) text(format func(float64) string) string {
	switch {
	case b == Bound{}:
		return "-"
	case b.Most == 0:
		return ">= " + format(b.Least)
	case b.Least == 0:
		return "<= " + format(b.Most)
	default:
		return fmt.Sprintf("%s..%s", format(b.Least), format(b.Most))
	}
}
