package lobbies

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Announcer publishes an event. It does not wait.
type Announcer interface{ Publish(e events.Event) }

// eventsOf returns the events of a change to a lobby: for each member who listens, what concerns that member. before is an
// empty state when the lobby is new.
func (s *Lobbies) eventsOf(ctx context.Context, before, after *State, c *change) ([]store.Event, error) {
	l := &after.Lobby.Lobby
	stayed := l.Members[:len(l.Members)-len(c.joined)]
	var list []events.Event
	if before.ID != 0 && !alike(&before.Lobby.Lobby, l) {
		updated, err := s.lobbyEvent(ctx, "LOBBY_UPDATE", l, stayed)
		if err != nil {
			return nil, err
		}
		list = append(list, updated...)
	}
	if len(c.left) > 0 {
		list = append(list, s.deletion(ctx, l, c.left, "removed")...)
		list = append(list, s.memberEvents(ctx, "LOBBY_MEMBER_REMOVE", l, c.left, stayed)...)
	}
	if len(c.joined) > 0 {
		created, err := s.lobbyEvent(ctx, "LOBBY_CREATE", l, c.joined)
		if err != nil {
			return nil, err
		}
		list = append(list, created...)
		list = append(list, s.memberEvents(ctx, "LOBBY_MEMBER_ADD", l, c.joined, stayed)...)
	}
	list = append(list, s.memberEvents(ctx, "LOBBY_MEMBER_UPDATE", l, c.altered, stayed)...)
	if c.message != nil {
		name := "LOBBY_MESSAGE_CREATE"
		if c.edited {
			name = "LOBBY_MESSAGE_UPDATE"
		}
		said, err := s.messageEvent(ctx, name, l, c.message)
		if err != nil {
			return nil, err
		}
		list = append(list, said...)
	}
	return record(l.ID, list), nil
}

// record returns events as a change to a lobby records them.
func record(id snowflake.Lobby, list []events.Event) []store.Event {
	if len(list) == 0 {
		return nil
	}
	recorded := make([]store.Event, len(list))
	for i, e := range list {
		recorded[i] = store.Event{Subject: store.LobbySubject(id), Event: e}
	}
	return recorded
}

// publish publishes events that no change to the store comes with.
func (s *Lobbies) publish(list []events.Event) {
	if s.Events == nil {
		return
	}
	for _, e := range list {
		s.Events.Publish(e)
	}
}

// alike reports whether two states of a lobby look the same to its members, the list of members aside.
func alike(a, b *lobby.Lobby) bool {
	return a.Metadata == b.Metadata && a.Flags == b.Flags && a.Channel == b.Channel
}

// lobbyEvent returns an event that shows a lobby to those of its members who listen, nothing when none does.
func (s *Lobbies) lobbyEvent(ctx context.Context, name string, l *lobby.Lobby, to []*lobby.Member) ([]events.Event, error) {
	users := s.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil, nil
	}
	shown, err := s.form(ctx, l)
	return []events.Event{event(name, shown, l, users)}, err
}

// deletion returns the event that a lobby is gone for some of its members.
func (s *Lobbies) deletion(ctx context.Context, l *lobby.Lobby, to []*lobby.Member, reason string) []events.Event {
	users := s.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil
	}
	b := append(make([]byte, 0, 64), `{"id":"`...)
	b = append(l.ID.Append(b), `","reason":"`...)
	return []events.Event{event("LOBBY_DELETE", append(append(b, reason...), `"}`...), l, users)}
}

// memberEvents returns an event for each of some members.
func (s *Lobbies) memberEvents(ctx context.Context, name string, l *lobby.Lobby, about, to []*lobby.Member) []events.Event {
	if len(about) == 0 {
		return nil
	}
	users := s.listeners(ctx, l, to)
	if len(users) == 0 {
		return nil
	}
	list := make([]events.Event, len(about))
	for i, m := range about {
		b := append(make([]byte, 0, 256), `{"lobby_id":"`...)
		b = append(l.ID.Append(b), `","application_id":"`...)
		b = append(l.Application.Append(b), `","member":`...)
		list[i] = event(name, append(m.AppendEvent(b, s.connected(l, m)), '}'), l, users)
	}
	return list
}

// presenceEvents returns the events for a member whose client connected or disconnected: the old one and the new one.
func (s *Lobbies) presenceEvents(ctx context.Context, name string, l *lobby.Lobby, m *lobby.Member) []events.Event {
	users := s.listeners(ctx, l, l.Members)
	if len(users) == 0 {
		return nil
	}
	b := append(make([]byte, 0, 256), `{"lobby_id":"`...)
	b = append(l.ID.Append(b), `","member":`...)
	old := event(name, append(m.AppendEvent(b, s.connected(l, m)), '}'), l, users)
	return append([]events.Event{old}, s.memberEvents(ctx, "LOBBY_MEMBER_UPDATE", l, []*lobby.Member{m}, l.Members)...)
}

// messageEvent returns the event for a message of a lobby, nothing when no member listens.
func (s *Lobbies) messageEvent(ctx context.Context, name string, l *lobby.Lobby, m *lobby.Message) ([]events.Event, error) {
	users := s.listeners(ctx, l, l.Members)
	if len(users) == 0 {
		return nil, nil
	}
	if name == "LOBBY_MESSAGE_DELETE" {
		b := append(m.ID.Append([]byte(`{"id":"`)), `","lobby_id":"`...)
		return []events.Event{event(name, append(l.ID.Append(b), `"}`...), l, users)}, nil
	}
	author, err := s.author(ctx, m.Author)
	if err != nil {
		return nil, err
	}
	text := m.AppendJSON
	if name == "LOBBY_MESSAGE_UPDATE" {
		text = m.AppendUpdate
	}
	return []events.Event{event(name, text(nil, author), l, users)}, nil
}

// listeners returns those members who may hear events.
func (s *Lobbies) listeners(ctx context.Context, l *lobby.Lobby, members []*lobby.Member) []snowflake.User {
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
	return s.Listening(ctx, l.Application, users)
}

func event(name string, data []byte, l *lobby.Lobby, users []snowflake.User) events.Event {
	intent := events.Lobbies
	if name == "LOBBY_DELETE" {
		intent = events.LobbyDelete
	}
	return events.Event{Name: name, Data: data, To: events.Audience{Users: users, Application: l.Application, Intents: intent}}
}
