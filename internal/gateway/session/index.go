package session

import (
	"iter"
	"sync"

	"github.com/bellhop/bellhop/snowflake"
)

// Index finds the sessions that an event is for, so that it costs only those who hear it. It is safe for concurrent use.
type Index struct {
	shared bool

	mu       sync.Mutex
	sessions map[string]*Session
	bots     sets[snowflake.Application]
	people   sets[snowflake.User]
	clients  clients
	guilds   sets[snowflake.Guild]
	// departing counts the sessions of clients that went to another node a moment ago.
	departing map[Seat]int
}

// NewIndex returns an index without sessions. Shared says that other nodes have sessions too.
func NewIndex(shared bool) *Index {
	return &Index{
		shared: shared, sessions: map[string]*Session{}, bots: sets[snowflake.Application]{}, people: sets[snowflake.User]{},
		clients: clients{}, guilds: sets[snowflake.Guild]{}, departing: map[Seat]int{},
	}
}

// sets holds sessions by what they have in common.
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

// clients holds the sessions of people in the clients of applications. Most events are of applications that have none here.
type clients map[snowflake.Application]sets[snowflake.User]

func (m clients) of(c Seat) map[*Session]struct{} { return m[c.Application][c.User] }

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

// Enter makes a session known that begins on a connection. It is in no guild yet.
func (x *Index) Enter(s *Session, k *Link) {
	s.link = k
	k.session.Store(s)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.enter(s)
}

// enter puts a session where it is found, but for its guilds. The index is locked.
func (x *Index) enter(s *Session) {
	x.sessions[s.Session] = s
	switch s.Kind {
	case Bot:
		x.bots.add(s.Application, s)
	case Person:
		x.people.add(s.User, s)
	case Client:
		x.clients.add(s)
	}
}

// Exit makes a session unknown.
func (x *Index) Exit(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sessions[s.Session] != s {
		return
	}
	delete(x.sessions, s.Session)
	switch s.Kind {
	case Bot:
		x.bots.remove(s.Application, s)
	case Person:
		x.people.remove(s.User, s)
	case Client:
		x.clients.remove(s)
	}
	for guild := range s.guilds {
		x.guilds.remove(guild, s)
	}
	s.guilds = nil
}

// Connected reports whether a person has a session that is ready, about to be, or can still be resumed, or had one until a
// moment ago that goes on at another node.
func (x *Index) Connected(c Seat) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.connected(c)
}

// HasClients reports whether Connected may report anybody for an application.
func (x *Index) HasClients(app snowflake.Application) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.attended(app)
}

// Among returns those users whom Connected reports. Of an application that has no clients nobody is looked at.
func (x *Index) Among(app snowflake.Application, users iter.Seq[snowflake.User]) (connected []snowflake.User) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.attended(app) {
		return nil
	}
	for u := range users {
		if x.connected(Seat{app, u}) {
			connected = append(connected, u)
		}
	}
	return connected
}

// connected is Connected while the index is locked.
func (x *Index) connected(c Seat) bool { return len(x.clients.of(c)) > 0 || x.departing[c] > 0 }

// attended is HasClients while the index is locked.
func (x *Index) attended(app snowflake.Application) bool {
	return len(x.clients[app]) > 0 || len(x.departing) > 0
}

// Attends reports whether a person has a session that has been ready.
func (x *Index) Attends(c Seat) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.clients.of(c) {
		if !s.IsStarting() {
			return true
		}
	}
	return false
}

// Depart counts a session that goes to another node, or no longer.
func (x *Index) Depart(s *Session, by int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := s.Seat()
	if x.departing[c] += by; x.departing[c] == 0 {
		delete(x.departing, c)
	}
}

// Len returns how many sessions there are.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.sessions)
}

// Find returns a session; nil: it is not here.
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
