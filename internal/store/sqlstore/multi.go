package sqlstore

import "strings"

// multiSizes are the numbers of rows that a multi has a text for, in ascending order.
var multiSizes = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}

// multi is a statement over many rows. Any number of rows is made of a few sizes, so that few texts are ever prepared.
type multi struct {
	width int                     // arguments of a row
	texts [len(multiSizes)]string // texts[i] takes multiSizes[i] rows
}

// newMulti returns the statement that stands around a comma-separated list of rows.
func newMulti(head, row, tail string) multi {
	m := multi{width: strings.Count(row, "?")}
	for i, size := range multiSizes {
		m.texts[i] = head + row + strings.Repeat(","+row, size-1) + tail
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

// all runs the statement for the arguments of all rows where nobody asks how many it changes.
func (m multi) all(t *Tx, args []any) error {
	_, err := m.run(args, t.doArgs)
	return err
}

// each gives do the statement and the arguments of each piece.
func (m multi) each(args []any, do func(query string, args []any) error) error {
	for len(args) > 0 {
		rows := len(args) / m.width
		i := len(multiSizes) - 1
		for multiSizes[i] > rows {
			i--
		}
		end := m.width * multiSizes[i]
		if err := do(m.texts[i], args[:end]); err != nil {
			return err
		}
		args = args[end:]
	}
	return nil
}
