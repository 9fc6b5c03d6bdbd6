package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// maxFarewells is how many lobbies of an application that is deleted are told of one by one. Who is in another learns of it
// all the same: with the application its clients go.
const maxFarewells = 1000

// UserGoes is called within the unit of work that deletes a user, before it does. What it returns is called when that is
// durable, and tells the members of the lobbies that the user was in.
func (s *Lobbies) UserGoes(r store.Reader, user snowflake.User) (tell func(context.Context), err error) {
	ids, err := r.LobbiesWith(user)
	if err != nil {
		return nil, err
	}
	were := make([]store.Lobby, len(ids))
	for i, id := range ids {
		if were[i], err = r.Lobby(id); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) {
		for _, l := range were {
			s.bereave(ctx, l, user)
		}
	}, nil
}

// bereave tells the members of a lobby that one of them is gone. If nobody else is there the lobby is idle from then on.
func (s *Lobbies) bereave(ctx context.Context, was store.Lobby, user snowflake.User) {
	c := change{next: was.Lobby, left: []*lobby.Member{was.Member(user)}}
	c.next.Members = was.Without(user)
	s.tell(ctx, &State{Lobby: was}, &State{Lobby: store.Lobby{Lobby: c.next}}, &c)
	if !s.occupied(&was.Lobby) {
		return
	}
	_, err := s.update(ctx, was.Application, was.ID, func(_ *unit, base *State) (change, error) {
		c := change{next: base.Lobby.Lobby}
		if !s.occupied(&c.next) {
			c.next.IdleSince = s.now()
		}
		return c, nil
	})
	if err != nil && !errors.Is(err, ErrUnknownLobby) {
		s.Log.ErrorContext(ctx, "the idle time of a lobby was not restarted", "lobby", was.ID, "err", err)
	}
}

// ApplicationGoes is called within the unit of work that deletes an application with its lobbies, before it does. What it
// returns is called when that is durable, and tells the members.
func (s *Lobbies) ApplicationGoes(r store.Reader, app snowflake.Application) (tell func(context.Context), err error) {
	var were []lobby.Lobby // with those who listen
	if s.Events != nil {
		ids, err := r.NewestLobbies(app, 0, maxFarewells)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			l, err := r.Lobby(id)
			if err != nil {
				return nil, err
			}
			if len(s.listeners(&l.Lobby, l.Members)) > 0 {
				were = append(were, l.Lobby)
			}
		}
	}
	return func(context.Context) {
		for i := range were {
			s.tellDeleted(&were[i], were[i].Members, "deleted")
		}
	}, nil
}

// Unlink unlinks a lobby whose channel is gone. When it fails it is done when the lobby is looked at next.
func (s *Lobbies) Unlink(ctx context.Context, id snowflake.Lobby) {
	st, err := s.cache.Get(ctx, id)
	if err == nil && !st.gone {
		_, err = s.update(ctx, st.Application, id, func(u *unit, base *State) (change, error) {
			c := change{next: base.Lobby.Lobby}
			return c, unlinkLost(u, &c.next, s.now())
		})
	}
	if err != nil && !errors.Is(err, ErrUnknownLobby) {
		s.Log.ErrorContext(ctx, "a lobby is still linked with a channel that is gone", "lobby", id, "err", err)
	}
}
