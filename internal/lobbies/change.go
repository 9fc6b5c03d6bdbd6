package lobbies

import (
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// change is what a decision makes of a lobby.
type change struct {
	gone    bool            // the lobby is deleted
	next    lobby.Lobby     // with the members after the change
	joined  []*lobby.Member // the last members of next
	altered []*lobby.Member
	left    []*lobby.Member
	due     *time.Time     // when to look at the lobby; nil: as follows from the rest
	message *lobby.Message // to store
	edited  bool           // message was stored before
	// beside are records that are stored with the change and are not part of the lobby.
	beside []store.Record
}

// on returns a decision about a lobby of an application, 0 for any, for cache.Decide. decide says what becomes of the lobby.
// It may run more than once. next may be nil; otherwise it is set to the state after the change, nil for a lobby that is
// deleted.
func (s *Lobbies) on(
	app snowflake.Application, id snowflake.Lobby, next **State, decide func(ctx context.Context, base *State) (change, error),
) func(context.Context) (store.Change, error) {
	return func(ctx context.Context) (store.Change, error) {
		base, err := s.lobbies.Load(ctx, id)
		if err != nil {
			return store.Change{}, err
		}
		if app != 0 && base.Application != app {
			return store.Change{}, ErrUnknownLobby
		}
		c, err := decide(ctx, base)
		if err != nil {
			return store.Change{}, err
		}
		out, after, err := s.build(ctx, base, &c)
		if next != nil {
			*next = after
		}
		return out, err
	}
}

// build returns the change to the store, and the state after it. base is the state before, an empty one for a new lobby.
// When c leaves everything as it is, the change is empty and the state is base.
func (s *Lobbies) build(ctx context.Context, base *State, c *change) (out store.Change, next *State, err error) {
	if c.gone {
		out, err = s.remove(ctx, base)
		return out, nil, err
	}
	next = s.after(base, c)
	out.Put = c.beside
	if !next.SameSettings(&base.Lobby.Lobby) || !next.IdleSince.Equal(base.IdleSince) || !next.Due.Equal(base.Due) {
		out.Put = append(out.Put, next.Lobby)
	}
	if c.message != nil {
		out.Put = append(out.Put, store.LobbyMessage{Message: *c.message})
	}
	if err := s.seat(ctx, &out, next, c); err != nil {
		return store.Change{}, nil, err
	}
	if len(out.Put) == len(c.beside) && len(out.Delete) == 0 {
		return out, base, nil
	}
	s.lobbies.Next(&out, next.ID, next)
	out.Events, err = s.eventsOf(ctx, base, next, c)
	return out, next, err
}

// after returns the state after a change.
func (s *Lobbies) after(base *State, c *change) *State {
	if s.Settings.Activity == lobby.Connections && len(c.left) > 0 && s.occupied(&base.Lobby.Lobby) && !s.occupied(&c.next) {
		c.next.IdleSince = s.now() // the last connected member leaves; other activities count every write
	}
	next := &State{Lobby: store.Lobby{Lobby: c.next, Due: base.Due}, positions: positions(base, c)}
	if len(c.altered) > 0 {
		next.texts = textsOf(next.Members)
	} else { // without a look at the members who stay
		next.texts = base.texts + textsOf(c.joined) - textsOf(c.left)
	}
	if len(c.joined)+len(c.altered)+len(c.left) == 0 && next.SameSettings(&base.Lobby.Lobby) {
		next.rendered.text.Store(base.rendered.text.Load())
	}
	// Due only moves to an earlier time here. The sweep moves it to a later one.
	due := s.lookAgain(&next.Lobby.Lobby, s.now())
	switch {
	case c.due != nil:
		next.Due = *c.due
	case next.Due.IsZero() || due.Before(next.Due):
		next.Due = due
	}
	return next
}

// positions returns the positions of the members after a change: those who stay keep theirs, in the same order, and those
// who join get larger ones.
func positions(base *State, c *change) []uint64 {
	list := base.positions
	var last uint64
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	if len(c.left) > 0 {
		stay := c.next.Members[:len(c.next.Members)-len(c.joined)]
		list = make([]uint64, 0, len(c.next.Members))
		for i, m := range base.Members {
			if len(list) < len(stay) && stay[len(list)].ID == m.ID {
				list = append(list, base.positions[i])
			}
		}
	}
	list = slices.Clip(list)
	for range c.joined {
		last++
		list = append(list, last)
	}
	return list
}

// seat adds what a change does to members: their rows, and the lists of the lobbies that they are in.
func (s *Lobbies) seat(ctx context.Context, out *store.Change, next *State, c *change) error {
	moved := slices.Concat(c.joined, c.altered, c.left)
	if len(moved) == 0 {
		return nil
	}
	lists, err := s.seatsOf(ctx, next.Application, moved)
	if err != nil {
		return err
	}
	for i, m := range moved {
		ids := *lists[i]
		switch at := slices.Index(next.Members, m); {
		case at < 0:
			out.Delete = append(out.Delete, store.SeatKey(next.Application, next.ID, m.ID))
			ids = without(ids, next.ID)
		default:
			out.Put = append(out.Put, store.Seat{
				Member: *m, Lobby: next.ID, Application: next.Application, Position: next.positions[at],
			})
			ids = with(ids, next.ID)
		}
		s.setSeats(out, seatsKey{next.Application, m.ID}, ids)
	}
	return nil
}

// loadsAtOnce bounds how many states a decision loads at the same time.
const loadsAtOnce = 8

// seatsOf returns the lists of the lobbies of an application that users are in.
func (s *Lobbies) seatsOf(
	ctx context.Context, app snowflake.Application, members []*lobby.Member,
) (lists []*[]snowflake.Lobby, err error) {
	lists = make([]*[]snowflake.Lobby, len(members))
	if len(members) == 1 {
		lists[0], err = s.seats.Load(ctx, seatsKey{app, members[0].ID})
		return lists, err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(loadsAtOnce)
	for i, m := range members {
		g.Go(func() (err error) {
			lists[i], err = s.seats.Load(ctx, seatsKey{app, m.ID})
			return err
		})
	}
	return lists, g.Wait()
}

// setSeats notes which lobbies a user is in after a change. The subject of a user who is in none does not exist.
func (s *Lobbies) setSeats(out *store.Change, key seatsKey, ids []snowflake.Lobby) {
	s.seats.Next(out, key, &ids)
	if len(ids) == 0 {
		out.Expects(s.seats.Subject(key)).Ends = true
	}
}

// with returns a list of lobbies in ascending order with one more.
func with(ids []snowflake.Lobby, id snowflake.Lobby) []snowflake.Lobby {
	at, found := slices.BinarySearch(ids, id)
	if found {
		return ids
	}
	return slices.Insert(slices.Clip(ids), at, id)
}

func without(ids []snowflake.Lobby, id snowflake.Lobby) []snowflake.Lobby {
	at, found := slices.BinarySearch(ids, id)
	if !found {
		return ids
	}
	return slices.Concat(ids[:at], ids[at+1:])
}

// remove returns the change that deletes a lobby.
func (s *Lobbies) remove(ctx context.Context, base *State) (out store.Change, err error) {
	out.Delete = []store.Key{store.LobbyKey(base.Lobby)}
	lists, err := s.seatsOf(ctx, base.Application, base.Members)
	if err != nil {
		return out, err
	}
	for i, m := range base.Members {
		s.setSeats(&out, seatsKey{base.Application, m.ID}, without(*lists[i], base.ID))
	}
	if base.Secret {
		if err := s.removeSecrets(ctx, &out, base); err != nil {
			return out, err
		}
	}
	out.Events = record(base.ID, s.deletion(ctx, &base.Lobby.Lobby, base.Members, "deleted"))
	return out, nil
}
