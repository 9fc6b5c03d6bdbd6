package lobbies

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Announcer hears of what happened, after it is durable and before it is acknowledged. It does not wait.
type Announcer interface{ Publish(e events.Event) }

// tell says what a write has done to those of its members who listen: to each what concerns it, each text made once
// however many hear it. before is nil when the lobby is new.
func (s *Lobbies) tell(ctx context.Context, before, after *State, c *change) {
	if c.posted != nil && s.Posted != nil {
		s.Posted(ctx, c.posted)
	}
	if s.Events == nil {
		return
	}
	if c.gone {
		s.tellDeleted(&before.Lobby.Lobby, before.Members, "deleted")
		return
	}
	l := &after.Lobby.Lobby
	if before != nil && !alike(&before.Lobby.Lobby, l) {
		s.tellLobby(ctx, "LOBBY_UPDATE", l, stayed(l, c))
	}
	if len(c.left) > 0 {
		s.tellDeleted(l, c.left, "removed")
		s.tellMembers("LOBBY_MEMBER_REMOVE", l, c.left, stayed(l, c))
	}
	if len(c.joined) > 0 {
		s.tellLobby(ctx, "LOBBY_CREATE", l, c.joined)
		s.tellMembers("LOBBY_MEMBER_ADD", l, c.joined, stayed(l, c))
	}
	s.tellMembers("LOBBY_MEMBER_UPDATE", l, c.altered, stayed(l, c))
	if c.parted != nil {
		s.tellPresence("LOBBY_MEMBER_DISCONNECT", l, c.parted)
	}
	if c.message != nil {
		s.tellMessage(ctx, "LOBBY_MESSAGE_CREATE", l, c.message)
	}
}

// alike reports whether two states of a lobby look the same to its members, the list of members aside.
func alike(a, b *lobby.Lobby) bool {
	return a.Metadata == b.Metadata && a.Flags == b.Flags && a.Channel == b.Channel
}

// stayed returns those who were members before a change and are after it: whoever joins comes last.
func stayed(l *lobby.Lobby, c *change) []*lobby.Member {
	return l.Members[:len(l.Members)-len(c.joined)]
}

func (s *Lobbies) tellLobby(ctx context.Context, name string, l *lobby.Lobby, to []*lobby.Member) {
	if users := s.listeners(l, to); len(users) > 0 {
		s.publish(name, s.form(ctx, l), l, users)
	}
}

func (s *Lobbies) tellDeleted(l *lobby.Lobby, to []*lobby.Member, reason string) {
	users := s.listeners(l, to)
	if len(users) == 0 {
		return
	}
	b := append(make([]byte, 0, 64), `{"id":"`...)
	b = append(l.ID.Append(b), `","reason":"`...)
	s.publish("LOBBY_DELETE", append(append(b, reason...), `"}`...), l, users)
}

func (s *Lobbies) tellMembers(name string, l *lobby.Lobby, about, to []*lobby.Member) {
	if len(about) == 0 {
		return
	}
	users := s.listeners(l, to)
	if len(users) == 0 {
		return
	}
	for _, m := range about {
		b := append(make([]byte, 0, 256), `{"lobby_id":"`...)
		b = append(l.ID.Append(b), `","application_id":"`...)
		b = append(l.Application.Append(b), `","member":`...)
		s.publish(name, append(m.AppendEvent(b, s.connected(l, m)), '}'), l, users)
	}
}

// tellPresence says that a client of a member has come or gone, in the old way and in the new.
func (s *Lobbies) tellPresence(name string, l *lobby.Lobby, m *lobby.Member) {
	if users := s.listeners(l, l.Members); len(users) > 0 {
		b := append(make([]byte, 0, 256), `{"lobby_id":"`...)
		b = append(l.ID.Append(b), `","member":`...)
		s.publish(name, append(m.AppendEvent(b, s.connected(l, m)), '}'), l, users)
	}
	s.tellMembers("LOBBY_MEMBER_UPDATE", l, []*lobby.Member{m}, l.Members)
}

func (s *Lobbies) tellMessage(ctx context.Context, name string, l *lobby.Lobby, m *lobby.Message) {
	users := s.listeners(l, l.Members)
	if len(users) == 0 {
		return
	}
	if name == "LOBBY_MESSAGE_DELETE" {
		b := append(m.ID.Append([]byte(`{"id":"`)), `","lobby_id":"`...)
		s.publish(name, append(l.ID.Append(b), `"}`...), l, users)
		return
	}
	author, err := s.author(ctx, m.Author)
	if err != nil {
		s.Log.ErrorContext(ctx, "a message was not announced", "lobby", l.ID, "message", m.ID, "err", err)
		return
	}
	if name == "LOBBY_MESSAGE_UPDATE" {
		s.publish(name, m.AppendUpdate(nil, author), l, users)
		return
	}
	s.publish(name, m.AppendJSON(nil, author), l, users)
}

// listeners returns those members who hear events.
func (s *Lobbies) listeners(l *lobby.Lobby, members []*lobby.Member) []snowflake.User {
	users := func(yield func(snowflake.User) bool) {
		for _, m := range members {
			if !yield(m.ID) {
				return
			}
		}
	}
	if s.Listening == nil {
		return slices.Collect(users)
	}
	return s.Listening(l.Application, users)
}

func (s *Lobbies) publish(name string, data []byte, l *lobby.Lobby, users []snowflake.User) {
	intent := events.Lobbies
	if name == "LOBBY_DELETE" {
		intent = events.LobbyDelete
	}
	s.Events.Publish(events.Event{
		Name: name, Data: data, To: events.Audience{Users: users, Application: l.Application, Intents: intent},
	})
}
