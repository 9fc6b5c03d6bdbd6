package gateway

import (
	"sync"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// index finds the sessions that an event is for, so that it costs only those who hear it.
type index struct {
	mu       sync.Mutex
	sessions map[string]*session
	bots     sets[snowflake.Application]
	people   sets[snowflake.User]
	clients  clients
	guilds   sets[snowflake.Guild]
	tokens   sets[store.TokenHash]
	// departing counts the sessions of clients that went to another node a moment ago.
	departing map[client]int
}

// client is a person in the clients of an application.
type client struct {
	app  snowflake.Application
	user snowflake.User
}

func newIndex() *index {
	return &index{
		sessions: map[string]*session{}, bots: sets[snowflake.Application]{}, people: sets[snowflake.User]{},
		clients: clients{}, guilds: sets[snowflake.Guild]{}, tokens: sets[store.TokenHash]{}, departing: map[client]int{},
	}
}

// sets holds sessions by what they have in common.
type sets[K comparable] map[K]map[*session]struct{}

func (m sets[K]) add(key K, s *session) {
	set, ok := m[key]
	if !ok {
		set = make(map[*session]struct{}, 1)
		m[key] = set
	}
	set[s] = struct{}{}
}

func (m sets[K]) remove(key K, s *session) {
	set := m[key]
	delete(set, s)
	if len(set) == 0 {
		delete(m, key)
	}
}

// clients holds the sessions of people in the clients of applications. Most events are of applications that have none here.
type clients map[snowflake.Application]sets[snowflake.User]

func (m clients) of(c client) map[*session]struct{} { return m[c.app][c.user] }

func (m clients) add(s *session) {
	people, ok := m[s.Application]
	if !ok {
		people = sets[snowflake.User]{}
		m[s.Application] = people
	}
	people.add(s.User, s)
}

func (m clients) remove(s *session) {
	people := m[s.Application]
	people.remove(s.User, s)
	if len(people) == 0 {
		delete(m, s.Application)
	}
}

// enter makes a session known. It is in no guild yet.
func (x *index) enter(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sessions[s.Session] = s
	x.tokens.add(s.token, s)
	switch s.Kind {
	case Bot:
		x.bots.add(s.Application, s)
	case Person:
		x.people.add(s.User, s)
	case Client:
		x.clients.add(s)
	}
}

// arrive makes a session known that comes from another node, with the guilds that it is in.
func (x *index) arrive(s *session) {
	x.enter(s)
	x.mu.Lock()
	defer x.mu.Unlock()
	for guild := range s.guilds {
		x.guilds.add(guild, s)
	}
}

// exit makes a session unknown.
func (x *index) exit(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sessions[s.Session] != s {
		return
	}
	delete(x.sessions, s.Session)
	x.tokens.remove(s.token, s)
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

// connected reports whether a client has a session, or had one until a moment ago that goes on at another node.
func (x *index) connected(c client) bool { return len(x.clients.of(c)) > 0 || x.departing[c] > 0 }

// attended reports whether connected may report anybody for an application.
func (x *index) attended(app snowflake.Application) bool {
	return len(x.clients[app]) > 0 || len(x.departing) > 0
}

// depart counts a session that goes to another node, or no longer.
func (x *index) depart(s *session, by int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := client{s.Application, s.User}
	if x.departing[c] += by; x.departing[c] == 0 {
		delete(x.departing, c)
	}
}

// settle puts a session into the guilds that were read for it, but for those that it has left since.
func (x *index) settle(s *session, guilds []snowflake.Guild) []snowflake.Guild {
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := guilds[:0]
	for _, guild := range guilds {
		if _, left := s.left[guild]; !left {
			x.join(s, guild)
			kept = append(kept, guild)
		}
	}
	s.left = nil
	return kept
}

// join puts a session into a guild, and reports whether it was not there. The index is locked.
func (x *index) join(s *session, guild snowflake.Guild) bool {
	if _, there := s.guilds[guild]; there || x.sessions[s.Session] != s {
		return false
	}
	if s.guilds == nil {
		s.guilds = make(map[snowflake.Guild]struct{}, 1)
	}
	s.guilds[guild] = struct{}{}
	s.moves++
	x.guilds.add(guild, s)
	return true
}

// quit takes a session out of a guild, and reports whether it was there. The index is locked.
func (x *index) quit(s *session, guild snowflake.Guild) bool {
	if s.left != nil {
		s.left[guild] = struct{}{}
	}
	if _, there := s.guilds[guild]; !there {
		return false
	}
	delete(s.guilds, guild)
	s.moves++
	x.guilds.remove(guild, s)
	return true
}

// find returns a session.
func (x *index) find(id string) *session {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sessions[id]
}

// all returns every session.
func (x *index) all() []*session {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := make([]*session, 0, len(x.sessions))
	for _, s := range x.sessions {
		list = append(list, s)
	}
	return list
}

// of returns the sessions that hear what happens to a user or a bot in guilds. The index is locked.
func (x *index) of(user snowflake.User) []*session {
	var list []*session
	for s := range x.bots[snowflake.Application(user)] {
		list = append(list, s)
	}
	for s := range x.people[user] {
		list = append(list, s)
	}
	return list
}

// holding returns the sessions that came with one of the tokens.
func (x *index) holding(tokens []store.TokenHash) []*session {
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []*session
	for _, t := range tokens {
		for s := range x.tokens[t] {
			list = append(list, s)
		}
	}
	return list
}
