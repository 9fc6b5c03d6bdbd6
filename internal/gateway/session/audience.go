package session

import (
	"slices"

	"github.com/bellhop/bellhop/internal/events"
)

// Audience appends to list the sessions that hear an event, whether they see its channel aside.
func (x *Index) Audience(list []*Session, to *events.Audience) []*Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case len(to.Users) > 0:
		return x.audienceOfPeople(list, to)
	case to.Application != 0:
		for s := range x.bots[to.Application] {
			if s.hearsOfBot(to) {
				list = append(list, s)
			}
		}
	case to.Guild != 0:
		for s := range x.guilds[to.Guild] {
			if s.hearsOfGuild(to) {
				list = append(list, s)
			}
		}
	}
	return list
}

// audienceOfPeople appends people's sessions: the one that is named, or all of them. The index is locked.
func (x *Index) audienceOfPeople(list []*Session, to *events.Audience) []*Session {
	if s := x.sessions[to.Session]; s != nil && s.hears(to) && s.wants(to) {
		return append(list, s)
	}
	if x.shared && to.Session != "" {
		return list // another node has it: who shares events names none that is nowhere
	}
	people := x.people
	if to.Application != 0 {
		people = x.clients[to.Application]
	}
	if len(people) == 0 {
		return list
	}
	for _, user := range to.Users {
		for s := range people[user] {
			if s.wants(to) {
				list = append(list, s)
			}
		}
	}
	return list
}

// Belongs reports whether the session is one of an audience, whether it sees the channel aside; there says whether it is in the
// audience's guild.
func (s *Session) Belongs(to *events.Audience, there bool) bool {
	switch {
	case len(to.Users) > 0:
		return s.hears(to) && s.wants(to) && (to.Session == "" || to.Session == s.Session)
	case to.Application != 0:
		return s.Kind == Bot && s.Application == to.Application && s.hearsOfBot(to)
	default:
		return there && s.hearsOfGuild(to)
	}
}

// HearsReduced reports whether a session hears the reduced form of an event.
func (s *Session) HearsReduced(e *events.Event) bool {
	return e.Reduced != nil && s.Kind == Bot && s.Intents&events.MessageContent == 0 && !slices.Contains(e.Full, s.Application)
}

// guildEvents is who hears of guilds that come and go.
var guildEvents = events.Audience{Intents: events.Guilds}

// HearsOfGuilds reports whether a session hears of guilds that come and go.
func (s *Session) HearsOfGuilds() bool { return s.wants(&guildEvents) }

func (s *Session) hearsOfBot(to *events.Audience) bool { return s.Shard.Owns(to.Guild) && s.wants(to) }

func (s *Session) hearsOfGuild(to *events.Audience) bool {
	return s.wants(to) && !slices.Contains(to.Except, s.User)
}

// hears reports whether the session is one of those that an audience of people means.
func (s *Session) hears(to *events.Audience) bool {
	if !slices.Contains(to.Users, s.User) {
		return false
	}
	if to.Application != 0 {
		return s.Kind == Client && s.Application == to.Application
	}
	return s.Kind == Person
}

// wants reports whether the session is of a kind that hears an event, and has asked for it: bots have to, clients of
// applications where they asked for anything.
func (s *Session) wants(to *events.Audience) bool {
	asked := to.Intents == 0 || s.Intents&to.Intents != 0
	switch s.Kind {
	case Bot:
		return asked && (to.Kinds == 0 || to.Kinds&events.Bots != 0)
	case Person:
		return to.Kinds == 0 || to.Kinds&events.People != 0
	case Client:
		return asked || s.Intents == 0
	}
	return false
}
