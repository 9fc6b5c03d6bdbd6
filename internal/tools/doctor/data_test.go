package doctor_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/backup"
	"github.com/bellhop/bellhop/internal/tools/database"
	"github.com/bellhop/bellhop/internal/tools/doctor"
	"github.com/bellhop/bellhop/snowflake"
)

// The names in a data folder.
const (
	databaseFile      = "bellhop.db"
	attachmentsFolder = "attachments"
)

// folder returns the location of a data folder.
func folder(dir string) database.Location {
	return database.Location{File: filepath.Join(dir, databaseFile), Attachments: filepath.Join(dir, attachmentsFolder)}
}

// problems collects the problems of a check as text.
type problems struct{ strings.Builder }

func (p *problems) Problem(kind, where, repair string) {
	fmt.Fprintf(p, "%s: %s\n  repair: %s\n", kind, where, repair)
}

func (p *problems) Note(string) {}

func (p *problems) Step(int64, int64) {}

func (p *problems) Busy(_ string, check func() error) error { return check() }

// examine checks data and returns the problems.
func examine(t *testing.T, l database.Location) string {
	t.Helper()
	var found problems
	if err := (&doctor.Data{Location: l, Course: &found}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return found.String()
}

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

// copyTo copies data with a backup.
func copyTo(t *testing.T, from, to database.Location) {
	t.Helper()
	ignore := func(int64, int64) {}
	b := &backup.Backup{From: from, Version: "test", Now: time.Unix(1, 0), Progress: ignore}
	if err := b.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := errors.Join(b.Write(t.Context(), &file), b.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := backup.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	m, err := a.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	r := &backup.Restore{To: to, Archive: a, Manifest: m, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Progress: ignore}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// healthyFolder returns a data folder with one or more records of the kinds that name others.
func healthyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, databaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	scope := command.Scope{Application: 100, Guild: 300}
	records := []store.Record{
		store.Application{ID: 100, Name: "App"},
		store.Guild{ID: 300, Name: "Guild"},
		store.Role{Guild: 300, ID: 301},
		store.Channel{ID: 310, Guild: 300},
		store.Channel{ID: 311, Recipients: []snowflake.User{200, 201}},
		store.Member{Guild: 300, User: 200, Roles: []snowflake.Role{301}},
		store.Member{Guild: 300, User: 100},
		store.Install{Guild: 300, Application: 100},
		store.Credential{Hash: store.TokenHash{1}, Kind: store.BotToken, Application: 100},
		store.Quota{Scope: scope, Commands: 1},
		store.Command{Command: command.Command{ID: 1000, Scope: scope, Type: command.ChatInput, Name: "roll", Doc: []byte(`{}`)}},
		store.OverwriteSet{Application: 100, Guild: 300, ID: 1000},
		store.Lobby{Lobby: lobby.Lobby{ID: 400, Application: 100, Metadata: `{"k":"v"}`, Members: []*lobby.Member{{ID: 200}}}},
		store.LobbyMembership{Member: lobby.Member{ID: 200}, Lobby: 400, Application: 100},
		store.Message{ID: 500, Channel: 310, Application: 100, Interaction: 1, User: 200, Content: []byte(`{}`), Files: []snowflake.Attachment{600}},
		store.StoredFile{ID: 600, Application: 100, Guild: 300, Size: 9},
		store.Consent{Application: 100, User: 200},
	}
	for id := snowflake.User(200); id < 260; id++ {
		records = append(records, store.User{ID: id, Username: strings.Repeat("name", 40)})
	}
	if err := store.Decide(t.Context(), db, func(tx *store.Tx) error { return tx.Put(records...) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	writeAttachment(t, dir, "key", strings.Repeat("k", 32))
	writeAttachment(t, dir, attachments.FileName(600), "a picture")
	return dir
}

func writeAttachment(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, attachmentsFolder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// execute runs statements on the database in a folder.
func execute(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sqlite.OpenTables(filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range append([]string{"PRAGMA query_only = 0"}, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// damagePage overwrites bytes of the database file.
func damagePage(t *testing.T, dir string, page int) {
	t.Helper()
	file := filepath.Join(dir, databaseFile)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copy(b[page*4096:], strings.Repeat("\xff", 64))
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// damageLog puts a log with a damaged frame beside the database, as after a crash.
func damageLog(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, databaseFile)
	db, err := sqlite.Open(t.Context(), file, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for id := range snowflake.User(5) {
		if err := store.Decide(t.Context(), db, func(tx *store.Tx) error { return tx.Put(store.User{ID: 900 + id}) }); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(file + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log[100] ^= 1
	if err := os.WriteFile(file+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorFindsDamage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		sql    string
		damage func(t *testing.T, dir string)
		want   string // in the output
	}{
		{name: "a byte of a user", sql: "UPDATE users SET doc = CAST(REPLACE(CAST(doc AS TEXT), 'name', 'game') AS BLOB) WHERE id = 203", want: "wrong checksum: users, id = 203"},
		{name: "a byte of a command", sql: "UPDATE commands SET doc = x'7b7e'", want: "wrong checksum: commands, id = 1000"},
		{name: "a byte of a lobby without a document", sql: "UPDATE lobbies SET metadata = '{}'", want: "wrong checksum: lobbies, id = 400"},
		{name: "a key", sql: "UPDATE users SET id = 99 WHERE id = 203", want: "wrong checksum: users, id = 99"},
		{name: "a checksum", sql: "UPDATE roles SET checksum = 1", want: "wrong checksum: roles, guild_id = 300 AND id = 301"},
		{name: "a number that became a text", sql: "UPDATE scopes SET quota_used = 'x'; UPDATE stored_files SET size = 'x'", want: "wrong checksum: stored_files"},
		{name: "a token", sql: "UPDATE credentials SET kind = kind + 1", want: "wrong checksum: credentials, hash = x'01"},
		{name: "application lost", sql: "DELETE FROM applications", want: "names a record that does not exist: commands, id = 1000: application_id"},
		{name: "guild lost", sql: "DELETE FROM guilds", want: "names a record that does not exist: channels, id = 310: guild_id"},
		{name: "user lost", sql: "DELETE FROM users WHERE id = 200", want: "names a record that does not exist: members, guild_id = 300 AND user_id = 200: user_id"},
		{name: "role lost", sql: "DELETE FROM roles", want: "names a record that does not exist: member_roles, guild_id = 300 AND user_id = 200 AND role_id = 301"},
		{name: "member lost", sql: "DELETE FROM members WHERE user_id = 200", want: "names a record that does not exist: member_roles"},
		{name: "channel lost", sql: "DELETE FROM channels WHERE id = 310", want: "names a record that does not exist: messages, id = 500: channel_id"},
		{name: "direct-message channel lost", sql: "DELETE FROM channels WHERE id = 311", want: "names a record that does not exist: recipients, channel_id = 311"},
		{name: "lobby lost", sql: "DELETE FROM lobbies", want: "names a record that does not exist: lobby_members, lobby_id = 400"},
		{name: "command hidden", sql: "DELETE FROM commands", want: "incomplete list: commands has 0 rows of scopes, application_id = 100 AND guild_id = "},
		{name: "member of a lobby hidden", sql: "DELETE FROM lobby_members", want: "incomplete list: lobby_members has 0 rows of lobbies, id = 400, want 1"},
		{name: "message lost", sql: "DELETE FROM messages", want: "names a record that does not exist: message_files, attachment_id = 600"},
		{name: "revision lost", sql: "DELETE FROM subjects WHERE kind = 9 AND a = 205", want: "has no revision: users, id = 205"},
		{name: "index lost", sql: "DROP INDEX members_user", want: "missing index: members_user"},
		{name: "table lost", sql: "DROP TABLE oauth_keys", want: "missing table: oauth_keys"},
		{name: "schema of a later version", sql: "INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)", want: "wrong schema"},
		{
			name: "file lost", want: "does not exist",
			damage: func(t *testing.T, dir string) {
				t.Helper()
				if err := os.Remove(filepath.Join(dir, attachmentsFolder, attachments.FileName(600))); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "file cut off", want: "has 4 bytes instead of 9",
			damage: func(t *testing.T, dir string) {
				t.Helper()
				writeAttachment(t, dir, attachments.FileName(600), "half")
			},
		},
		{
			name: "key of attachments cut off", want: "key of attachments",
			damage: func(t *testing.T, dir string) { t.Helper(); writeAttachment(t, dir, "key", "") },
		},
		{
			name: "page of the file", want: "SQLite found damage",
			damage: func(t *testing.T, dir string) { t.Helper(); damagePage(t, dir, rootOf(t, dir, "members_user")) },
		},
		{
			name: "page of a table", want: "cannot be read",
			damage: func(t *testing.T, dir string) { t.Helper(); damagePage(t, dir, rootOf(t, dir, "guilds")) },
		},
		{
			name: "header of the file", want: "cannot be read",
			damage: func(t *testing.T, dir string) { t.Helper(); damagePage(t, dir, 0) },
		},
		{name: "write-ahead log", want: "lost commits", damage: damageLog},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := healthyFolder(t)
			if c.sql != "" {
				execute(t, dir, c.sql)
			} else {
				c.damage(t, dir)
			}
			if found := examine(t, folder(dir)); !strings.Contains(found, c.want) || !strings.Contains(found, "repair: ") {
				t.Errorf("problems:\n%s\nwant %q and a repair", found, c.want)
			}
		})
	}
}

// rootOf returns the index of the first page of a table or an index.
func rootOf(t *testing.T, dir, name string) (page int) {
	t.Helper()
	db, err := sqlite.OpenTables(filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_master WHERE name = ?", name).Scan(&page); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return page - 1
}

func TestDoctorOnHealthyData(t *testing.T) {
	t.Parallel()
	t.Run("small", func(t *testing.T) {
		t.Parallel()
		if found := examine(t, folder(healthyFolder(t))); found != "" {
			t.Errorf("problems:\n%s", found)
		}
	})
	t.Run("with many rows", func(t *testing.T) {
		t.Parallel()
		dir := healthyFolder(t)
		db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(dir, databaseFile), clock.System{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for first := snowflake.User(1000); first < 21_000; first += 1000 {
			var c store.Change
			for id := first; id < first+1000; id++ {
				c.Put = append(c.Put, store.User{ID: id, Username: "name"}, store.Member{Guild: 300, User: id})
				c.Expect = append(c.Expect, store.Expectation{Subject: store.UserSubject(id)})
			}
			if err := db.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if found := examine(t, folder(dir)); found != "" {
			t.Errorf("problems:\n%s", found)
		}
	})
	t.Run("in PostgreSQL", func(t *testing.T) {
		t.Parallel()
		there := database.Location{Postgres: emptyPostgres(t), Attachments: filepath.Join(t.TempDir(), "attachments")}
		copyTo(t, folder(healthyFolder(t)), there)
		if found := examine(t, there); found != "" {
			t.Errorf("problems:\n%s", found)
		}
		damaged := healthyFolder(t)
		execute(t, damaged, "UPDATE credentials SET kind = kind + 1", "DELETE FROM guilds")
		other := database.Location{Postgres: emptyPostgres(t)}
		copyTo(t, folder(damaged), other)
		out := examine(t, other)
		for _, want := range []string{`wrong checksum: credentials, hash = '\x01`, "does not exist: channels, id = 310: guild_id"} {
			if !strings.Contains(out, want) {
				t.Errorf("problems:\n%s\nwant %q", out, want)
			}
		}
	})
}
