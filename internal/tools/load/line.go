package load

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Line is a command as a user types it, with values that each invocation draws. {Ada,Bob} draws from a list, {1..6}
// a whole number, and {0.5..2.5} a number with as many digits after the point as its ends. {{ is a brace.
type Line struct {
	text  string
	parts []linePart
}

// linePart is a piece of a line: a list to draw from, or a range of numbers.
type linePart struct {
	list      []string // one text: it is not drawn
	low, high int64    // if list is empty: the range, in units of 10^-digits
	digits    int
}

// ParseLine reads a line.
func ParseLine(text string) (Line, error) {
	l := Line{text: text}
	plain := ""
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		plain += before
		rest = after
		if !found {
			break
		}
		if strings.HasPrefix(rest, "{") {
			plain, rest = plain+"{", rest[1:]
			continue
		}
		inside, after, closed := strings.Cut(rest, "}")
		if !closed {
			return l, fmt.Errorf("%s: a brace is not closed; write {{ for a brace", text)
		}
		part, err := parsePart(inside)
		if err != nil {
			return l, fmt.Errorf("%s: {%s}: %w", text, inside, err)
		}
		l.parts = append(l.parts, linePart{list: []string{plain}}, part)
		plain, rest = "", after
	}
	l.parts = append(l.parts, linePart{list: []string{plain}})
	if strings.TrimSpace(text) == "" {
		return l, errors.New("the command is empty")
	}
	return l, nil
}

func parsePart(inside string) (linePart, error) {
	low, high, isRange := strings.Cut(inside, "..")
	if !isRange {
		if !strings.Contains(inside, ",") {
			return linePart{}, errors.New("want a list such as {a,b} or a range such as {1..6}; write {{ for a brace")
		}
		return linePart{list: strings.Split(inside, ",")}, nil
	}
	p := linePart{digits: max(digitsAfterPoint(low), digitsAfterPoint(high))}
	var err error
	if p.low, err = scaled(low, p.digits); err != nil {
		return p, err
	}
	if p.high, err = scaled(high, p.digits); err != nil {
		return p, err
	}
	if p.low > p.high || p.high-p.low < 0 {
		return p, fmt.Errorf("%s is not smaller than %s", low, high)
	}
	return p, nil
}

func digitsAfterPoint(number string) int {
	_, after, _ := strings.Cut(number, ".")
	return len(after)
}

// scaled returns a decimal number in units of 10^-digits.
func scaled(number string, digits int) (int64, error) {
	if _, err := strconv.ParseFloat(number, 64); err != nil {
		return 0, fmt.Errorf("%q is not a number", number)
	}
	whole, after, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole+after+strings.Repeat("0", digits-len(after)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large, or has too many digits", number)
	}
	return n, nil
}

// String returns the line as it was written.
func (l Line) String() string { return l.text }

// Draw returns the line with drawn values.
func (l Line) Draw(random *rand.Rand) string {
	if len(l.parts) == 1 {
		return l.parts[0].list[0]
	}
	var b strings.Builder
	for _, p := range l.parts {
		b.WriteString(p.draw(random))
	}
	return b.String()
}

func (p linePart) draw(random *rand.Rand) string {
	if len(p.list) > 0 {
		return pick(random, p.list)
	}
	n := p.low + int64(random.Uint64N(uint64(p.high-p.low)+1))
	if p.digits == 0 {
		return strconv.FormatInt(n, 10)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%0*d", p.digits+1, n)
	return sign + text[:len(text)-p.digits] + "." + text[len(text)-p.digits:]
}
