package sqlstore

import (
	"math/bits"
	"strings"
)

// multiSteps is how many sizes a multi has: 1, 2, 4 … 64 rows.
const multiSteps = 7

// multi is a statement over many rows. Any number of rows is made of a few sizes, so that few texts are ever prepared.
type multi struct {
	width int                // arguments of a row
	texts [multiSteps]string // texts[i] takes 1<<i rows
}

// newMulti returns the statement that stands around a comma-separated list of rows.
func newMulti(head, row, tail string) multi {
	m := multi{width: strings.Count(row, "?")}
	for i := range m.texts {
		m.texts[i] = head + row + strings.Repeat(","+row, 1<<i-1) + tail
	}
	return m
}

// run gives exec the statement for the arguments of all rows, in as few pieces as the sizes allow, and returns how many
// rows were changed.
func (m multi) run(args []any, exec func(query string, args []any) (int64, error)) (int64, error) {
	var changed int64
	err := m.each(args, func(query string, args []any) error {
		n, err := exec(query, args)
		changed += n
		return err
	})
	return changed, err
}

// each gives do the statement and the arguments of each piece.
func (m multi) each(args []any, do func(query string, args []any) error) error {
	for len(args) > 0 {
		step := min(bits.Len(uint(len(args)/m.width)), multiSteps) - 1
		end := m.width << step
		if err := do(m.texts[step], args[:end]); err != nil {
			return err
		}
		args = args[end:]
	}
	return nil
}
