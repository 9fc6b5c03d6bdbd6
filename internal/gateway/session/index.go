package session

import (
	"iter"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Index finds the sessions that an event is for. An event costs time only for the sessions that receive it. It is safe
// for concurrent use.
type Index struct {
	shared bool
	// Interest gets the partitions of events that the sessions need. It is set before the first use, and may be nil.
	Interest *events.Interest

	mu       sync.Mutex
	sessions map[string]*Session
	bots     sets[snowflake.Application]
	people   sets[snowflake.User]
	clients  clients
	guilds   sets[snowflake.Guild]
	owned    map[ownerKey][]*Session // in the order in which they were added
	// departing counts the client and bot sessions that moved to another node a moment ago.
	departing map[AppUser]int
	// opened are the guilds that got their first session. Events of them were not read before.
	opened []snowflake.Guild
}

// NewIndex returns an empty index. shared says whether other nodes have sessions too.
func NewIndex(shared bool) *Index {
	return &Index{
		shared: shared, sessions: map[string]*Session{}, bots: sets[snowflake.Application]{}, people: sets[snowflake.User]{},
		clients: clients{}, guilds: sets[snowflake.Guild]{}, owned: map[ownerKey][]*Session{},
		departing: map[AppUser]int{},
	}
}

// sets maps a key to the sessions that have it.
type sets[K comparable] map[K]map[*Session]struct{}

func (m sets[K]) add(key K, s *Session) {
	set, ok := m[key]
	if !ok {
		set = make(map[*Session]struct{}, 1)
		m[key] = set
	}
	set[s] = struct{}{}
}

func (m sets[K]) remove(key K, s *Session) {
	set := m[key]
	delete(set, s)
	if len(set) == 0 {
		delete(m, key)
	}
}

// clients maps applications and users to client sessions. Most events belong to applications without clients here, so
// the application comes first.
type clients map[snowflake.Application]sets[snowflake.User]

func (m clients) of(c AppUser) map[*Session]struct{} { return m[c.Application][c.User] }

func (m clients) add(s *Session) {
	people, ok := m[s.Application]
	if !ok {
		people = sets[snowflake.User]{}
		m[s.Application] = people
	}
	people.add(s.User, s)
}

func (m clients) remove(s *Session) {
	people := m[s.Application]
	people.remove(s.User, s)
	if len(people) == 0 {
		delete(m, s.Application)
	}
}

// Add adds a new session on a connection. The session is in no guild yet.
func (x *Index) Add(s *Session, k *Conn) {
	s.conn = k
	k.session.Store(s)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(s)
}

// add adds a session to all maps except guilds. The index is locked.
func (x *Index) add(s *Session) {
	x.sessions[s.Session] = s
	x.owned[s.key()] = append(x.owned[s.key()], s)
	x.Interest.Add(s.partitions()...)
	switch s.Kind {
	case Bot:
		x.bots.add(s.Application, s)
	case User:
		x.people.add(s.User, s)
	case Client:
		x.clients.add(s)
	}
}

// Remove removes a session.
func (x *Index) Remove(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sessions[s.Session] != s {
		return
	}
	delete(x.sessions, s.Session)
	if rest := slices.DeleteFunc(x.owned[s.key()], func(o *Session) bool { return o == s }); len(rest) > 0 {
		x.owned[s.key()] = rest
	} else {
		delete(x.owned, s.key())
	}
	switch s.Kind {
	case Bot:
		x.bots.remove(s.Application, s)
	case User:
		x.people.remove(s.User, s)
	case Client:
		x.clients.remove(s)
	}
	x.Interest.Remove(s.partitions()...)
	for guild := range s.guilds {
		x.closeGuild(guild, s)
	}
	s.guilds = nil
}

// Oldest returns the oldest sessions of the session's owner, as many as there are above a maximum. It returns none if the
// maximum is 0.
func (x *Index) Oldest(s *Session, most int) []*Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.owned[s.key()]
	if most == 0 || len(list) <= most {
		return nil
	}
	return slices.Clone(list[:len(list)-most])
}

// Connected reports whether a user has a client session that is starting, ready or resumable, or one that moved to
// another node a moment ago.
func (x *Index) Connected(c AppUser) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.connected(c)
}

// HasClients reports whether Connected may report true for any user of an application.
func (x *Index) HasClients(app snowflake.Application) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.hasClients(app)
}

// ConnectedUsers returns the users for whom Connected reports true. It does not iterate over users if the application
// has no clients.
func (x *Index) ConnectedUsers(app snowflake.Application, users iter.Seq[snowflake.User]) (connected []snowflake.User) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.hasClients(app) {
		return nil
	}
	for u := range users {
		if x.connected(AppUser{app, u}) {
			connected = append(connected, u)
		}
	}
	return connected
}

// connected implements Connected. The index is locked.
func (x *Index) connected(c AppUser) bool { return len(x.clients.of(c)) > 0 || x.departing[c] > 0 }

// hasClients implements HasClients. The index is locked.
func (x *Index) hasClients(app snowflake.Application) bool {
	return len(x.clients[app]) > 0 || len(x.departing) > 0
}

// HasBot reports whether the bot of an application has a session that is starting, ready or resumable, or one that moved
// to another node a moment ago.
func (x *Index) HasBot(app snowflake.Application) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.bots[app]) > 0 || x.departing[AppUser{app, snowflake.User(app)}] > 0
}

// Bots returns the number of sessions of an application's bot that are starting, ready or resumable.
func (x *Index) Bots(app snowflake.Application) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.bots[app])
}

// IsReady reports whether a user has a client session that has become ready.
func (x *Index) IsReady(c AppUser) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.clients.of(c) {
		if !s.IsStarting() {
			return true
		}
	}
	return false
}

// CountDeparting adds by to the number of sessions of the session's user that moved to another node a moment
// ago.
func (x *Index) CountDeparting(s *Session, by int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := s.AppUser()
	if x.departing[c] += by; x.departing[c] == 0 {
		delete(x.departing, c)
	}
}

// Len returns the number of sessions.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.sessions)
}

// Find returns a session of this node, or nil.
func (x *Index) Find(id string) *Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sessions[id]
}

// All returns every session.
func (x *Index) All() []*Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := make([]*Session, 0, len(x.sessions))
	for _, s := range x.sessions {
		list = append(list, s)
	}
	return list
}
