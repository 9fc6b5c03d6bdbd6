// Package lobbies provides the lobbies of applications: it creates, changes and deletes lobbies, their members and
// their messages, enforces the limits, and deletes lobbies that were idle for too long. It knows nothing of HTTP.
//
// Every write is a decision: a function from the State of a lobby to what becomes of it. states.build turns a decision
// into a store.Change with the rows, the events and the next State. cache.Cache.Decide commits the change, and decides
// again if the lobby has changed meanwhile.
package lobbies

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of the service. Invalid requests are a *jsonbody.Tree, exceeded limits a *LimitError, unknown users
// directory.ErrUnknownUser.
var (
	ErrUnknownLobby   = errors.New("unknown lobby")
	ErrUnknownMessage = errors.New("unknown message")
	// ErrNotMember means that the caller is not a member and the request is for members only.
	ErrNotMember = errors.New("not a member of the lobby")
	// ErrNotLeavable means that only the application can remove members from a lobby that it has created.
	ErrNotLeavable = errors.New("the lobby cannot be left")
)

// LimitError means that a lobby is full, or that a user is in the maximum number of lobbies.
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

// Settings are the operator's choices. The zero Settings are the defaults.
type Settings struct {
	Users      Users
	Activity   lobby.Activity
	MaxPerUser int // lobbies of an application that a user can be in; 0: lobby.MaxLobbiesPerUser
}

// Config has the dependencies and settings of the service. Fields are required unless they say otherwise.
type Config struct {
	Cache     *cache.Cache
	Directory *directory.Directory
	Clock     clock.Clock
	Wall      clock.Clock // the system's clock, for pauses
	IDs       interface{ Next() uint64 }
	Log       *slog.Logger
	Settings  Settings
	Hooks     *hooks.Hooks // may be nil
	// EventRecords returns the records of the event webhook about a message. An empty url is that of the application. It may be
	// nil.
	EventRecords func(app *store.Application, event, url string, data any) ([]store.Record, error)
	// Events publishes events that no change to the store records: clients that connect and disconnect, and messages
	// that applications write in linked channels. It may be nil.
	Events Publisher
	// Connected reports whether a client of a user is connected for an application, is connecting, or can still resume.
	// It is called often. In a decision it must not wait for another server: it calls cache.Ask and returns true. nil means
	// that no client is connected.
	Connected func(ctx context.Context, app snowflake.Application, user snowflake.User) bool
	// Listening returns those users who may receive events for an application, on any node. nil means all of them.
	Listening func(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User
	// Post adds a message in the linked channel and its events to a change.
	Post func(ctx context.Context, c *store.Change, m *store.Message) error
	// Codes returns a new invite code. nil means random codes.
	Codes func() string
}

// Lobbies provides the lobbies of applications. It is safe for concurrent use. When a write returns, it is durable, and
// every later read sees it.
type Lobbies struct {
	Members  *Members
	Messages *Messages
	Invites  *Invites
	Links    *Links
	Presence *Presence
	Search   *Search

	states    *states
	admission *admission
	idle      *idleShutdown
}

// New returns the service. It must be called before the first commit. The idle time of all lobbies starts now.
func New(c Config) *Lobbies {
	if c.Settings.MaxPerUser == 0 {
		c.Settings.MaxPerUser = lobby.MaxLobbiesPerUser
	}
	if c.Codes == nil {
		c.Codes = newCode
	}
	st := newStates(c)
	cleaner := &cleaner{states: st}
	admission := &admission{states: st}
	links := &Links{states: st}
	messages := &Messages{states: st, cleaner: cleaner}
	l := &Lobbies{
		Members: &Members{states: st, admission: admission}, Messages: messages, Invites: &Invites{states: st, cleaner: cleaner},
		Links: links, Presence: &Presence{states: st}, Search: newSearch(st),
		states: st, admission: admission,
		idle: &idleShutdown{states: st, messages: messages, links: links, cleaner: cleaner, started: make(chan struct{})},
	}
	l.idle.due = l.idle.sweepOf(func(r store.Reader, limit int) ([]store.DueLobby, error) { return r.Lobbies.Due(limit) })
	st.db.Subscribe(l.idle.committed)
	if !st.db.Shared() {
		st.db.Subscribe(l.Search.committed)
	}
	return l
}

// Run deletes lobbies that were idle for too long, removes old messages and invites, and reads lobbies for searches until ctx ends.
// It is called once.
func (s *Lobbies) Run(ctx context.Context) error {
	var searches sync.WaitGroup
	searches.Go(func() { s.Search.run(ctx) })
	defer searches.Wait()
	s.idle.run(ctx)
	return nil
}

// WaitUntilRunning waits until Run looks for idle lobbies, or ctx ends. Before that, moving the clock deletes no lobby.
func (s *Lobbies) WaitUntilRunning(ctx context.Context) error {
	select {
	case <-s.idle.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CheckIdle looks for idle lobbies at once, including those of nodes that have died.
func (s *Lobbies) CheckIdle() { s.idle.schedule(s.states.now()) }

// Due returns up to limit lobbies that end unless a member is active before, ordered by Due.
func (s *Lobbies) Due(ctx context.Context, limit int) (list []store.DueLobby, err error) {
	err = s.states.db.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Lobbies.Due(limit)
		return err
	})
	return list, err
}

// Lobby returns a lobby of an application.
func (s *Lobbies) Lobby(ctx context.Context, app snowflake.Application, id snowflake.Lobby) (*State, error) {
	return s.states.load(ctx, app, id)
}

// Body returns a lobby as JSON, with the linked channel if it exists. The caller must not change it.
func (s *Lobbies) Body(ctx context.Context, st *State) ([]byte, error) {
	return s.states.events.body(ctx, st)
}

// Create creates a lobby of an application.
func (s *Lobbies) Create(ctx context.Context, app snowflake.Application, body jsonbody.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	about := hooks.LobbyData{Application: app, Metadata: shownMetadata(p.Metadata)}
	changed, err := s.states.Hooks.Before(ctx, hooks.LobbyCreate, about)
	if err != nil {
		return nil, err
	}
	if changed.Changes("metadata") {
		if p, err = lobby.ReadPatch(changed.Apply(body, "metadata", "metadata")); err != nil {
			return nil, err
		}
	}
	list, _ := p.Members.Get()
	if list, err = s.states.askEach(ctx, app, 0, list); err != nil {
		return nil, err
	}
	id := snowflake.Lobby(s.states.IDs.Next())
	var created *State
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (out store.Change, err error) {
		d, err := s.newLobby(ctx, app, id, p)
		if err != nil {
			return out, err
		}
		d.next.Members = d.next.Replace(list)
		d.joined = d.next.Members
		if err := s.admission.checkAll(ctx, &d, app, list, nil); err != nil {
			return out, err
		}
		out, created, err = s.states.build(ctx, &State{}, &d)
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// newLobby returns the decision to create a lobby without members. The commit fails if the application is deleted
// meanwhile; otherwise the lobby would never be removed.
func (s *Lobbies) newLobby(ctx context.Context, app snowflake.Application, id snowflake.Lobby, p lobby.Patch) (decision, error) {
	_, err := s.states.Directory.Applications.Application(ctx, app)
	return decision{next: p.Apply(lobby.New(id, app, s.states.now()))}, err
}

// Edit changes those properties of a lobby that body contains.
func (s *Lobbies) Edit(ctx context.Context, app snowflake.Application, id snowflake.Lobby, body jsonbody.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	if list, given := p.Members.Get(); given {
		if list, err = s.states.askEach(ctx, app, id, list); err != nil {
			return nil, err
		}
		p.Members = optional.Of(list)
	}
	var next *State
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, &next, func(ctx context.Context, base *State) (decision, error) {
		d := edit(base, p, s.states.Settings.Activity, s.states.now())
		if list, given := p.Members.Get(); given {
			return d, s.admission.checkAll(ctx, &d, app, list, &base.Lobby.Lobby)
		}
		return d, nil
	}))
	if err != nil {
		return nil, err
	}
	return next, nil
}

// Delete deletes a lobby with everything in it. It does nothing if the lobby does not exist or belongs to another
// application.
func (s *Lobbies) Delete(ctx context.Context, app snowflake.Application, id snowflake.Lobby) error {
	if _, err := s.states.Hooks.Before(ctx, hooks.LobbyEnd, hooks.LobbyData{Application: app, Lobby: id}); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	err := s.states.Cache.Decide(ctx, s.states.decider(app, id, nil, func(context.Context, *State) (decision, error) {
		return decision{deleted: true}, nil
	}))
	if err == nil {
		s.Messages.removeAll(ctx, id)
	}
	return except(err, ErrUnknownLobby)
}

// Join makes a user a member of the lobby with a secret. It creates the lobby if there is none.
func (s *Lobbies) Join(ctx context.Context, app snowflake.Application, user snowflake.User, body jsonbody.Value) (*State, error) {
	j, err := lobby.ReadJoin(body)
	if err != nil {
		return nil, err
	}
	k := secretKey{app, sha256.Sum256([]byte(j.Secret))}
	if j, err = s.states.askJoin(ctx, k, user, j, body); err != nil {
		return nil, err
	}
	id := snowflake.Lobby(s.states.IDs.Next()) // of the lobby that is created, if any
	var next *State
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (out store.Change, err error) {
		base, err := s.states.lobbyOf(ctx, k)
		if err != nil {
			return out, err
		}
		if base == nil {
			out, next, err = s.createWithSecret(ctx, k, id, user, j)
			return out, err
		}
		d := join(base, user, j, s.states.Settings.Activity, s.states.now())
		if len(d.joined) > 0 {
			if err := s.admission.checkCaller(ctx, &d, app, user); err != nil {
				return out, err
			}
		}
		if err := checkSize(&d.next); err != nil {
			return out, err
		}
		out, next, err = s.states.build(ctx, base, &d)
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// createWithSecret creates the lobby of a secret with a user as its only member. The commit expects that the secret has
// no lobby: if two users join at the same time, one creates the lobby and the other joins it.
func (s *Lobbies) createWithSecret(
	ctx context.Context, k secretKey, id snowflake.Lobby, user snowflake.User, j lobby.Join,
) (out store.Change, created *State, err error) {
	d, err := s.newLobby(ctx, k.app, id, j.Lobby)
	if err != nil {
		return out, nil, err
	}
	if err := s.admission.checkCaller(ctx, &d, k.app, user); err != nil {
		return out, nil, err
	}
	d.next.Secret = true
	d.next.Members = []*lobby.Member{(lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(nil)}
	d.joined = d.next.Members
	secret := store.LobbySecret{Application: k.app, Hash: k.hash, Lobby: id, Created: d.next.IdleSince}
	d.records = append(d.records, secret)
	out, created, err = s.states.build(ctx, &State{}, &d)
	s.states.secrets.Next(&out, k, &secret)
	return out, created, err
}

// except returns err, or nil if it is ignored.
func except(err, ignored error) error {
	if errors.Is(err, ignored) {
		return nil
	}
	return err
}
