package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// change is what a write makes of a lobby.
type change struct {
	gone    bool            // nothing of it is left
	next    lobby.Lobby     // with the members after the change
	joined  []*lobby.Member // new, in the order in which they join
	altered []*lobby.Member
	left    []*lobby.Member
	message *lobby.Message // sent
	posted  *store.Message // the same in the linked channel; nil: it is not there
	parted  *lobby.Member  // whose last client has gone
	due     *time.Time     // when to look at the lobby; nil: as follows from the rest
}

// same reports whether the write leaves everything as it is.
func (c *change) same(base *State) bool {
	return !c.gone && c.due == nil && len(c.joined)+len(c.altered)+len(c.left) == 0 &&
		c.next.SameSettings(&base.Lobby.Lobby) && c.next.IdleSince.Equal(base.IdleSince)
}

// decision says what becomes of a lobby. It sees every write before it, also those that are on their way to the disk in
// the same commit. It may be called more than once, and only the last call counts; what it writes to the unit of work
// has to be the same each time.
type decision func(u *unit, base *State) (change, error)

// unit is one run of a unit of work.
type unit struct {
	store.Tx

	stubs []snowflake.User // that got a record
}

// update lets decide say what becomes of a lobby of an application, and makes it so.
func (s *Lobbies) update(ctx context.Context, app snowflake.Application, id snowflake.Lobby, decide decision) (*State, error) {
	ctx = context.WithoutCancel(ctx) // whoever comes later may tell of it
	var c change
	var u *unit
	return s.cache.Update(ctx, id, func(tx store.Tx, base *State) (next *State, err error) {
		u = &unit{Tx: tx}
		next, c, err = s.try(u, app, id, base, decide)
		return next, err
	}, func(before, after *State) { s.settle(ctx, before, after, u, &c) })
}

// try applies decide to base, as latest.Try wants it.
func (s *Lobbies) try(
	u *unit, app snowflake.Application, id snowflake.Lobby, base *State, decide decision,
) (next *State, c change, refusal error) {
	if base.of(app) {
		c, refusal = decide(u, base)
	} else {
		refusal = ErrUnknownLobby
	}
	if refusal != nil || c.gone || c.same(base) {
		revision, err := u.LobbyRevision(id)
		switch {
		case err != nil || revision != base.kept():
			return nil, c, err
		case refusal == nil && c.gone:
			s.IDs.Observe(base.Revision)
			return &State{Lobby: store.Lobby{Revision: s.IDs.Run(1)}, gone: true}, c, u.DeleteLobby(id)
		}
		return base, c, refusal
	}
	next, first := s.after(base, &c)
	moved, err := u.MoveLobby(base.Lobby, next.Lobby)
	if err != nil || !moved {
		return nil, c, err
	}
	return next, c, writeSeats(u, &next.Lobby.Lobby, &c, first)
}

// after returns the state after a change, and the position of the first who joins.
func (s *Lobbies) after(base *State, c *change) (*State, uint64) {
	if s.Settings.Activity == lobby.Connections && len(c.left) > 0 && s.occupied(&base.Lobby.Lobby) && !s.occupied(&c.next) {
		c.next.IdleSince = s.now() // the last of those who are there goes; else every write sets it
	}
	s.IDs.Observe(base.Revision)
	first := s.IDs.Run(1 + len(c.joined))
	next := &State{Lobby: store.Lobby{Lobby: c.next, Revision: first, Due: base.Due}}
	if len(c.altered) > 0 {
		next.texts = textsOf(next.Members)
	} else { // it takes no look at those who stay
		next.texts = base.texts + textsOf(c.joined) - textsOf(c.left)
	}
	// Due is moved to an earlier time only: to move it to a later one is left to whoever looks at it when it has come.
	due := s.lookAgain(&next.Lobby.Lobby, s.now())
	switch {
	case c.due != nil:
		next.Due = *c.due
	case next.Due.IsZero() || due.Before(next.Due):
		next.Due = due
	}
	return next, first + 1
}

// writeSeats writes what a change does to members. Those who join take positions from first on.
func writeSeats(tx store.LobbyWriter, l *lobby.Lobby, c *change, first uint64) error {
	if len(c.left) > 0 {
		ids := make([]snowflake.User, len(c.left))
		for i, m := range c.left {
			ids[i] = m.ID
		}
		if err := tx.DeleteSeats(l.ID, ids...); err != nil {
			return err
		}
	}
	if len(c.altered) > 0 {
		if err := tx.PutMembers(l.ID, c.altered...); err != nil {
			return err
		}
	}
	if len(c.joined) == 0 {
		return nil
	}
	seats := make([]store.Seat, len(c.joined))
	for i, m := range c.joined {
		seats[i] = store.Seat{Member: *m, Position: first + uint64(i)}
	}
	return tx.AddSeats(l.ID, l.Application, seats...)
}

// settle does what follows from a write that is durable.
func (s *Lobbies) settle(ctx context.Context, before, after *State, u *unit, c *change) {
	if len(u.stubs) > 0 {
		s.Directory.ForgetUsers(u.stubs...)
	}
	if before != nil && (before.Channel != after.Channel || after.gone) {
		s.channels.Forget(before.Channel, after.Channel)
	}
	if after != before {
		s.soon(after.Due)
	}
	s.tell(ctx, before, after, c)
}
