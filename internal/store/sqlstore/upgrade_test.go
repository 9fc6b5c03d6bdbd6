package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/store/storetest"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	comment = regexp.MustCompile(`--[^\n]*|/\*.*?\*/`)
	spaces  = regexp.MustCompile(`\s+`)
	creates = regexp.MustCompile(`^CREATE TABLE (\w+) \(`)
	indexes = regexp.MustCompile(`^CREATE (UNIQUE )?INDEX \w+ ON (\w+) `)
	columns = regexp.MustCompile(`^ALTER TABLE \w+ ADD COLUMN \w+ \w+( NOT NULL)?( DEFAULT \S+)?$`)
	inserts = regexp.MustCompile(`^INSERT INTO (\w+) `)
	drops   = regexp.MustCompile(`^DROP INDEX \w+$`)
)

// taken returns the first statement of a migration that a program of the schema before may not survive; empty: there is
// none. Tables, indexes and columns that may be left out of an INSERT can be added, and what is unique or filled in new
// tables alone. Without an index a program finds the same rows, later.
func taken(migration string) string {
	own := map[string]bool{}
	for s := range strings.SplitSeq(comment.ReplaceAllString(migration, " "), ";") {
		s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
		if s == "" {
			continue
		}
		if m := creates.FindStringSubmatch(s); m != nil {
			own[m[1]] = true
			continue
		}
		if m := indexes.FindStringSubmatch(s); m != nil && (m[1] == "" || own[m[2]]) {
			continue
		}
		if m := columns.FindStringSubmatch(s); m != nil && (m[1] == "" || m[2] != "") {
			continue
		}
		if m := inserts.FindStringSubmatch(s); m != nil && own[m[1]] || drops.MatchString(s) {
			continue
		}
		return s
	}
	return ""
}

// TestMigrationsOnlyAdd keeps the promise that a program works with every later schema of its generation.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v %v", files, err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("migrations/%05d_", i+1); !strings.HasPrefix(file, want) {
			t.Errorf("%s does not follow on the one before", file)
		}
		if s := taken(string(text)); s != "" {
			t.Errorf("%s: a program of the version before may not survive %q", file, s)
		}
	}
	for statement, fine := range map[string]bool{
		"CREATE TABLE a (b BIGINT NOT NULL); CREATE UNIQUE INDEX c ON a (b); INSERT INTO a VALUES (1)": true,
		"ALTER TABLE a ADD COLUMN b BIGINT":                    true,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0": true,
		"CREATE INDEX b ON a (c)":                              true,
		"DROP INDEX b /* here */":                              true,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL":           false,
		"CREATE UNIQUE INDEX b ON a (c)":                       false,
		"ALTER TABLE a RENAME COLUMN b TO c":                   false,
		"ALTER TABLE a DROP COLUMN b":                          false,
		"DROP TABLE a":                                         false,
		"UPDATE a SET b = 1":                                   false,
		"INSERT INTO a VALUES (1)":                             false,
	} {
		if got := taken(statement) == ""; got != fine {
			t.Errorf("%q is taken for fine: %v, want %v", statement, got, fine)
		}
	}
}

// later is a schema of the future: what any migration of this generation may add.
func later(tables []string) []string {
	list := []string{
		"CREATE TABLE of_the_future (id BIGINT PRIMARY KEY, doc TEXT NOT NULL)",
		"INSERT INTO schema_versions (version_id, is_applied) VALUES (999, %s)",
	}
	for _, table := range tables {
		list = append(list,
			"ALTER TABLE "+table+" ADD COLUMN of_the_future BIGINT",
			"ALTER TABLE "+table+" ADD COLUMN and_more BIGINT NOT NULL DEFAULT 7",
			"CREATE INDEX "+table+"_of_the_future ON "+table+" (of_the_future, and_more)")
	}
	return list
}

// TestNewerSchemaSQLite runs the suite on a database that a later version has migrated.
func TestNewerSchemaSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "later.db")
	if err := openSQLite(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	tables := names(t, raw, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_versions'")
	for _, s := range later(tables) {
		if _, err := raw.Exec(strings.ReplaceAll(s, "%s", "1")); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		copied := filepath.Join(t.TempDir(), "bellhop.db")
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return openSQLite(t, copied)
	})
}

// openSQLite opens a database that t closes.
func openSQLite(t *testing.T, path string) store.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
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

// names returns the first column of a query.
func names(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	if err := rows.Err(); err != nil || len(list) < 10 {
		t.Fatalf("%v %v", list, err)
	}
	return list
}

// TestNewerSchemaPostgres does the same there.
func TestNewerSchemaPostgres(t *testing.T) {
	t.Parallel()
	server, err := enginetest.StartPostgres(t.Context(), enginetest.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := futureDatabase(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var free []string
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		mu.Lock()
		own := ""
		if n := len(free); n > 0 {
			own, free = free[n-1], free[:n-1]
		}
		mu.Unlock()
		if own == "" {
			copied, err := server.Copy(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			own = copied
		}
		t.Cleanup(func() { // after it was closed
			if err := server.Empty(context.WithoutCancel(t.Context()), own); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			free = append(free, own)
		})
		db, err := postgres.Open(t.Context(), own, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	})
}

// futureDatabase returns the address of a database that a later version has migrated.
func futureDatabase(ctx context.Context, server *enginetest.Postgres) (_ string, err error) {
	url, err := server.Database(ctx)
	if err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	if err := db.Close(); err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	rows, err := conn.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema AND tablename <> 'schema_versions'")
	if err != nil {
		return "", err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	for _, s := range later(tables) {
		if _, err := conn.Exec(ctx, strings.ReplaceAll(s, "%s", "true")); err != nil {
			return "", fmt.Errorf("%s: %w", s, err)
		}
	}
	return url, nil
}
