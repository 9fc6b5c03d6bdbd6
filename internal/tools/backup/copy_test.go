package backup

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// emptyPostgres starts a PostgreSQL server and returns the URL of an empty database.
func emptyPostgres(t *testing.T) string {
	t.Helper()
	engines.Need(t, "postgres")
	server, err := engines.StartPostgres(t.Context(), engines.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// putRecords stores records with every type of value: numbers, strings with a zero byte, bytes, NULL, keys of several columns.
func putRecords(t *testing.T, s store.Store, users int) {
	t.Helper()
	scope := command.Scope{Application: 100}
	records := []store.Record{
		store.Quota{Scope: scope, Since: time.Unix(1, 0), Used: 7},
		store.Node{Number: 0, Holder: "holder", Until: time.Unix(2, 0)},
		store.Command{Command: command.Command{
			ID: 1000, Scope: scope, Type: command.ChatInput, Name: "wörld\x00", Doc: []byte(`{"a":"\u0000"}`),
		}},
		store.Credential{Hash: store.TokenHash{1}, Kind: store.BotToken, Expires: time.Unix(9, 0)},
		store.Credential{Hash: store.TokenHash{255}, Kind: store.BotToken},
		store.Channel{ID: 310, Guild: 300},
		store.Channel{ID: 311, Recipients: []snowflake.User{1, 2}},
		store.Member{Guild: 300, User: 200, Roles: []snowflake.Role{301, 302}},
		store.Lobby{Lobby: lobby.Lobby{ID: 400, Application: 100, Metadata: `{"k":"v"}`}},
	}
	for i := range users {
		records = append(records, store.User{ID: snowflake.User(i + 1), Username: "user" + strconv.Itoa(i)})
	}
	if err := store.Decide(t.Context(), s, func(tx *store.Tx) error { return tx.Put(records...) }); err != nil {
		t.Fatal(err)
	}
}

func TestCopyToPostgres(t *testing.T) {
	t.Parallel()
	const users = 12_000
	log := slog.New(slog.DiscardHandler)
	path, url := filepath.Join(t.TempDir(), "bellhop.db"), emptyPostgres(t)
	from, err := sqlite.Open(t.Context(), path, clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	putRecords(t, from, users)
	at, err := from.Revisions(t.Context(), store.UserSubject(users))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = CopyToPostgres(t.Context(), path, url, clock.System{}, log, func(int64, int64) {}); !errors.Is(err, sqlite.ErrLocked) {
		t.Errorf("copy of a database in use = %v, want %v", err, sqlite.ErrLocked)
	}
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := CopyToPostgres(t.Context(), path, url, clock.System{}, log, func(int64, int64) {})
	if err != nil || rows <= users {
		t.Fatalf("CopyToPostgres() = %d, %v, want more than %d rows", rows, err, users)
	}
	checkCopied(t, url, users, at[0])
	if _, err = CopyToPostgres(t.Context(), path, url, clock.System{}, log, func(int64, int64) {}); !errors.Is(err, ErrHasData) {
		t.Errorf("copy into a database with records = %v, want %v", err, ErrHasData)
	}
}

func TestCompareTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var snapshots [2]sqlite.Snapshot
	for i := range snapshots {
		path := filepath.Join(dir, strconv.Itoa(i))
		db, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		putRecords(t, db, i)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if snapshots[i], err = sqlite.OpenSnapshot(path); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = snapshots[i].Close() })
	}
	if err := compareTables(snapshots[0], snapshots[0]); err != nil {
		t.Errorf("compareTables() of the same rows = %v", err)
	}
	if err := compareTables(snapshots[0], snapshots[1]); err == nil {
		t.Error("compareTables() of different rows = nil")
	}
}

func checkCopied(t *testing.T, url string, users int, revision uint64) {
	t.Helper()
	to, err := postgres.Open(t.Context(), url, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = to.Read(t.Context(), func(r store.Reader) error {
		last, err := r.Directory.User(snowflake.User(users))
		commands, commandsErr := r.Commands.Commands(command.Scope{Application: 100})
		member, memberErr := r.Directory.Member(300, 200)
		direct, directErr := r.Directory.DirectChannel([]snowflake.User{1, 2})
		at, revisionErr := r.Revisions(store.UserSubject(snowflake.User(users)))
		if err := errors.Join(err, commandsErr, memberErr, directErr, revisionErr); err != nil {
			return err
		}
		if last.Username != "user"+strconv.Itoa(users-1) || len(commands) != 1 || commands[0].Name != "wörld\x00" ||
			len(member.Roles) != 2 || direct.ID != 311 || at[0] != revision || revision == 0 {
			t.Errorf("copied records: %+v %+v %+v %+v, revision %v", last, commands, member, direct, at)
		}
		return nil
	})
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
}
