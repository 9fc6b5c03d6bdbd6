package provision_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store/cache"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
)

// start is the time at which the tests begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// handClock shows the time that a test sets.
type handClock struct {
	clock.Clock

	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

// seqIDs counts up.
type seqIDs struct{ last atomic.Uint64 }

func (s *seqIDs) Next() uint64 { return 9000 + s.last.Add(1) }

// fixture is a directory with its own store.
type fixture struct {
	*directory.Directory
	*provision.Provisioner

	auth  *auth.Authenticator
	clock *handClock
	store store.Store
	// onActivities may be nil.
	onActivities func(*store.Tx, store.Application) error
}

func open(t testing.TB) *fixture {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return newFixture(db)
}

// newFixture returns a directory with an empty cache.
func newFixture(db store.Store) *fixture {
	now := &handClock{now: start}
	f := &fixture{clock: now, store: db}
	ids := &seqIDs{}
	states := cache.New(db, 1<<24)
	f.Directory = directory.New(directory.Config{
		Store: db, Cache: states, Clock: now, IDs: ids,
	})
	f.Provisioner = &provision.Provisioner{
		Directory: f.Directory, Clock: now, OnCommands: registry.New(states, now, runIDs{ids}).Import,
		OnActivities: func(tx *store.Tx, app store.Application) error {
			if f.onActivities == nil {
				return nil
			}
			return f.onActivities(tx, app)
		},
	}
	f.auth = &auth.Authenticator{Records: f.Tokens, Clock: now}
	return f
}

// seed puts records without checks.
func (d *fixture) seed(t testing.TB, records ...store.Record) {
	t.Helper()
	if err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error { return tx.Put(records...) }); err != nil {
		t.Fatal(err)
	}
}

const lab = `
users:
  - {id: 200, username: ada, locale: de, token: user-ada}
  - {id: 201, username: bob, token: user-bob}
applications:
  - {id: 100, name: Echo, owner: 200, bot_token: bot-echo, client_secret: secret-echo, integration_types: [0, 1]}
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
    installs: [{application: 100, scopes: [bot]}]
user_installs:
  - {user: 201, application: 100}
`

func parse(t testing.TB, text string) world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (d *fixture) apply(t testing.TB, text string) provision.Applied {
	t.Helper()
	applied, err := d.Apply(t.Context(), parse(t, text))
	if err != nil {
		t.Fatalf("Apply() = %v", err)
	}
	return applied
}

func (d *fixture) export(t testing.TB) world.World {
	t.Helper()
	w, err := provision.Export(t.Context(), d.Directory)
	if err != nil {
		t.Fatalf("Export() = %v", err)
	}
	return w
}

// accepts reports whether an Authorization header is valid.
func (d *fixture) accepts(t testing.TB, header string) bool {
	t.Helper()
	_, err := d.auth.Authenticate(t.Context(), header)
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		t.Fatalf("Authenticate() = %v", err)
	}
	return err == nil
}

func get[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
