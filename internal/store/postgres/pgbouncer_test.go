package postgres_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/storetest"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/jackc/pgx/v5"
)

// pooler starts a PgBouncer in front of the shared server. It skips the test when PgBouncer is not installed.
func pooler(t testing.TB) *engines.PgBouncer {
	t.Helper()
	engines.Need(t, "pgbouncer")
	database(t) // starts the server
	b, err := engines.StartPgBouncer(t.Context(), shared.server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// TestPgBouncer runs the suite of the contract through a PgBouncer in transaction mode.
func TestPgBouncer(t *testing.T) {
	engines.Long(t)
	t.Parallel()
	b := pooler(t)
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		url, err := b.URL(database(t))
		if err != nil {
			t.Fatal(err)
		}
		return open(t, url)
	})
}

// TestPgBouncerSessions checks that a node behind a PgBouncer has limits on its statements, and changes no session that
// other clients use later.
func TestPgBouncerSessions(t *testing.T) {
	t.Parallel()
	b, url := pooler(t), database(t)
	pooled, err := b.URL(url)
	if err != nil {
		t.Fatal(err)
	}
	db := openPlain(t, pooled)
	var wg sync.WaitGroup
	for i := range snowflake.User(16) {
		wg.Go(func() {
			if err := count(t.Context(), db, i+1); err != nil {
				t.Errorf("count() = %v", err)
			}
		})
	}
	wg.Wait()
	direct, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close(t.Context()) //nolint:errcheck // the test is over
	cfg, err := pgx.ParseConfig(pooled)
	if err != nil {
		t.Fatal(err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	var other [4]*pgx.Conn
	for i := range other {
		if other[i], err = pgx.ConnectConfig(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		defer other[i].Close(t.Context()) //nolint:errcheck // the test is over
	}
	for _, name := range []string{"statement_timeout", "idle_in_transaction_session_timeout", "enable_seqscan", "plan_cache_mode"} {
		var want string
		if err := direct.QueryRow(t.Context(), "SHOW "+name).Scan(&want); err != nil {
			t.Fatal(err)
		}
		for _, c := range other {
			var got string
			if err := c.QueryRow(t.Context(), "SHOW "+name).Scan(&got); err != nil || got != want {
				t.Errorf("%s of a session that the node has used = %q, %v, want %q", name, got, err, want)
			}
		}
	}
	if _, err := direct.Exec(t.Context(), "BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := count(t.Context(), db, 1); !errors.Is(err, store.ErrUnavailable) || time.Since(began) > 20*time.Second {
		t.Errorf("count() with a locked table = %v after %v, want ErrUnavailable", err, time.Since(began))
	}
}

// TestPgBouncerTools copies a database through a PgBouncer, as backup and migrate do.
func TestPgBouncerTools(t *testing.T) {
	t.Parallel()
	b := pooler(t)
	pooled, err := b.URL(database(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a prepared statement that is left in a session would fail the second
		l, err := postgres.OpenLoader(t.Context(), pooled, clock.System{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		err = l.Insert("subjects", []string{"kind", "a", "b", "revision"}, []store.Row{{int64(9), int64(1), int64(0), int64(7)}})
		if err != nil {
			t.Errorf("Insert() = %v", err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		s, err := postgres.OpenSnapshot(t.Context(), pooled)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Query("SELECT kind FROM subjects", nil, func(store.Row) error { return nil }); err != nil {
			t.Errorf("Query() = %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
