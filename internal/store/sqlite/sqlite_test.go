package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/store/storetest"
)

// open returns an empty store that t closes.
func open(t testing.TB) *sqlite.DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "bellhop.db"))
}

func openAt(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	return closing(t)(sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler)))
}

// openVolatile returns an empty store whose commits do not wait for the disk. t closes it.
func openVolatile(t testing.TB) *sqlite.DB {
	t.Helper()
	return openVolatileAt(t, filepath.Join(t.TempDir(), "deep", "bellhop.db"))
}

func openVolatileAt(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	return closing(t)(sqlite.OpenVolatile(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler)))
}

// closing returns a function that makes t close a store.
func closing(t testing.TB) func(*sqlite.DB, error) *sqlite.DB {
	return func(db *sqlite.DB, err error) *sqlite.DB {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		})
		return db
	}
}

func TestDamagedRows(t *testing.T) {
	t.Parallel()
	storetest.Damaged(t, func(t *testing.T) (store.Store, func(string) error) {
		t.Helper()
		db := openVolatile(t)
		return db, db.Exec
	})
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var used []string
	t.Run("contract", func(t *testing.T) { // not parallel: the next subtest waits for it
		storetest.Run(t, func(t *testing.T) store.Store {
			t.Helper()
			db := openVolatile(t)
			t.Cleanup(func() { // before the store is closed
				mu.Lock()
				defer mu.Unlock()
				used = append(used, db.Prepared()...)
			})
			return db
		})
	})
	t.Run("no statement reads every row or sorts", func(t *testing.T) {
		slices.Sort(used)
		checkPlans(t, slices.Compact(used))
	})
}

// fullScans are parts of statements that may read a whole table or sort: those of small tables or short lists, of Clear
// and of the start of the service.
var fullScans = []string{
	" FROM nodes", " FROM tombstones", " FROM oauth_keys", " FROM lobby_secrets WHERE lobby_id = ? ORDER", " WHERE kind <> ?", " WHERE idle_since > ?",
}

// checkPlans reports statements that read every row of a table that can grow, or sort rows.
func checkPlans(t *testing.T, statements []string) {
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if err := openVolatileAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.OpenTables(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	checked := 0
	for _, statement := range statements {
		if !strings.Contains(statement, "?") || slices.ContainsFunc(fullScans, func(s string) bool { return strings.Contains(statement, s) }) {
			continue
		}
		checked++
		for _, step := range plan(t, db, statement) {
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "B-TREE") {
				t.Errorf("%s: %s", statement, step)
			}
		}
	}
	if checked < 100 {
		t.Errorf("the suite used %d statements, want all of the store", checked)
	}
}

// plan returns the steps in which SQLite runs a statement.
func plan(t *testing.T, db *sql.DB, statement string) (steps []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer func() {
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, string) *sqlite.DB{"durable": openAt, "volatile": openVolatileAt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "deep", "bellhop.db")
			var revisions []uint64
			for round := range 3 {
				db := open(t, path)
				if round == 0 {
					if err := db.Commit(t.Context(), putUser(1, 0, "kept")); err != nil {
						t.Fatal(err)
					}
				}
				revision, err := db.Revisions(t.Context(), store.UserSubject(1))
				if revisions = append(revisions, revision...); err != nil || !has(t, db, 1) || revisions[0] != revisions[round] {
					t.Errorf("round %d: the user is stored: %v, revisions %d, %v", round, has(t, db, 1), revisions, err)
				}
				if err := db.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
				if left, err := filepath.Glob(path + "-*"); err != nil || len(left) != 0 {
					t.Errorf("%v are left, %v, want the log in the database", left, err)
				}
			}
		})
	}
}

func TestCommitsAreDurable(t *testing.T) {
	t.Parallel()
	if got := open(t).Synchronous(); got != 2 {
		t.Errorf("synchronous = %d, want 2 (full)", got)
	}
	if got := openVolatile(t).Synchronous(); got != 0 {
		t.Errorf("synchronous of a volatile store = %d, want 0 (off)", got)
	}
}

func TestOpenCreatesPrivateFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "data")
	path := filepath.Join(folder, "odd name?mode=ro&x%20#1.db")
	db := openAt(t, path)
	if err := db.Commit(t.Context(), putUser(1, 0, "")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		folder: fs.ModeDir | 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %s = %v, want %v", filepath.Base(name), info.Mode(), want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, path string) error {
		t.Helper()
		db, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Fatalf("Open() succeeded, want an error; Close() = %v", db.Close())
		}
		if !strings.Contains(err.Error(), path) {
			t.Errorf("Open() = %q, which does not name the file", err)
		}
		return err
	}

	t.Run("a database that is open", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "bellhop.db")
		db := openAt(t, path)
		for range 2 {
			if err := refused(t, path); !errors.Is(err, sqlite.ErrLocked) {
				t.Errorf("Open() = %v, want %v", err, sqlite.ErrLocked)
			}
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Errorf("Ping() = %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		openAt(t, path)
	})

	t.Run("a newer schema", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "bellhop.db")
		db := openAt(t, path)
		if err := db.Exec("INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // a refused database is not locked
			if err := refused(t, path); !errors.Is(err, store.ErrNewerSchema) || !strings.Contains(err.Error(), "4711") {
				t.Errorf("Open() = %v, want %v with both numbers", err, store.ErrNewerSchema)
			}
		}
	})

	t.Run("a file that is no database", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "notes.txt")
		notes := strings.Repeat("not a database\n", 1000)
		if err := os.WriteFile(path, []byte(notes), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := refused(t, path); errors.Is(err, sqlite.ErrLocked) || errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("Open() = %v", err)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != notes {
			t.Errorf("the file was changed: %v", err)
		}
	})
}

// TestMigrateMemberCounts opens a database of a version without the counter of members.
func TestMigrateMemberCounts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	db := openAt(t, path)
	storetest.PutMembers(t, db, 300, 3)
	for _, undo := range []string{
		"DROP TRIGGER members_added", "DROP TRIGGER members_removed", "DROP TABLE member_counts", "DROP TABLE emojis", "DROP TABLE last_days", "DROP TABLE outbox",
		"DROP INDEX oauth_sessions_provider", "ALTER TABLE oauth_sessions DROP COLUMN provider",
		"DROP TABLE identities", "DROP TABLE transfers", "DROP TABLE service_keys", "DROP TABLE event_failures", "DROP TABLE lobby_changes",
		"DROP TABLE scheduled_events", "DROP TABLE scheduled_event_users",
		"DROP TABLE entitlements", "DROP TABLE subscriptions", "DROP TABLE role_connections",
		"ALTER TABLE events DROP COLUMN partitions",
		"DELETE FROM schema_versions WHERE version_id >= 1013",
	} {
		if err := db.Exec(undo); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.MembersCounted(t, openAt(t, path), 300, 3)
}
