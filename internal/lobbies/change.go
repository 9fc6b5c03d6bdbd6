package lobbies

import (
	"context"
	"fmt"
	"slices"
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
	due     *time.Time     // when to look at the lobby; nil: as follows from the rest
}

// same reports whether the write leaves everything as it is.
func (c *change) same(base *State) bool {
	return !c.gone && c.due == nil && len(c.joined)+len(c.altered)+len(c.left) == 0 && rowEqual(&c.next, &base.Lobby.Lobby)
}

// rowEqual reports whether two lobbies are the same but for their members.
func rowEqual(a, b *lobby.Lobby) bool {
	return a.Metadata == b.Metadata && a.Flags == b.Flags && a.IdleTimeout == b.IdleTimeout && a.IdleSince.Equal(b.IdleSince) &&
		a.WebhooksURL == b.WebhooksURL && a.Secret == b.Secret && a.Channel == b.Channel
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
//
// The state that decide sees is kept in memory, not read from the store each time. That is a guess, and the store
// judges it: the lobby moves from that state's revision or not at all. When it does not, the state is read inside the
// unit of work, where nobody else can change it.
func (s *Lobbies) update(ctx context.Context, app snowflake.Application, id snowflake.Lobby, decide decision) (*State, error) {
	e := s.cache.pin(id)
	defer s.cache.unpin(e)
	during := e.era()
	var before, next *State
	var c change
	var u *unit
	var refusal error
	// A write that has begun is finished: its caller may have gone, but whether it took effect must be known here.
	err := s.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) (err error) {
		u = &unit{Tx: tx}
		next, refusal = nil, nil
		if before = e.base(); before != nil {
			if next, c, refusal, err = s.try(u, app, id, before, decide); err != nil {
				return err
			}
		}
		if next == nil {
			if before, err = readState(tx, id); err != nil {
				return err
			}
			if next, c, refusal, err = s.try(u, app, id, before, decide); err != nil {
				return err
			}
		}
		if next == nil {
			return fmt.Errorf("lobby %v moved within a unit of work", id)
		}
		e.setTip(next)
		return refusal
	})
	if err != nil {
		e.unsettle(next)
		return nil, err
	}
	s.settle(u)
	e.wrote(next, during)
	if next != before {
		s.soon(next.Due)
	}
	s.announce(ctx, before, next, &c)
	return next, nil
}

// try applies decide to base. It returns the state after it, which is base itself when nothing changes or decide refuses,
// or nil when base was not the lobby's true state and what was decided counts for nothing.
func (s *Lobbies) try(
	u *unit, app snowflake.Application, id snowflake.Lobby, base *State, decide decision,
) (next *State, c change, refusal, err error) {
	if base.Revision == 0 || base.Application != app {
		refusal = ErrUnknownLobby
	} else {
		c, refusal = decide(u, base)
	}
	if refusal != nil || c.same(base) {
		revision, err := u.LobbyRevision(id)
		if err != nil || revision != base.Revision {
			return nil, c, nil, err
		}
		return base, c, refusal, nil
	}
	if c.gone {
		revision, err := u.LobbyRevision(id)
		if err != nil || revision != base.Revision {
			return nil, c, nil, err
		}
		return &State{}, c, nil, u.DeleteLobby(id)
	}
	next, first := s.after(base, &c)
	moved, err := u.MoveLobby(base.Lobby, next.Lobby)
	if err != nil || !moved {
		return nil, c, nil, err
	}
	return next, c, nil, writeSeats(u, &next.Lobby.Lobby, &c, first)
}

// after returns the state after a change, and the position of the first who joins.
func (s *Lobbies) after(base *State, c *change) (*State, uint64) {
	s.IDs.Observe(base.Revision)
	first := s.IDs.Run(1 + len(c.joined))
	next := &State{Lobby: store.Lobby{Lobby: c.next, Revision: first, Due: base.Due}}
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
	put := slices.Concat(c.joined, c.altered)
	if len(put) == 0 {
		return nil
	}
	seats := make([]store.Seat, len(put))
	for i, m := range put {
		seats[i] = store.Seat{Member: *m, Position: first + uint64(i)}
	}
	return tx.PutSeats(l.ID, l.Application, seats...)
}

// settle tells of users that got a record.
func (s *Lobbies) settle(u *unit) {
	if len(u.stubs) > 0 && s.AfterStubs != nil {
		s.AfterStubs(u.stubs...)
	}
}
