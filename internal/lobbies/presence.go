package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// maxDisconnects is the number of lobbies of a user that are written at the same time.
const maxDisconnects = 8

// Presence tells members of lobbies about clients that connect and disconnect. The gateway calls it.
type Presence struct{ states *states }

// LobbiesOf returns the lobbies of an application that a user is in, ascending by id, each as the data of LOBBY_CREATE.
// The gateway sends them in READY. The client's session must receive events before the call, so that nothing is missed.
func (s *Presence) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	var list [][]byte
	err := s.eachLobby(ctx, app, user, func(st *State, _ *lobby.Member) error {
		body, err := s.states.events.eventBody(ctx, &st.Lobby.Lobby)
		list = append(list, body)
		return err
	})
	return list, err
}

// ClientConnected publishes to the members of a user's lobbies that the user is connected. It must be called when the
// first client of the user for an application is ready, after Connected reports the user.
func (s *Presence) ClientConnected(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if s.states.Events == nil {
		return nil
	}
	return s.eachLobby(ctx, app, user, func(st *State, m *lobby.Member) error {
		s.states.events.publish(s.states.events.presenceEvents(ctx, "LOBBY_MEMBER_CONNECT", &st.Lobby.Lobby, m))
		return nil
	})
}

// ClientDisconnected publishes to the members of a user's lobbies that the user is disconnected, and restarts the idle
// time of lobbies without connected clients. It must be called when the last client of the user for an application has
// disconnected, after Connected no longer reports the user.
func (s *Presence) ClientDisconnected(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	ids, err := s.states.memberships.Load(ctx, membershipKey{app, user})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	var g errgroup.Group
	g.SetLimit(maxDisconnects)
	for _, id := range *ids {
		g.Go(func() error { return except(s.disconnect(ctx, id, user), ErrUnknownLobby) })
	}
	return g.Wait()
}

// disconnect implements ClientDisconnected for one lobby. If the store need not change, it publishes the events without
// recording them.
func (s *Presence) disconnect(ctx context.Context, id snowflake.Lobby, user snowflake.User) error {
	var unrecorded []events.Event
	err := s.states.Cache.Decide(ctx, func(ctx context.Context) (store.Change, error) {
		base, err := s.states.lobbies.Load(ctx, id)
		if err != nil {
			return store.Change{}, err
		}
		d := decision{next: base.Lobby.Lobby}
		if !s.states.events.anyConnected(ctx, &d.next) { // otherwise the sweep restarts the idle time
			d.next.IdleSince = s.states.now()
		}
		out, _, err := s.states.build(ctx, base, &d)
		unrecorded = nil
		if m := base.Member(user); m != nil {
			unrecorded = s.states.events.presenceEvents(ctx, "LOBBY_MEMBER_DISCONNECT", &d.next, m)
		}
		if !out.Empty() {
			out.Events, unrecorded = record(id, unrecorded), nil
		}
		return out, err
	})
	if err == nil {
		s.states.events.publish(unrecorded)
	}
	return err
}

// eachLobby calls fn for every lobby of an application that a user is in.
func (s *Presence) eachLobby(
	ctx context.Context, app snowflake.Application, user snowflake.User, fn func(*State, *lobby.Member) error,
) error {
	ids, err := s.states.memberships.Load(ctx, membershipKey{app, user})
	if err != nil {
		return err
	}
	for _, id := range *ids {
		st, err := s.states.load(ctx, app, id)
		if errors.Is(err, ErrUnknownLobby) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if m := st.Member(user); m != nil {
			if err := fn(st, m); err != nil {
				return err
			}
		}
	}
	return nil
}
