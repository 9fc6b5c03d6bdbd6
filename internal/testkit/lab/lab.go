// Package lab is a fixture for tests: a directory in a store of its own, with a clock that stands still, ids that count up, and a
// small world.
package lab

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
)

// World is a world file with two users, an application and a guild.
const World = `
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

// Start is the time at which the tests begin.
var Start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// Clock shows the time that a test sets.
type Clock struct {
	clock.Clock

	Time time.Time
}

// Now returns the time that the test set.
func (c *Clock) Now() time.Time { return c.Time }

// IDs count up.
type IDs struct{ last atomic.Uint64 }

// Next returns the next id.
func (s *IDs) Next() uint64 { return 9000 + s.last.Add(1) }

// Store counts the reads of a store.
type Store struct {
	store.Store

	Reads atomic.Int64
}

// Read counts and reads.
func (s *Store) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.Reads.Add(1)
	return s.Store.Read(ctx, fn)
}

// Load counts and reads.
func (s *Store) Load(ctx context.Context, of store.Subject, fn func(store.Reader) error) (uint64, error) {
	s.Reads.Add(1)
	return s.Store.Load(ctx, of, fn)
}

// Fixture is a directory with its own store.
type Fixture struct {
	*directory.Directory
	*provision.Provisioner

	Auth  *auth.Authenticator
	Now   *Clock
	IDs   *IDs
	Store *Store
	Cache *cache.Cache // of Store
}

// Open returns a directory without records.
func Open(tb testing.TB) *Fixture {
	tb.Helper()
	return New(OpenStore(tb))
}

// OpenStore returns an empty store that does not wait for the disk. It is closed at the end of the test.
func OpenStore(tb testing.TB) *sqlite.DB {
	tb.Helper()
	db, err := sqlite.OpenVolatile(tb.Context(), filepath.Join(tb.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// ApplyWorld applies a world file to a directory.
func ApplyWorld(tb testing.TB, d *directory.Directory, now clock.Clock, text string) {
	tb.Helper()
	if _, err := (&provision.Provisioner{Directory: d, Clock: now}).Apply(tb.Context(), Parse(tb, text)); err != nil {
		tb.Fatal(err)
	}
}

// New returns a directory of a store, with an empty cache.
func New(db store.Store) *Fixture {
	f := &Fixture{Now: &Clock{Time: Start}, IDs: &IDs{}, Store: &Store{Store: db}}
	f.Cache = cache.New(f.Store, 1<<24)
	f.Directory = directory.New(directory.Config{Store: f.Store, Cache: f.Cache, Clock: f.Now, IDs: f.IDs})
	f.Provisioner = &provision.Provisioner{Directory: f.Directory, Clock: f.Now}
	f.Auth = &auth.Authenticator{Records: f.Credentials, Clock: f.Now}
	return f
}

// Seed puts records without checks.
func (f *Fixture) Seed(tb testing.TB, records ...store.Record) {
	tb.Helper()
	if err := store.Decide(tb.Context(), f.Store, func(tx *store.Tx) error { return tx.Put(records...) }); err != nil {
		tb.Fatal(err)
	}
}

// Parse parses a world file.
func Parse(tb testing.TB, text string) world.World {
	tb.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// ApplyText applies a world file.
func (f *Fixture) ApplyText(tb testing.TB, text string) provision.Applied {
	tb.Helper()
	applied, err := f.Apply(tb.Context(), Parse(tb, text))
	if err != nil {
		tb.Fatalf("Apply() = %v", err)
	}
	return applied
}

// Accepts reports whether an Authorization header is valid.
func (f *Fixture) Accepts(tb testing.TB, header string) bool {
	tb.Helper()
	_, err := f.Auth.Authenticate(tb.Context(), header)
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		tb.Fatalf("Authenticate() = %v", err)
	}
	return err == nil
}

// Get returns a function that returns a value, and fails the test if there is an error instead.
func Get[T any](tb testing.TB) func(T, error) T {
	tb.Helper()
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}
