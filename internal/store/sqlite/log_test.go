package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestLogBeforeTheCommit runs a unit of work that is much larger than the cache: its pages go to the log while it runs, are read
// back from there, and are written there again.
func TestLogBeforeTheCommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	db := openAt(t, path)
	if _, err := db.Run(t.Context(), "PRAGMA cache_size = 8"); err != nil {
		t.Fatal(err)
	}
	const users = 300
	name := func(id snowflake.User, round int) string { return strings.Repeat(fmt.Sprint(id, "-", round, " "), 400) }
	err := db.Update(t.Context(), func(tx store.Tx) error {
		for round := range 3 {
			for id := snowflake.User(1); id <= users; id++ {
				if round > 0 {
					if u, err := tx.User(id); err != nil || u.Username != name(id, round-1) {
						return fmt.Errorf("round %d: user %d is another one than was put: %w", round, id, err)
					}
				}
				if err := tx.PutUser(store.User{ID: id, Username: name(id, round)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(r store.Reader) error {
		for id := snowflake.User(1); id <= users; id++ {
			if u, err := r.User(id); err != nil || u.Username != name(id, 2) {
				return fmt.Errorf("user %d is another one than was put: %w", id, err)
			}
		}
		return nil
	}
	if err := db.View(t.Context(), check); err != nil {
		t.Error(err)
	}
	if got, err := db.Run(t.Context(), "PRAGMA integrity_check"); err != nil || got != "ok" {
		t.Errorf("integrity_check = %v, %v", got, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := openAt(t, path).View(t.Context(), check); err != nil {
		t.Errorf("opened again: %v", err)
	}
}

// TestLostPages loses one piece of a unit of work on its way to the log, each in turn. The unit fails, nothing of it is kept, and
// the next one finds the store as it was.
func TestLostPages(t *testing.T) {
	t.Parallel()
	const users, most = 60, 300
	for _, cache := range []int{8, 1000} { // the first sends pages to the log before the commit
		t.Run(fmt.Sprint(cache, " pages in memory"), func(t *testing.T) {
			t.Parallel()
			for lost := range most {
				db := open(t)
				must := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatalf("piece %d: %v", lost, err)
					}
				}
				must(db.Update(t.Context(), putUser(users+1)))
				_, err := db.Run(t.Context(), fmt.Sprintf("PRAGMA cache_size = %d", cache))
				must(err)
				must(db.FailLog(t.Context(), lost))
				err = db.Update(t.Context(), func(tx store.Tx) error {
					for id := snowflake.User(1); id <= users; id++ {
						if err := tx.PutUser(store.User{ID: id, Username: strings.Repeat("x", 4<<10)}); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil && !errors.Is(err, store.ErrUnavailable) || err == nil && lost < 3 {
					t.Errorf("piece %d: Update() = %v, want %v", lost, err, store.ErrUnavailable)
				}
				if has(t, db, 1) != (err == nil) || has(t, db, users) != (err == nil) || !has(t, db, users+1) {
					t.Errorf("piece %d: what is there is not what was acknowledged", lost)
				}
				must(db.FailLog(t.Context(), -1))
				must(db.Update(t.Context(), putUser(users+2)))
				if got, err := db.Run(t.Context(), "PRAGMA integrity_check"); err != nil || got != "ok" || !has(t, db, users+2) {
					t.Errorf("piece %d: integrity_check = %v, %v", lost, got, err)
				}
				if err == nil {
					return // there is no such piece
				}
			}
			t.Errorf("a unit of work has more than %d pieces", most)
		})
	}
}
