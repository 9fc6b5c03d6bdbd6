package directory_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// start is when the tests begin.
var writerStart = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// seqIDs counts up.
type writerIDs uint64

func (s *writerIDs) Next() uint64 { *s++; return uint64(*s) }

// desk is a store that is written to and read as a world.
type writerSetup struct {
	db  store.Store
	ids writerIDs
	now time.Time
}

func openWriter(t *testing.T) *writerSetup {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &writerSetup{db: db, ids: 9000, now: writerStart}
}

// update makes a decision and returns what came of it.
func (d *writerSetup) update(t *testing.T, fn func(*directory.Writer) error) (applied directory.Applied, err error) {
	t.Helper()
	err = store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		w := &directory.Writer{Tx: tx, Put: tx.Put, IDs: &d.ids, Now: d.now}
		err := fn(w)
		applied = w.Applied
		return err
	})
	return applied, err
}

// write applies a world that may have gaps.
func (d *writerSetup) write(t *testing.T, w world.World) (directory.Applied, error) {
	t.Helper()
	w, err := w.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return d.update(t, func(l *directory.Writer) error { return l.Apply(w) })
}

func (d *writerSetup) apply(t *testing.T, text string) {
	t.Helper()
	if _, err := d.write(t, parseWorld(t, text)); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
}

func (d *writerSetup) export(t *testing.T) (w world.World) {
	t.Helper()
	err := d.db.Read(t.Context(), func(r store.Reader) (err error) {
		w, err = directory.ReadWorld(r.Directory)
		return err
	})
	if err != nil {
		t.Fatalf("Read() = %v", err)
	}
	return w
}

const writerWorld = `
users: [{id: 200, username: ada, token: user-ada}, {id: 201, username: bob, token: user-bob}]
applications: [{id: 100, name: Echo, owner: 200, bot_token: bot-echo, client_secret: secret-echo, integration_types: [0, 1]}]
guilds:
  - id: 300
    name: Lab
    owner: 200
    roles: [{id: 301, name: mods, permissions: 32}]
    channels:
      - {id: 310, name: top, type: 4}
      - id: 311
        name: general
        parent: 310
        permission_overwrites: [{id: 300, deny: 2048}, {id: 301, allow: 2048}, {id: 201, type: 1, allow: 1024}, {id: 100, type: 1, allow: 1}]
      - {id: 312, name: thoughts, type: 11, parent: 311}
    members: [{user: 200, roles: [301], nick: Countess}, {user: 201}]
    installs: [{application: 100, scopes: [bot], permissions: 8}]
user_installs: [{user: 201, application: 100}]
`

func parseWorld(t *testing.T, text string) world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// findings returns the codes of an error by path.
func findings(t *testing.T, err error) map[string][]jsonbody.Code {
	t.Helper()
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error = %v, want findings", err)
	}
	return tree.Flat()
}

func TestApplyTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]world.World{"lab": parseWorld(t, writerWorld), "demo": world.Demo(), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openWriter(t)
			if _, err := d.write(t, w); err != nil {
				t.Fatal(err)
			}
			before := d.export(t)
			d.now = writerStart.Add(time.Hour)
			applied, err := d.write(t, w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(directory.Applied{}, applied); diff != "" {
				t.Errorf("second Apply() (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, d.export(t)); diff != "" {
				t.Errorf("second Apply() changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestOthersTokens(t *testing.T) {
	t.Parallel()
	d := openWriter(t)
	d.apply(t, writerWorld)
	_, err := d.write(t, parseWorld(t, `
users: [{id: 202, username: cleo, token: user-bob}, {id: 203, username: dan, token: bot-echo}]
applications: [{id: 101, name: Two, bot_token: user-ada, owner: 200}]`))
	want := map[string][]jsonbody.Code{
		"users.0.token": {directory.Taken}, "users.1.token": {directory.Taken}, "applications.0.bot_token": {directory.Taken},
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "user-bob") {
		t.Error("the error repeats a token")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	d := openWriter(t)
	roles := make([]world.Role, world.MaxRoles)
	for i := range roles {
		roles[i].ID = snowflake.Role(1000 + i)
	}
	_, err := d.write(t, world.World{
		Users:        []world.User{{ID: 200, Username: "ada"}},
		Applications: []world.Application{{ID: 100, Name: "Echo"}},
		Guilds:       []world.Guild{{ID: 300, Roles: roles}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]jsonbody.Code{"roles": {jsonbody.MaxLength}}
	_, err = d.update(t, func(w *directory.Writer) error { return w.PutRole(300, world.Role{ID: 1}) })
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("PutRole() (-want +got):\n%s", diff)
	}
	_, err = d.update(t, func(w *directory.Writer) error {
		return w.PutGuildInstall(300, world.GuildInstall{Application: 100, Scopes: []string{"bot"}, Permissions: 8})
	})
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("PutGuildInstall() (-want +got):\n%s", diff)
	}
	_, err = d.update(t, func(w *directory.Writer) error { return w.PutRole(300, world.Role{ID: 1000, Name: "again"}) })
	if err != nil {
		t.Errorf("PutRole() = %v of a role that is there", err)
	}
}
