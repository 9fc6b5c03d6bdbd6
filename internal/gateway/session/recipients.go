package session

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store/events"
)

// Recipients appends to list the sessions that an event is for. It does not check whether they can see the event's
// channel.
func (x *Index) Recipients(list []*Session, to *events.Audience) []*Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case len(to.Users) > 0:
		return x.userRecipients(list, to)
	case to.Application != 0:
		for s := range x.bots[to.Application] {
			if s.receivesAsBot(to) {
				list = append(list, s)
			}
		}
	case to.Guild != 0:
		for s := range x.guilds[to.Guild] {
			if s.receivesInGuild(to) {
				list = append(list, s)
			}
		}
	}
	return list
}

// userRecipients appends the sessions of users: the session that the event names, or all of them. The index is locked.
func (x *Index) userRecipients(list []*Session, to *events.Audience) []*Session {
	if s := x.sessions[to.Session]; s != nil && s.isUserRecipient(to) && s.wants(to) {
		return append(list, s)
	}
	if x.shared && to.Session != "" {
		return list // all nodes decide the same: another node has the session, or it has ended
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

// Receives reports whether an event with this audience is for the session. inGuild says whether the session is in the
// audience's guild. It does not check whether the session can see the event's channel.
func (s *Session) Receives(to *events.Audience, inGuild bool) bool {
	switch {
	case len(to.Users) > 0:
		return s.isUserRecipient(to) && s.wants(to) && (to.Session == "" || to.Session == s.Session)
	case to.Application != 0:
		return s.Kind == Bot && s.Application == to.Application && s.receivesAsBot(to)
	default:
		return inGuild && s.receivesInGuild(to)
	}
}

// GetsReduced reports whether a session gets the reduced form of an event, without message content.
func (s *Session) GetsReduced(e *events.Event) bool {
	return e.Reduced != nil && s.Kind == Bot && s.Intents&events.MessageContent == 0 && !slices.Contains(e.Full, s.Application)
}

// guildEvents is the audience of GUILD_CREATE and GUILD_DELETE.
var guildEvents = events.Audience{Intents: events.Guilds}

// WantsGuilds reports whether a session gets GUILD_CREATE and GUILD_DELETE.
func (s *Session) WantsGuilds() bool { return s.wants(&guildEvents) }

func (s *Session) receivesAsBot(to *events.Audience) bool {
	return s.Shard.Owns(to.Guild) && s.wants(to)
}

func (s *Session) receivesInGuild(to *events.Audience) bool {
	return s.wants(to) && !slices.Contains(to.Except, s.User)
}

// isUserRecipient reports whether the session belongs to one of the users of an audience.
func (s *Session) isUserRecipient(to *events.Audience) bool {
	if !slices.Contains(to.Users, s.User) {
		return false
	}
	if to.Application != 0 {
		return s.Kind == Client && s.Application == to.Application
	}
	return s.Kind == User
}

// wants reports whether the session's kind gets the event and its intents include it. A bot must have the intent. A
// client gets everything if it sent no intents.
func (s *Session) wants(to *events.Audience) bool {
	asked := to.Intents == 0 || s.Intents&to.Intents != 0
	switch s.Kind {
	case Bot:
		return asked && (to.Kinds == 0 || to.Kinds&events.Bots != 0)
	case User:
		return to.Kinds == 0 || to.Kinds&events.People != 0
	case Client:
		return asked || s.Intents == 0
	}
	return false
}
