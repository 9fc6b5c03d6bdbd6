// Package lobbies keeps the lobbies of applications: it makes, changes, shows and deletes them, lets members in and out,
// holds their numbers to the limits, and deletes those that were idle for too long. It knows nothing of HTTP.
package lobbies

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// What the service refuses. Findings on a request are a *problem.Tree, numbers a *LimitError, unknown users
// directory.ErrUnknownUser.
var (
	ErrUnknownLobby   = errors.New("unknown lobby")
	ErrUnknownMessage = errors.New("unknown message")
	// ErrNotMember says that the caller is not a member, and the request is for members only.
	ErrNotMember = errors.New("not a member of the lobby")
	// ErrNotLeavable says that only the application takes members out of a lobby that it has made.
	ErrNotLeavable = errors.New("the lobby cannot be left")
)

// LimitError says that a lobby is full, or that a user is in as many as can be.
type LimitError struct {
	What string
	Max  int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("maximum number of %s reached (%d)", e.What, e.Max)
}

// Users says what to do with unknown user ids in a lobby.
type Users uint8

// What to do with unknown user ids.
const (
	Auto   Users = iota // create the user
	Strict              // refuse the request
)

// Settings are the operator's choices. The zero Settings are the shipped ones.
type Settings struct {
	Users      Users
	Activity   lobby.Activity
	MaxPerUser int // lobbies of an application that a user can be in; 0: lobby.MaxLobbiesPerUser
}

// Config is what the service works with. What is not marked is required.
type Config struct {
	Cache    *cache.Cache
	Clock    clock.Clock
	IDs      interface{ Next() uint64 }
	Log      *slog.Logger
	Settings Settings
	// Events gets the events that no change to the store comes with: clients that connect and disconnect, and messages that
	// applications write in linked channels. It may be nil.
	Events Announcer
	// Connected reports whether a client of a user is connected for an application, is about to be, or may yet resume. It is
	// called often and does not wait. It may be nil: no client is connected.
	Connected func(app snowflake.Application, user snowflake.User) bool
	// Listening returns those users who may hear events for an application, on any node. It may be nil: all of them.
	Listening func(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User
	// Directory has the users and channels.
	Directory *directory.Directory
	// Posted is called after a message was stored in a linked channel. It may be nil, and does not wait.
	Posted func(ctx context.Context, m *store.Message)
	// Codes makes the codes of invites; nil: random ones.
	Codes func() string
}

// Lobbies keeps the lobbies of applications. It is safe for concurrent use. A write is on disk and seen by every later
// read when it returns.
type Lobbies struct {
	Config

	db       store.Store
	lobbies  cache.Kind[snowflake.Lobby, State]
	seats    cache.Kind[seatsKey, []snowflake.Lobby] // the lobbies that a user is in, ascending
	secrets  cache.Kind[secretKey, store.LobbySecret]
	started  time.Time   // idle time before does not count
	alarm    clock.Alarm // rings when a lobby is due
	cleaning clock.Alarm
}

type seatsKey struct {
	app  snowflake.Application
	user snowflake.User
}

type secretKey struct {
	app  snowflake.Application
	hash store.SecretHash
}

// New returns the service over the store of a cache. It is called before the first commit. Lobbies that were idle before
// count as idle from now on.
func New(c Config) *Lobbies {
	if c.Settings.MaxPerUser == 0 {
		c.Settings.MaxPerUser = lobby.MaxLobbiesPerUser
	}
	if c.Codes == nil {
		c.Codes = newCode
	}
	s := &Lobbies{Config: c, db: c.Cache.Store()}
	s.started = s.now()
	s.lobbies = cache.Kind[snowflake.Lobby, State]{
		Cache: c.Cache, Subject: store.LobbySubject, Read: s.readState, Size: (*State).size,
	}
	s.seats = cache.Kind[seatsKey, []snowflake.Lobby]{
		Cache: c.Cache, Subject: func(k seatsKey) store.Subject { return store.SeatsSubject(k.app, k.user) },
		Read: func(r store.Reader, k seatsKey) (*[]snowflake.Lobby, error) {
			ids, err := r.Lobbies.Of(k.app, k.user)
			slices.Sort(ids)
			return &ids, err
		},
		Size: func(ids *[]snowflake.Lobby) int { return 24 + 8*len(*ids) },
	}
	s.secrets = cache.Kind[secretKey, store.LobbySecret]{
		Cache: c.Cache, Subject: func(k secretKey) store.Subject { return store.SecretSubject(k.app, k.hash) },
		Read: readSecret, Size: func(*store.LobbySecret) int { return 96 },
	}
	s.db.Subscribe(s.committed)
	return s
}

// committed sets the alarm for the lobbies that a change writes.
func (s *Lobbies) committed(c *store.Change) {
	for _, r := range c.Put {
		if l, ok := r.(store.Lobby); ok {
			s.soon(l.Due)
		}
	}
}

// now returns the time with the precision of the store.
func (s *Lobbies) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Microsecond) }

// State is a lobby at one moment. It is immutable.
type State struct {
	store.Lobby

	positions []uint64 // of the members
	texts     int      // the bytes of the texts of all members
	rendered  rendering
}

// size is roughly what a state costs in memory: each member and each text once as it is and once rendered.
func (st *State) size() int {
	const bare, member = 320, 200
	return bare + member*len(st.Members) + 2*(len(st.Metadata)+len(st.WebhooksURL)+st.texts)
}

// textsOf returns how many bytes the texts of members have.
func textsOf(members []*lobby.Member) (n int) {
	for _, m := range members {
		n += len(m.Metadata) + len(m.AdditionalName)
	}
	return n
}

// rendering is a text that is made when it is first needed.
type rendering struct{ text atomic.Pointer[[]byte] }

func (r *rendering) get(render func() []byte) []byte {
	if b := r.text.Load(); b != nil {
		return *b
	}
	b := render()
	r.text.Store(&b) // concurrent callers make the same text
	return b
}

// Lobby returns a lobby of an application.
func (s *Lobbies) Lobby(ctx context.Context, app snowflake.Application, id snowflake.Lobby) (*State, error) {
	st, err := s.lobbies.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if st.Application != app {
		return nil, ErrUnknownLobby
	}
	return st, nil
}

// readState returns a lobby as the store has it. An idle time that begins in the future begins now instead: a dev service
// whose clock was moved forward has written it before a restart.
func (s *Lobbies) readState(r store.Reader, id snowflake.Lobby) (*State, error) {
	kept, positions, err := r.Lobbies.Seated(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownLobby
	}
	if err != nil {
		return nil, fmt.Errorf("read lobby %v: %w", id, err)
	}
	if now := s.now(); kept.IdleSince.After(now) {
		kept.IdleSince = now
	}
	return &State{Lobby: kept, positions: positions, texts: textsOf(kept.Members)}, nil
}
