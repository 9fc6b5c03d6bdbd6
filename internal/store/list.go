package store

import "fmt"

// maxRereads bounds how often a list is read again because its subject changes meanwhile.
const maxRereads = 8

// IncompleteListError says that a list has another number of rows than was stored with it. A damaged key or a damaged
// index of the engine hides rows whose own checksums are right. It is an ErrDamaged.
type IncompleteListError struct {
	Table         string
	Key           string // a condition in SQL that selects the list
	Stored, Found int
}

// Error names the list.
func (e *IncompleteListError) Error() string {
	return fmt.Sprintf("%v: table %s has %d rows where %s, want %d", ErrDamaged, e.Table, e.Found, e.Key, e.Stored)
}

// Is makes the error an ErrDamaged.
func (e *IncompleteListError) Is(target error) bool { return target == ErrDamaged }

// whole calls read, which reads a list, and compares the number of its rows with the number that was stored with it, 0 for
// an unknown one. It returns an IncompleteListError when they differ. The rows may belong to different moments (see
// Store.Load), so it reads a list that differs again, and compares the revisions of its subject.
func (r *reader) whole(s Subject, read func() (IncompleteListError, error)) error {
	l, err := read()
	for range maxRereads {
		if err != nil || l.Stored == 0 || l.Stored == l.Found {
			return err
		}
		before, err := r.revisions([]Subject{s})
		if err != nil {
			return err
		}
		if l, err = read(); err != nil {
			return err
		}
		after, err := r.revisions([]Subject{s})
		if err != nil {
			return err
		}
		if l.Stored != 0 && l.Stored != l.Found && before[0] == after[0] {
			return &l
		}
	}
	return fmt.Errorf("%w: %v changes too often", ErrUnavailable, s)
}

// sizeOrNull returns the size of a list as it is stored. An empty list counts as unknown.
func sizeOrNull(n int) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}
