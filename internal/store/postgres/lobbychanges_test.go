package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/jackc/pgx/v5"
)

// noted returns how many rows the table of changes has.
func noted(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT COUNT(*) FROM lobby_changes").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// changes returns what has changed in the lobbies of application 100.
func changes(t *testing.T, db *postgres.DB, since store.LobbyPosition, limit int) (c store.LobbyChanges, err error) {
	t.Helper()
	err = db.Read(t.Context(), func(r store.Reader) (err error) {
		c, err = r.Lobbies.Changes(100, since, limit)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNoLobbyLog) {
		t.Fatalf("Changes() = %v", err)
	}
	return c, err
}

// putLobby returns a change that stores a lobby with metadata.
func putLobby(id snowflake.Lobby, app snowflake.Application, revision uint64, metadata lobby.Metadata, due time.Time) store.Change {
	l := lobby.New(id, app, time.UnixMicro(1).UTC())
	l.Metadata = metadata
	return store.Change{
		Expect: []store.Expectation{{Subject: store.LobbySubject(id), Revision: revision}}, Put: []store.Record{store.Lobby{Lobby: l, Due: due}},
	}
}

// TestLobbyChanges checks that each change of a lobby that a search shows is seen after the position before it, also one that was in
// progress when the position was read.
func TestLobbyChanges(t *testing.T) {
	t.Parallel()
	url := database(t)
	db := open(t, url)
	due := time.UnixMicro(9e15).UTC()
	at, err := changes(t, db, store.LobbyPosition{}, 10)
	if err != nil || at.Next.Transaction == 0 || at.Next.At.IsZero() {
		t.Fatalf("the first position is %+v, %v", at, err)
	}
	first := commit(t, db, putLobby(1, 100, 0, `{"a":"1"}`, due))
	commit(t, db, putLobby(2, 100, 0, "", due))
	commit(t, db, putLobby(3, 200, 0, "", due)) // of another application
	c, err := changes(t, db, at.Next, 10)
	slices.Sort(c.Changed)
	if err != nil || !slices.Equal(c.Changed, []snowflake.Lobby{1, 2}) || len(c.Now) != 2 || c.Now[0].Metadata != `{"a":"1"}` {
		t.Errorf("after two lobbies: %+v, %v", c, err)
	}
	if _, err = changes(t, db, at.Next, 1); !errors.Is(err, store.ErrNoLobbyLog) {
		t.Errorf("more changes than the limit: %v", err)
	}
	if _, err = changes(t, db, store.LobbyPosition{Transaction: at.Next.Transaction, At: at.Next.At.Add(-store.KeepLobbyChanges)}, 10); !errors.Is(err, store.ErrNoLobbyLog) {
		t.Errorf("an old position: %v", err)
	}
	conn := connect(t, url)
	before := noted(t, conn)
	first = commit(t, db, putLobby(1, 100, first, `{"a":"1"}`, due.Add(time.Hour)))
	if after := noted(t, conn); before != 3 || after != before {
		t.Errorf("%d changes before a new due time and %d after it, want 3", before, after)
	}
	last := putLobby(1, 100, first, "", due)
	last.Delete, last.Put = []store.Key{store.LobbyKey(last.Put[0].(store.Lobby))}, nil
	last.Expect[0].Ends = true
	if err := db.Commit(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	isFirst := func(l store.LobbyListing) bool { return l.ID == 1 }
	if c, err = changes(t, db, c.Next, 10); err != nil || !slices.Contains(c.Changed, 1) || slices.ContainsFunc(c.Now, isFirst) {
		t.Errorf("after a deletion: %+v, %v", c, err)
	}
}

// TestLobbyChangesInProgress checks that a change is seen whose transaction began before the position and ended after it, and that old
// notes are removed.
func TestLobbyChangesInProgress(t *testing.T) {
	t.Parallel()
	url := database(t)
	db := open(t, url)
	readLog(t, db, 0)
	commit(t, db, putLobby(1, 100, 0, "", time.UnixMicro(9e15).UTC()))
	conn := connect(t, url)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "UPDATE lobbies SET flags = 1"); err != nil {
		t.Fatal(err)
	}
	commit(t, db, putLobby(2, 100, 0, "", time.UnixMicro(9e15).UTC()))
	at, err := changes(t, db, store.LobbyPosition{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	isFirst := func(l store.LobbyListing) bool { return l.ID == 1 }
	if c, err := changes(t, db, at.Next, 10); err != nil || !slices.Contains(c.Changed, 1) || slices.ContainsFunc(c.Now, isFirst) {
		t.Errorf("after the commit, which leaves a wrong checksum: %+v, %v", c, err)
	}
	if _, err := conn.Exec(t.Context(), "UPDATE lobby_changes SET created = 0 WHERE lobby_id = 1"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); noted(t, conn) != 1; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 30 s until old notes are removed, %d are left", noted(t, conn))
		}
	}
}
