package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Kind says what happened to a lobby.
type Kind uint8

// What can happen.
const (
	MemberAdded Kind = iota + 1
	MemberUpdated
	MemberRemoved
	LobbyUpdated
	LobbyDeleted
	MessageSent
	MessageUpdated
)

// Event is something that happened to a lobby. It is shared by all who hear of it: nobody changes it.
type Event struct {
	Kind Kind
	// Lobby is the lobby after the event; after LobbyDeleted it is the last there was.
	Lobby *lobby.Lobby
	// Revision grows with every event that changed the lobby: of two the larger one is the later.
	Revision uint64
	Member   *lobby.Member  // of events on members
	Message  *lobby.Message // of events on messages
}

// Announcer tells others what happened. It does not wait.
type Announcer interface {
	LobbyEvent(ctx context.Context, e Event)
}

// announce tells what a write has done.
func (s *Lobbies) announce(ctx context.Context, before, after *State, c *change) {
	if s.Events == nil {
		return
	}
	tell := func(kind Kind, st *State, m *lobby.Member) {
		s.Events.LobbyEvent(ctx, Event{Kind: kind, Lobby: &st.Lobby.Lobby, Revision: st.Revision, Member: m, Message: c.message})
	}
	switch {
	case c.gone:
		tell(LobbyDeleted, before, nil)
		return
	case c.message != nil:
		tell(MessageSent, after, nil)
		return
	case before != nil && !shown(&before.Lobby.Lobby, &after.Lobby.Lobby):
		tell(LobbyUpdated, after, nil)
	}
	for _, of := range []struct {
		kind    Kind
		members []*lobby.Member
	}{{MemberRemoved, c.left}, {MemberAdded, c.joined}, {MemberUpdated, c.altered}} {
		for _, m := range of.members {
			tell(of.kind, after, m)
		}
	}
}

// shown reports whether two states of a lobby look the same to its members, the list of members aside.
func shown(a, b *lobby.Lobby) bool {
	return a.Metadata == b.Metadata && a.Flags == b.Flags && a.Channel == b.Channel
}

// messageAt returns the smallest id of a message that is made at or after a moment.
func messageAt(ms int64) snowflake.Message {
	return snowflake.Message(max(ms-snowflake.Epoch, 0) << 22)
}
