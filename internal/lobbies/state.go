package lobbies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// State is a lobby at one moment. It is immutable.
type State struct {
	store.Lobby

	positions []uint64 // of the members
	texts     int      // bytes of the texts of all members
	json      lazyText
}

// size estimates the memory of a state: each member and each text once as a value and once as JSON.
func (st *State) size() int {
	const bare, member = 320, 200
	return bare + member*len(st.Members) + 2*(len(st.Metadata)+len(st.WebhooksURL)+st.texts)
}

// textBytes returns the size of the texts of members.
func textBytes(members []*lobby.Member) (n int) {
	for _, m := range members {
		n += len(m.Metadata) + len(m.AdditionalName)
	}
	return n
}

// lazyText is a text that is rendered when it is first needed.
type lazyText struct{ text atomic.Pointer[[]byte] }

func (t *lazyText) get(render func() []byte) []byte {
	if b := t.text.Load(); b != nil {
		return *b
	}
	b := render()
	t.text.Store(&b) // concurrent callers render the same text
	return b
}

// states loads lobbies from the cache and turns decisions into changes.
type states struct {
	Config

	db          store.Store
	events      *eventBuilder
	lobbies     cache.Kind[snowflake.Lobby, State]
	memberships cache.Kind[membershipKey, []snowflake.Lobby] // the lobbies that a user is in, ascending
	secrets     cache.Kind[secretKey, store.LobbySecret]
	links       cache.Kind[snowflake.Channel, snowflake.Lobby] // the lobby that is linked with a channel; 0: none
	started     time.Time                                      // idle time before this does not count
}

type membershipKey struct {
	app  snowflake.Application
	user snowflake.User
}

type secretKey struct {
	app  snowflake.Application
	hash store.SecretHash
}

func newStates(c Config) *states {
	s := &states{Config: c, db: c.Cache.Store(), events: &eventBuilder{
		directory: c.Directory, isConnected: c.Connected, listening: c.Listening, publisher: c.Events, records: c.EventRecords,
	}}
	s.started = s.now()
	s.lobbies = cache.Kind[snowflake.Lobby, State]{
		Cache: c.Cache, Subject: store.LobbySubject, Read: s.read, Size: (*State).size,
	}
	s.memberships = cache.Kind[membershipKey, []snowflake.Lobby]{
		Cache: c.Cache, Subject: func(k membershipKey) store.Subject { return store.LobbyMembershipsSubject(k.app, k.user) },
		Read: func(r store.Reader, k membershipKey) (*[]snowflake.Lobby, error) {
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
	s.links = cache.Kind[snowflake.Channel, snowflake.Lobby]{
		Cache: c.Cache, Subject: store.LinkSubject, Size: func(*snowflake.Lobby) int { return 8 },
		Read: func(r store.Reader, channel snowflake.Channel) (*snowflake.Lobby, error) {
			id, err := r.Lobbies.Linked(channel)
			return &id, except(err, store.ErrNotFound)
		},
	}
	return s
}

// now returns the time with the precision of the store.
func (s *states) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Microsecond) }

// load returns a lobby of an application.
func (s *states) load(ctx context.Context, app snowflake.Application, id snowflake.Lobby) (*State, error) {
	st, err := s.lobbies.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if st.Application != app {
		return nil, ErrUnknownLobby
	}
	return st, nil
}

// read reads a lobby from the store. An idle time that begins in the future begins now instead: a dev service wrote it
// while its clock was moved forward.
func (s *states) read(r store.Reader, id snowflake.Lobby) (*State, error) {
	stored, positions, err := r.Lobbies.WithPositions(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownLobby
	}
	if err != nil {
		return nil, fmt.Errorf("read lobby %v: %w", id, err)
	}
	if now := s.now(); stored.IdleSince.After(now) {
		stored.IdleSince = now
	}
	return &State{Lobby: stored, positions: positions, texts: textBytes(stored.Members)}, nil
}

// readSecret reads a secret from the store. Lobby is 0 if there is none.
func readSecret(r store.Reader, k secretKey) (*store.LobbySecret, error) {
	secret, err := r.Lobbies.Secret(k.app, k.hash)
	return &secret, except(err, store.ErrNotFound)
}

// lobbyOf returns the lobby of a secret, or nil if there is none.
func (s *states) lobbyOf(ctx context.Context, k secretKey) (*State, error) {
	secret, err := s.secrets.Load(ctx, k)
	if err != nil || secret.Lobby == 0 || !s.now().Before(secret.Created.Add(lobby.SecretLife)) {
		return nil, err
	}
	st, err := s.lobbies.Load(ctx, secret.Lobby)
	return st, except(err, ErrUnknownLobby) // it was deleted after the secret was read
}
