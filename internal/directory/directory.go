// Package directory keeps the records of users, applications, guilds and channels. It answers reads from a cache, announces
// changes as gateway events and records them in the audit log. A Kind describes each kind of record. The package does not
// know HTTP.
//
// Directory joins one type per noun: Users, Applications, Guilds, Channels and Credentials. Removals deletes the records
// that depend on deleted ones.
package directory

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
)

// Errors of the directory. A record that breaks a rule is a *jsonbody.Tree instead.
var (
	ErrUnknownUser        = errors.New("unknown user")
	ErrUnknownApplication = errors.New("unknown application")
	ErrUnknownGuild       = errors.New("unknown guild")
	ErrUnknownRole        = errors.New("unknown role")
	ErrUnknownChannel     = errors.New("unknown channel")
	ErrUnknownMember      = errors.New("unknown member")
	ErrNotInstalled       = errors.New("application is not installed there")
	// ErrUserExists says that a new user cannot have the id of another user or of a bot.
	ErrUserExists = errors.New("user exists")
	// ErrOwner says that the owner of a guild or an application cannot be removed.
	ErrOwner = errors.New("user is an owner")
	// ErrHidden says that a guild or channel exists but the viewer has no access to it.
	ErrHidden = errors.New("missing access")
)

// MaxPage is the largest number of records in one page.
const MaxPage = 1000

// Config has the dependencies of a directory.
type Config struct {
	Store store.Store
	Cache *cache.Cache // of Store
	Clock clock.Clock
	IDs   interface{ Next() uint64 } // for bot roles and direct-message channels

	// Audit gets an entry for each change that a request makes. It may be nil.
	Audit *audit.Log
	// Threads adds to a transaction what its changes mean for threads. It may be nil.
	Threads func(*Tx) error
	// Log gets failed removals. It may be nil. Removals.Run tries them again.
	Log *slog.Logger
}

// Directory joins the parts of the directory. It is safe for concurrent use. When a write returns, it is durable and
// every later read sees it.
type Directory struct {
	Users        *Users
	Applications *Applications
	Guilds       *Guilds
	Channels     *Channels
	Credentials  *Credentials
	Removals     *Removals

	*shared
}

// New returns a directory. Set Removals.Dependents before the first deletion.
func New(cfg Config) *Directory {
	s := &shared{
		store: cfg.Store, clock: cfg.Clock, ids: cfg.IDs, cached: newCached(cfg.Cache), log: cfg.Audit, threads: cfg.Threads,
	}
	s.removals = &Removals{shared: s, log: cfg.Log}
	return &Directory{
		Users: &Users{s}, Applications: &Applications{s}, Guilds: &Guilds{s}, Channels: &Channels{s}, Credentials: &Credentials{s},
		Removals: s.removals, shared: s,
	}
}

// shared has the fields and the transactions of all parts of the directory.
type shared struct {
	store store.Store
	clock clock.Clock
	ids   interface{ Next() uint64 }

	cached   cached
	removals *Removals
	threads  func(*Tx) error // may be nil
	log      *audit.Log      // may be nil
}

// now returns the time with the precision of the store.
func (s *shared) now() time.Time { return s.clock.Now().UTC().Truncate(time.Millisecond) }

// Read calls fn with a snapshot of the store.
func (s *shared) Read(ctx context.Context, fn func(store.Reader) error) error {
	return s.store.Read(ctx, fn)
}
