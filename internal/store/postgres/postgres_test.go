package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
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
	"github.com/prometheus/client_golang/prometheus"
)

// put returns a change that stores a user at the expected revision.
func put(id snowflake.User, revision uint64, name string) store.Change {
	return store.Change{
		Expect: []store.Expectation{{Subject: store.UserSubject(id), Revision: revision}},
		Put:    []store.Record{store.User{ID: id, Username: name}},
	}
}

// commit commits a change and returns its revision.
func commit(t testing.TB, db *postgres.DB, c store.Change) uint64 {
	t.Helper()
	if err := db.Commit(t.Context(), c); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
	return revision(t, db, c.Expect[0].Subject)
}

func revision(t testing.TB, db *postgres.DB, s store.Subject) uint64 {
	t.Helper()
	found, err := db.Revisions(t.Context(), s)
	if err != nil {
		t.Fatalf("Revisions() = %v", err)
	}
	return found[0]
}

// username returns the name of a user, "" when there is none.
func username(t testing.TB, db *postgres.DB, id snowflake.User) (name string) {
	t.Helper()
	err := db.Read(t.Context(), func(r store.Reader) error {
		u, err := r.Directory.User(id)
		name = u.Username
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("Read() = %v", err)
	}
	return name
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, database(t))
	})
}

func TestDamagedRows(t *testing.T) {
	t.Parallel()
	storetest.Damaged(t, func(t *testing.T) (store.Store, func(string) error) {
		t.Helper()
		url := database(t)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return open(t, url), func(sql string) error {
			_, err := conn.Exec(t.Context(), sql)
			return err
		}
	})
}

func TestCommit(t *testing.T) {
	t.Parallel()
	db := open(t, database(t))
	var notified []uint64
	db.Subscribe(func(c *store.Change) { notified = append(notified, c.Revision) })
	first := commit(t, db, put(1, 0, "first"))
	second := commit(t, db, put(1, first, "second"))
	if first == 0 || second <= first {
		t.Errorf("revisions %d and %d, want them to grow", first, second)
	}
	if !slices.Equal(notified, []uint64{first, second}) {
		t.Errorf("the subscriber got %v, want %v", notified, []uint64{first, second})
	}
	user := store.UserSubject(1)
	for name, c := range map[string]store.Change{
		"older revision":         put(1, first, "stale"),
		"revision 0 of existing": put(1, 0, "stale"),
		"revision of missing":    put(2, first, "stale"),
		"end of older revision":  {Expect: []store.Expectation{{Subject: user, Revision: first, Ends: true}}},
		"end of missing":         {Expect: []store.Expectation{{Subject: user, Ends: true}}},
		"check of older revision": {
			Expect: []store.Expectation{{Subject: store.UserSubject(3)}}, Put: []store.Record{store.User{ID: 3}},
			Check: []store.Expectation{{Subject: user, Revision: first}},
		},
		"check of missing": {
			Expect: []store.Expectation{{Subject: store.UserSubject(3)}}, Put: []store.Record{store.User{ID: 3}},
			Check: []store.Expectation{{Subject: user}},
		},
	} {
		if err := db.Commit(t.Context(), c); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: Commit() = %v, want %v", name, err, store.ErrStale)
		}
	}
	if name := username(t, db, 1); name != "second" {
		t.Errorf("user is %q after stale changes", name)
	}
	if found, err := db.Revisions(t.Context(), user, store.UserSubject(2), store.UserSubject(3)); err != nil ||
		!slices.Equal(found, []uint64{second, 0, 0}) {
		t.Errorf("Revisions() = %v, %v, want %v", found, err, []uint64{second, 0, 0})
	}
	if err := db.Commit(t.Context(), store.Change{
		Expect: []store.Expectation{{Subject: user, Revision: second, Ends: true}, {Subject: store.UserSubject(5), Ends: true}},
		Check:  []store.Expectation{{Subject: store.UserSubject(4)}},
		Delete: []store.Key{store.UserKey(1)},
	}); err != nil {
		t.Errorf("Commit() of an end = %v", err)
	}
	if got := revision(t, db, user); got != 0 || username(t, db, 1) != "" {
		t.Errorf("revision %d after the end, want 0", got)
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	db := open(t, database(t))
	device := func(n byte) store.Change {
		hash := store.TokenHash{n}
		return store.Change{
			Expect: []store.Expectation{{Subject: store.DeviceSubject(hash)}},
			Put:    []store.Record{store.Device{Hash: hash, UserCode: store.TokenHash{9}}},
		}
	}
	commit(t, db, device(1))
	if err := db.Commit(t.Context(), device(2)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Commit() of a second device with the same code = %v, want %v", err, store.ErrConflict)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	db := open(t, database(t))
	commit(t, db, put(1, 0, "old"))
	node := store.Change{
		Expect: []store.Expectation{{Subject: store.NodeSubject(3)}}, Put: []store.Record{store.Node{Number: 3, Holder: "h"}},
	}
	leased := commit(t, db, node)
	c := put(2, 0, "new")
	c.Clear = true
	commit(t, db, c)
	if username(t, db, 1) != "" || revision(t, db, store.UserSubject(1)) != 0 || username(t, db, 2) != "new" {
		t.Error("a change with Clear leaves old records or loses its own")
	}
	if got := revision(t, db, store.NodeSubject(3)); got != leased {
		t.Errorf("node number at revision %d after a clear, want %d", got, leased)
	}
}

func TestReadSnapshot(t *testing.T) {
	t.Parallel()
	url := database(t)
	db, other := open(t, url), open(t, url)
	at := commit(t, db, put(1, 0, "before"))
	err := db.Read(t.Context(), func(r store.Reader) error {
		if _, err := r.Directory.User(1); err != nil {
			return err
		}
		commit(t, other, put(1, at, "after"))
		u, err := r.Directory.User(1)
		found, revErr := r.Revisions(store.UserSubject(2), store.UserSubject(1))
		if u.Username != "before" || !slices.Equal(found, []uint64{0, at}) {
			t.Errorf("snapshot has %q at %v, want the state of its beginning", u.Username, found)
		}
		return errors.Join(err, revErr)
	})
	if err != nil {
		t.Fatalf("Read() = %v", err)
	}
	if name := username(t, db, 1); name != "after" {
		t.Errorf("a later read has %q", name)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db := open(t, database(t))
	if err := errors.Join(db.Ping(t.Context()), db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	_, err := db.Revisions(t.Context(), store.UserSubject(1))
	for name, err := range map[string]error{
		"Revisions": err, "Ping": db.Ping(t.Context()), "Commit": db.Commit(t.Context(), put(1, 0, "")),
		"Read": db.Read(t.Context(), func(store.Reader) error { return nil }),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s() of a closed store = %v, want %v", name, err, store.ErrUnavailable)
		}
	}
}

// opensAfterStart opens a database whose server is halted, and starts the server after a while. Open waits for it.
func opensAfterStart(t *testing.T, server *engines.Postgres, url string, halted time.Duration) {
	t.Helper()
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		db, err := postgres.Open(t.Context(), url, clock.System{}, slog.New(slog.NewTextHandler(t.Output(), nil)))
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("Open() = %v before the server runs", err)
	case <-time.After(halted):
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-opened:
		if err != nil {
			t.Errorf("Open() = %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Open() does not return within 30 s after the server has started")
	}
}

func TestOpenWaits(t *testing.T) {
	t.Parallel()
	server, url := ownServer(t)
	opensAfterStart(t, server, url, 300*time.Millisecond)
	short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := postgres.Open(short, server.URL("missing"), clock.System{}, slog.New(slog.DiscardHandler)); err == nil || short.Err() != nil {
		t.Errorf("Open() of a missing database = %v, want an error at once", err)
	}
}

// TestStatementTimeout waits for locked tables at least as long as statement_timeout of the URL says.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	if err := count(t.Context(), open(t, url), 1); err != nil {
		t.Fatal(err)
	}
	holder, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // ends the transaction
	if _, err := holder.Exec(t.Context(), "BEGIN; LOCK TABLE users, subjects IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	const timeout = 5 * time.Second
	began := time.Now()
	err = count(t.Context(), openPlain(t, url+"&statement_timeout=5000"), 1)
	if took := time.Since(began); !errors.Is(err, store.ErrUnavailable) || took < timeout {
		t.Errorf("count() = %v after %v, want ErrUnavailable after %v or more", err, took, timeout)
	}
	for _, wrong := range []string{"0", "-1", "2s", "99999999999"} {
		_, err := postgres.Open(t.Context(), url+"&statement_timeout="+wrong, clock.System{}, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "must be a number of milliseconds") {
			t.Errorf("Open() with statement_timeout=%s = %v, want an error that names it", wrong, err)
		}
	}
}

// TestCheckWhileWritten checks a subject that another transaction is writing to. The commit waits for the end of that
// transaction: it succeeds when the transaction is rolled back, and is stale when it is committed.
func TestCheckWhileWritten(t *testing.T) {
	t.Parallel()
	url := database(t)
	db := open(t, url)
	checked := commit(t, db, put(2, 0, "checked"))
	at := commit(t, db, put(1, 0, "name"))
	for _, end := range []string{"ROLLBACK", "ROLLBACK", "COMMIT"} {
		other, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		update := "BEGIN; UPDATE subjects SET revision = revision + 1 WHERE kind = 9 AND a = 2"
		if _, err := other.Exec(t.Context(), update); err != nil {
			t.Fatal(err)
		}
		c := put(1, at, "name")
		c.Check = []store.Expectation{{Subject: store.UserSubject(2), Revision: checked}}
		result := make(chan error, 1)
		go func() { result <- db.Commit(t.Context(), c) }()
		select {
		case err := <-result:
			t.Errorf("Commit() = %v while another transaction writes to a checked subject", err)
			result <- err
		case <-time.After(100 * time.Millisecond): // the commit waits
		}
		if _, err := other.Exec(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if err := <-result; end == "ROLLBACK" && err != nil || end == "COMMIT" && !errors.Is(err, store.ErrStale) {
			t.Errorf("Commit() after %s = %v", end, err)
		}
		at = revision(t, db, store.UserSubject(1))
		if err := other.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckWhileCreated checks the absence of a subject while another change creates it, alone or with many others.
func TestCheckWhileCreated(t *testing.T) {
	t.Parallel()
	for _, subjects := range []snowflake.User{1, 1001} {
		url := database(t)
		db := open(t, url)
		other, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close(t.Context()) //nolint:errcheck // the test is over
		if _, err := other.Exec(t.Context(), "BEGIN; INSERT INTO users (id, doc, checksum) VALUES (1, '', 0)"); err != nil {
			t.Fatal(err)
		}
		var creates store.Change
		for id := range subjects {
			one := put(id+1, 0, "name")
			creates.Expect, creates.Put = append(creates.Expect, one.Expect...), append(creates.Put, one.Put...)
		}
		created, result := make(chan error, 1), make(chan error, 1)
		go func() { created <- db.Commit(t.Context(), creates) }() // it waits for the row of user 1
		waiting := 0
		for end := time.Now().Add(20 * time.Second); waiting == 0; time.Sleep(5 * time.Millisecond) {
			const locks = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'"
			if err := other.QueryRow(t.Context(), locks).Scan(&waiting); err != nil || time.Now().After(end) {
				t.Fatalf("%d transactions wait for the row of user 1, %v", waiting, err)
			}
		}
		checks := store.Change{
			Expect: []store.Expectation{{Subject: store.ApplicationSubject(1)}},
			Check:  []store.Expectation{{Subject: store.UserSubject(1)}},
		}
		go func() { result <- db.Commit(t.Context(), checks) }()
		select {
		case err := <-result:
			t.Errorf("%d subjects: Commit() = %v while another transaction creates a checked subject", subjects, err)
			result <- err
		case <-time.After(100 * time.Millisecond): // the commit waits
		}
		if _, err := other.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if err := <-created; err != nil {
			t.Errorf("%d subjects: Commit() = %v", subjects, err)
		}
		if err := <-result; !errors.Is(err, store.ErrStale) {
			t.Errorf("%d subjects: Commit() of the check = %v, want %v", subjects, err, store.ErrStale)
		}
	}
}

// TestNodes writes to the same subjects of one database with two stores. No update may be lost, and no call may fail
// with a deadlock.
func TestNodes(t *testing.T) {
	t.Parallel()
	url := database(t)
	nodes := []*postgres.DB{open(t, url), open(t, url)}
	const goroutines, rounds = 8, 25
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for range rounds {
				if err := count(t.Context(), nodes[i%2], 1, 2, 3); err != nil {
					t.Errorf("count: %v", err)
				}
			}
		})
	}
	wg.Wait()
	for _, db := range nodes {
		for id := range snowflake.User(3) {
			if n := username(t, db, id+1); n != strconv.Itoa(goroutines*rounds) {
				t.Errorf("user %d counted to %s, want %d", id+1, n, goroutines*rounds)
			}
		}
	}
}

// count adds one to the names of users, which are numbers.
func count(ctx context.Context, db *postgres.DB, ids ...snowflake.User) error {
	return store.Decide(ctx, db, func(tx *store.Tx) error {
		for _, id := range ids {
			u, err := tx.Directory.User(id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			n, _ := strconv.Atoi(u.Username) // an empty name counts as 0
			if err := tx.Put(store.User{ID: id, Username: strconv.Itoa(n + 1)}); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestRevisionsShareQueries(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := open(t, proxied)
	at := commit(t, db, put(1, 0, "user"))
	proxy.Delay(5 * time.Millisecond)
	before := queries(t, db)
	const callers, rounds = 100, 5
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for range rounds {
				found, err := db.Revisions(t.Context(), store.UserSubject(snowflake.User(i+2)), store.UserSubject(1))
				if err != nil || !slices.Equal(found, []uint64{0, at}) {
					t.Errorf("Revisions() = %v, %v, want %v", found, err, []uint64{0, at})
				}
			}
		})
	}
	wg.Wait()
	if n := queries(t, db) - before; n > callers*rounds/10 {
		t.Errorf("%v queries for %d calls", n, callers*rounds)
	}
}

// queries returns how many queries for revisions a store has run.
func queries(t *testing.T, db *postgres.DB) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(db.Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "bellhop_postgres_revision_queries_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("there is no counter of queries")
	return 0
}

// TestMigrateMemberCounts opens a database of a version without the counter of members.
func TestMigrateMemberCounts(t *testing.T) {
	t.Parallel()
	url := database(t)
	db := open(t, url)
	storetest.PutMembers(t, db, 300, 3)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	const undo = "DROP TRIGGER members_counted ON members; DROP FUNCTION count_member; DROP TABLE member_counts, emojis, last_days, outbox, identities, transfers, scheduled_events, scheduled_event_users, service_keys, entitlements, subscriptions, role_connections, event_failures, lobby_changes; DROP FUNCTION note_lobby() CASCADE; ALTER TABLE oauth_sessions DROP COLUMN provider; ALTER TABLE events DROP COLUMN partitions; DELETE FROM schema_versions WHERE version_id >= 1013"
	if _, err := conn.Exec(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	storetest.MembersCounted(t, open(t, url), 300, 3)
}
