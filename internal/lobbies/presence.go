package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// leaveAtOnce is how many lobbies of a user are written to at the same time.
const leaveAtOnce = 8

// LobbiesOf returns the lobbies of an application that a user is in, in ascending order, each as LOBBY_CREATE shows it: a
// JSON object. The gateway shows them to a client that becomes ready. The client listens before LobbiesOf is called, so
// that what happens from then on is an event.
func (s *Lobbies) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	var shown [][]byte
	err := s.eachOf(ctx, app, user, func(st *State, _ *lobby.Member) error {
		text, err := s.form(ctx, &st.Lobby.Lobby)
		shown = append(shown, text)
		return err
	})
	return shown, err
}

// Arrived publishes to the members of a user's lobbies that a client of the user is connected. The gateway calls it when the
// first client of a user for an application has become ready. Connected reports the user by then.
func (s *Lobbies) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if s.Events == nil {
		return nil
	}
	return s.eachOf(ctx, app, user, func(st *State, m *lobby.Member) error {
		s.publish(s.presenceEvents(ctx, "LOBBY_MEMBER_CONNECT", &st.Lobby.Lobby, m))
		return nil
	})
}

// Left restarts the idle time of a user's lobbies where no client is left, and announces to the members of all of them that
// the user's client is gone. The gateway calls it when the last client of a user for an application is gone. Connected does
// not report the user any more.
func (s *Lobbies) Left(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	ids, err := s.seats.Load(ctx, seatsKey{app, user})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	var g errgroup.Group
	g.SetLimit(leaveAtOnce)
	for _, id := range *ids {
		g.Go(func() error { return except(s.disconnect(ctx, id, user), ErrUnknownLobby) })
	}
	return g.Wait()
}

// disconnect is Left for one lobby. When the store need not change, the events are published without it.
func (s *Lobbies) disconnect(ctx context.Context, id snowflake.Lobby, user snowflake.User) error {
	var unrecorded []events.Event
	err := s.Cache.Decide(ctx, func(ctx context.Context) (store.Change, error) {
		base, err := s.lobbies.Load(ctx, id)
		if err != nil {
			return store.Change{}, err
		}
		c := change{next: base.Lobby.Lobby}
		if !s.occupied(&c.next) { // otherwise it is looked at when it is due
			c.next.IdleSince = s.now()
		}
		out, _, err := s.build(ctx, base, &c)
		unrecorded = nil
		if m := base.Member(user); m != nil {
			unrecorded = s.presenceEvents(ctx, "LOBBY_MEMBER_DISCONNECT", &c.next, m)
		}
		if !out.Empty() {
			out.Events, unrecorded = record(id, unrecorded), nil
		}
		return out, err
	})
	if err == nil {
		s.publish(unrecorded)
	}
	return err
}

// occupied reports whether a client of a member is connected.
func (s *Lobbies) occupied(l *lobby.Lobby) bool {
	return slices.ContainsFunc(l.Members, func(m *lobby.Member) bool { return s.connected(l, m) })
}

// connected reports whether a client of one member is connected.
func (s *Lobbies) connected(l *lobby.Lobby, m *lobby.Member) bool {
	return s.Connected != nil && s.Connected(l.Application, m.ID)
}

// eachOf calls do with every lobby of an application that a user is in.
func (s *Lobbies) eachOf(
	ctx context.Context, app snowflake.Application, user snowflake.User, do func(*State, *lobby.Member) error,
) error {
	ids, err := s.seats.Load(ctx, seatsKey{app, user})
	if err != nil {
		return err
	}
	for _, id := range *ids {
		st, err := s.Lobby(ctx, app, id)
		if errors.Is(err, ErrUnknownLobby) {
			continue // deleted since then
		}
		if err != nil {
			return err
		}
		if m := st.Member(user); m != nil {
			if err := do(st, m); err != nil {
				return err
			}
		}
	}
	return nil
}
