package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
)

// Damaged tests what a store does with damaged rows. exec runs a statement on the tables of the store.
func Damaged(t *testing.T, open func(t *testing.T) (s store.Store, exec func(sql string) error)) {
	t.Helper()
	for _, c := range recordCases() {
		t.Run(c.name+" with a wrong checksum is an error", func(t *testing.T) {
			t.Parallel()
			s, exec := open(t)
			put(t, s, append(c.with, c.full)...)
			for _, table := range store.Tables() {
				if table.Checksum {
					run(t, exec, "UPDATE "+table.Name+" SET checksum = checksum + 1")
				}
			}
			err := s.Read(t.Context(), func(r store.Reader) error {
				_, err := c.get(r)
				return err
			})
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("the read returns %v, want %v", err, store.ErrDamaged)
			}
		})
	}
	t.Run("a page leaves out the damaged row and keeps its neighbours", func(t *testing.T) {
		t.Parallel()
		s, exec := open(t)
		for id := range uint64(6) {
			put(t, s, user(id+1, fmt.Sprint("name ", id+1)))
		}
		run(t, exec, "UPDATE users SET id = 20 WHERE id = 2")
		run(t, exec, "UPDATE users SET checksum = 5 WHERE id = 3")
		var names []string
		for after := uint64(0); ; {
			page := read(t, s, func(r store.Reader) ([]store.User, error) { return r.Directory.Users(userID(after), 2) })
			if len(page) == 0 {
				break
			}
			for _, u := range page {
				names = append(names, u.Username)
				after = uint64(u.ID)
			}
		}
		same(t, "names", names, []string{"name 1", "name 4", "name 5", "name 6"})
		err := s.Read(t.Context(), func(r store.Reader) error {
			_, err := r.Directory.User(3)
			return err
		})
		if row, ok := errors.AsType[*store.DamagedRowError](err); !ok || *row != (store.DamagedRowError{Table: "users", Key: "id = 3"}) {
			t.Errorf("User(3) = %v, want a DamagedRowError for the row", err)
		}
	})
}

func run(t *testing.T, exec func(string) error, sql string) {
	t.Helper()
	if err := exec(sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
