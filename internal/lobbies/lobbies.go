// Package lobbies keeps the lobbies of applications: it makes, changes, shows and deletes them, lets members in and out,
// holds their numbers to the limits, and shuts down those where nobody has been for too long. It knows nothing of HTTP.
package lobbies

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/latest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// What the service refuses. Findings on a request are a *problem.Tree, numbers a *LimitError, users that nobody knows
// directory.ErrUnknownUser.
var (
	ErrUnknownLobby   = errors.New("unknown lobby")
	ErrUnknownMessage = errors.New("unknown message")
	// ErrNotMember says that somebody asks for what is for members alone.
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

// Users says what happens when a user is named that the directory does not have.
type Users uint8

// What happens to users that nobody knows.
const (
	Auto   Users = iota // they get a record
	Strict              // they are refused
)

// Settings are the operator's choices. The zero Settings are the shipped ones.
type Settings struct {
	Users      Users
	Activity   lobby.Activity
	MaxPerUser int // lobbies of an application that a user can be in; 0: lobby.MaxLobbiesPerUser
}

// IDs makes ids that only grow.
type IDs interface {
	// Run returns the first of n consecutive new ids.
	Run(n int) uint64
	// Observe makes every later id larger than the given one.
	Observe(id uint64)
}

// Config is what the service works with. What is not marked is required.
type Config struct {
	Store    store.Store
	Clock    clock.Clock
	IDs      IDs
	Log      *slog.Logger
	Settings Settings
	// Events hears what members learn. It may be nil.
	Events Announcer
	// Connected reports whether a client of a user is there for an application, is about to be, or may yet come back. It is
	// asked often and does not wait. It may be nil: nobody is there.
	Connected func(app snowflake.Application, user snowflake.User) bool
	// Listening returns those users of whom a client hears events for an application, on any node. It may be nil: that is
	// not known, and everybody is told.
	Listening func(app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User
	// Directory knows authors and channels, and hears of users that get a record.
	Directory *directory.Directory
	// Posted tells of messages in linked channels. It may be nil, and does not wait.
	Posted func(ctx context.Context, m *store.Message)
	// Codes makes the codes of invites; nil: such as nobody can guess.
	Codes func() string
	// CacheBytes is how much memory lobbies in use may take; 0: DefaultCacheBytes.
	CacheBytes int
	// Fresh reports whether what is in memory can be shown, where other processes write to the store. It may be nil: always.
	Fresh func() bool
}

// DefaultCacheBytes is how much memory lobbies in use take unless it is set otherwise.
const DefaultCacheBytes = 256 << 20

// Lobbies keeps the lobbies of applications. It is safe for concurrent use. A write is on disk and seen by every later
// read when it returns.
type Lobbies struct {
	Config

	cache    *latest.Cache[snowflake.Lobby, State]
	channels cache.Cache[snowflake.Channel, snowflake.Lobby] // that are linked with lobbies
	started  time.Time                                       // idle time before does not count
	alarm    clock.Alarm                                     // rings when a lobby is due
	cleaning clock.Alarm
}

// New returns the service over a store. Lobbies that were idle before count as idle from now on.
func New(c Config) *Lobbies {
	if c.CacheBytes == 0 {
		c.CacheBytes = DefaultCacheBytes
	}
	if c.Settings.MaxPerUser == 0 {
		c.Settings.MaxPerUser = lobby.MaxLobbiesPerUser
	}
	if c.Codes == nil {
		c.Codes = newCode
	}
	s := &Lobbies{Config: c, cache: latest.New(latest.Config[snowflake.Lobby, State]{
		Store: c.Store, Read: readState, Revision: func(st *State) uint64 { return st.Revision }, Size: (*State).size, Budget: c.CacheBytes,
		Fresh: c.Fresh,
	})}
	s.channels.Fresh = c.Fresh
	s.started = s.now()
	return s
}

// now returns the time in the form in which it is kept.
func (s *Lobbies) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Microsecond) }

// State is a lobby at one moment. It is immutable.
type State struct {
	store.Lobby

	gone     bool // the lobby was deleted; only Revision means anything
	texts    int  // the bytes of the texts of all members
	rendered rendering
}

// of reports whether there is a lobby and it is an application's own.
func (st *State) of(app snowflake.Application) bool { return !st.gone && st.Application == app }

// kept is the revision that the store has when the state is true.
func (st *State) kept() uint64 {
	if st.gone {
		return 0
	}
	return st.Revision
}

// size is roughly what a state costs in memory: each member and each text once as it is and once rendered.
func (st *State) size() int {
	const bare, member = 320, 192
	return bare + member*len(st.Members) + 2*(len(st.Metadata)+len(st.WebhooksURL)+st.texts)
}

// textsOf returns how many bytes the texts of members have.
func textsOf(members []*lobby.Member) (n int) {
	for _, m := range members {
		n += len(m.Metadata) + len(m.AdditionalName)
	}
	return n
}

// rendering is a text that is made when it is first asked for.
type rendering struct{ text atomic.Pointer[[]byte] }

func (r *rendering) get(render func() []byte) []byte {
	if b := r.text.Load(); b != nil {
		return *b
	}
	b := render()
	r.text.Store(&b) // whoever else makes it at the same time makes the same
	return b
}

// Lobby returns a lobby of an application.
func (s *Lobbies) Lobby(ctx context.Context, app snowflake.Application, id snowflake.Lobby) (*State, error) {
	st, err := s.cache.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !st.of(app) {
		return nil, ErrUnknownLobby
	}
	return st, nil
}

// readState returns a lobby as the store has it. That there is none is never held: a lobby of that id may yet be made.
func readState(r store.Reader, id snowflake.Lobby) (*State, error) {
	kept, err := r.Lobby(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownLobby
	}
	if err != nil {
		return nil, fmt.Errorf("read lobby %v: %w", id, err)
	}
	return &State{Lobby: kept, texts: textsOf(kept.Members)}, nil
}

// Forget makes the service read everything again. Whoever changes records without it calls it after the change is durable
// and before it is acknowledged.
func (s *Lobbies) Forget() {
	s.cache.ForgetAll()
	s.channels.Reset()
}

// Joined tells the service that another process has let a member into a lobby, and from which revision to which the lobby's
// record went by that, unlike it otherwise only in when the lobby is due and since when it is idle.
func (s *Lobbies) Joined(id snowflake.Lobby, m lobby.Member, from, to uint64, idle, due time.Time) {
	s.cache.Amend(id, func(held *State) *State {
		if held.gone || held.Revision != from {
			return nil
		}
		next := &State{Lobby: held.Lobby, texts: held.texts + textsOf([]*lobby.Member{&m})}
		next.Members, next.Revision, next.IdleSince, next.Due = held.With(&m), to, idle, due
		return next
	})
}

// ForgetLobbies makes the service read lobbies again that another process has changed.
func (s *Lobbies) ForgetLobbies(ids ...snowflake.Lobby) {
	for _, id := range ids {
		s.cache.Forget(id)
	}
	if len(ids) > 0 {
		s.channels.Reset() // which of them are linked is not known
	}
}
