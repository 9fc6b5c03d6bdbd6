package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/bellhop/bellhop/internal/store/storetest"
	"github.com/bellhop/bellhop/snowflake"
)

// open returns an empty store that t closes.
func open(t testing.TB) *sqlite.Probe {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if err := sqlite.CopyBlank(t.Context(), path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return openAt(t, path)
}

func openAt(t testing.TB, path string) *sqlite.Probe {
	t.Helper()
	db, err := sqlite.OpenProbe(t.Context(), path, slog.New(slog.DiscardHandler))
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

// TestSQLite runs the suite, and then looks at how SQLite finds the rows of every statement that the suite has used.
func TestSQLite(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	used := map[string]bool{}
	t.Run("contract", func(t *testing.T) { // not parallel: what follows waits for it
		storetest.Run(t, func(t *testing.T) store.Store {
			t.Helper()
			db := open(t)
			t.Cleanup(func() {
				mu.Lock()
				defer mu.Unlock()
				for _, s := range db.Statements() {
					used[s] = true
				}
			})
			return db
		})
	})
	t.Run("no statement looks at every row", func(t *testing.T) { checkPlans(t, used) })
}

// checkPlans reports statements that look at every row of a table that can grow, or sort what they find.
func checkPlans(t *testing.T, statements map[string]bool) {
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := openRaw(t, path)
	checked := 0
	for query := range statements {
		if !strings.Contains(query, "?") { // concerns the connection or the whole table
			continue
		}
		checked++
		for _, detail := range plan(t, db, query) {
			small := strings.Contains(query, "nodes") || strings.HasSuffix(detail, "VALUES CLAUSE")
			rare := strings.Contains(query, "FROM lobbies WHERE application_id") // operators ask for it
			if !small && !rare && (strings.HasPrefix(detail, "SCAN") || strings.Contains(detail, "B-TREE")) {
				t.Errorf("%s: %s", query, detail)
			}
		}
	}
	if checked < 60 {
		t.Errorf("the suite used %d statements, want all of them", checked)
	}
}

// plan returns the steps in which SQLite runs a statement.
func plan(t *testing.T, db *sql.DB, query string) (details []string) {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() {
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		details = append(details, detail)
	}
	return details
}

// openRaw opens a database without the store. t closes it.
func openRaw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	storetest.RunDurable(t, func(t *testing.T) store.Store {
		t.Helper()
		return openAt(t, path)
	})
}

func TestWritesAreDurable(t *testing.T) {
	t.Parallel()
	db := open(t)
	for pragma, want := range map[string]any{"journal_mode": "wal", "synchronous": int64(2), "wal_autocheckpoint": int64(16384)} {
		if got, err := db.Run(t.Context(), "PRAGMA "+pragma); err != nil || got != want {
			t.Errorf("%s = %v, %v, want %v", pragma, got, err, want)
		}
	}
}

func TestPutMemberForgetsOldRoles(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, roles := range [][]snowflake.Role{{301, 302, 303}, {302}} {
		err := db.Update(t.Context(), func(tx store.Tx) error {
			return tx.PutMember(store.Member{Guild: 300, User: 200, Roles: roles})
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := db.Run(t.Context(), "SELECT COUNT(*) FROM member_roles"); err != nil || n != int64(len(roles)) {
			t.Errorf("member_roles holds %v rows, %v, want %d", n, err, len(roles))
		}
	}
}

// TestDeletesLeaveNoRows looks below the contract: rows that nothing leads to any more must not pile up.
func TestDeletesLeaveNoRows(t *testing.T) {
	t.Parallel()
	member := func(roles ...snowflake.Role) store.Member { return store.Member{Guild: 300, User: 200, Roles: roles} }
	direct := store.Channel{ID: 500, Recipients: []snowflake.User{200, 201}}
	for _, tt := range []struct {
		name      string
		put, take func(store.Tx) error
	}{
		{
			"a member goes",
			func(tx store.Tx) error { return tx.PutMember(member(301)) },
			func(tx store.Tx) error { return tx.DeleteMember(300, 200) },
		},
		{
			"a user goes",
			func(tx store.Tx) error { return errors.Join(tx.PutMember(member(301)), tx.PutChannel(direct)) },
			func(tx store.Tx) error { return tx.DeleteUser(200) },
		},
		{
			"a guild goes",
			func(tx store.Tx) error { return tx.PutMember(member(301)) },
			func(tx store.Tx) error { return tx.DeleteGuild(300) },
		},
		{
			"a channel goes",
			func(tx store.Tx) error { return tx.PutChannel(direct) },
			func(tx store.Tx) error { return tx.DeleteChannel(500) },
		},
		{
			"everything goes",
			func(tx store.Tx) error { return errors.Join(tx.PutMember(member(301)), tx.PutChannel(direct)) },
			store.Tx.Clear,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			for _, fn := range []func(store.Tx) error{tt.put, tt.take} {
				if err := db.Update(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
			}
			for _, table := range []string{"members", "member_roles", "channels", "recipients"} {
				if n, err := db.Run(t.Context(), "SELECT COUNT(*) FROM "+table); err != nil || n != int64(0) {
					t.Errorf("%s holds %v rows, %v, want none", table, n, err)
				}
			}
		})
	}
}

func TestOpenCreatesPrivateFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "data")
	path := filepath.Join(folder, "odd name?mode=ro&x%20#1.db")
	db := openAt(t, path)
	if err := db.Update(t.Context(), func(tx store.Tx) error { return tx.PutUser(store.User{ID: 1}) }); err != nil {
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

// TestOpenAgainWhileProcessesStart reopens a database while others are being started, which share every open file with
// this process for a moment.
func TestOpenAgainWhileProcessesStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for !stop.Load() {
				if err := child(t, "end at once", "").Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		db, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Errorf("Open() = %v", err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
	stop.Store(true)
	wg.Wait()
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, path string) error {
		t.Helper()
		db, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Fatalf("Open() = %v, want an error", db.Close())
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
		if err := refused(t, path); !errors.Is(err, sqlite.ErrLocked) {
			t.Errorf("Open() = %v, want %v", err, sqlite.ErrLocked)
		}
		if err := db.Ping(t.Context()); err != nil { // the first has not noticed
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
		if err := openAt(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		_, err := openRaw(t, path).Exec("INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the refusal gives the file back
			if err := refused(t, path); !errors.Is(err, sqlstore.ErrNewerSchema) || !strings.Contains(err.Error(), "4711") {
				t.Errorf("Open() = %v, want %v with both numbers", err, sqlstore.ErrNewerSchema)
			}
		}
	})

	t.Run("what is no database", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "notes.txt")
		notes := []byte(strings.Repeat("not a database\n", 1000))
		if err := os.WriteFile(path, notes, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := refused(t, path); errors.Is(err, sqlite.ErrLocked) || errors.Is(err, sqlstore.ErrNewerSchema) {
			t.Errorf("Open() = %v", err)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != string(notes) {
			t.Errorf("the file was changed: %v", err)
		}
	})
}
