package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

// leaveAtOnce is how many lobbies of a user are written to at the same time.
const leaveAtOnce = 8

// LobbiesOf returns the lobbies of an application that a user is in, in ascending order, each as LOBBY_CREATE shows it: a
// JSON object. The gateway shows them to a client that becomes ready. So that nothing is missed, the client listens before
// LobbiesOf is called: what happens from then on is an event.
func (s *Lobbies) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	var shown [][]byte
	err := s.eachOf(ctx, app, user, func(st *State, _ *lobby.Member) {
		shown = append(shown, s.form(ctx, &st.Lobby.Lobby))
	})
	return shown, err
}

// Arrived tells the members of a user's lobbies that a client of the user is there. The gateway calls it when the first
// client of a user for an application has become ready. Connected reports the user by then.
func (s *Lobbies) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if s.Events == nil {
		return nil
	}
	return s.eachOf(ctx, app, user, func(st *State, m *lobby.Member) {
		s.tellPresence("LOBBY_MEMBER_CONNECT", &st.Lobby.Lobby, m)
	})
}

// Left restarts the idle time of a user's lobbies where nobody else is, and tells the members of all of them. The gateway
// calls it when the last client of a user for an application has gone. Connected does not report the user any more.
func (s *Lobbies) Left(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	ids, err := s.idsOf(ctx, app, user)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(leaveAtOnce)
	for _, id := range ids {
		g.Go(func() error {
			_, err := s.update(ctx, app, id, func(_ *unit, base *State) (change, error) {
				c := change{next: base.Lobby.Lobby, parted: base.Member(user)}
				if !s.occupied(&c.next) { // else it is looked at when it is due
					c.next.IdleSince = s.now()
				}
				return c, nil
			})
			return except(err, ErrUnknownLobby)
		})
	}
	return g.Wait()
}

// occupied reports whether a client of a member is there.
func (s *Lobbies) occupied(l *lobby.Lobby) bool {
	return slices.ContainsFunc(l.Members, func(m *lobby.Member) bool { return s.connected(l, m) })
}

// connected reports whether a client of one member is there.
func (s *Lobbies) connected(l *lobby.Lobby, m *lobby.Member) bool {
	return s.Connected != nil && s.Connected(l.Application, m.ID)
}

// eachOf gives every lobby of an application that a user is in to do.
func (s *Lobbies) eachOf(
	ctx context.Context, app snowflake.Application, user snowflake.User, do func(*State, *lobby.Member),
) error {
	ids, err := s.idsOf(ctx, app, user)
	if err != nil {
		return err
	}
	for _, id := range ids {
		st, err := s.Lobby(ctx, app, id)
		if errors.Is(err, ErrUnknownLobby) {
			continue // gone in the meantime
		}
		if err != nil {
			return err
		}
		if m := st.Member(user); m != nil {
			do(st, m)
		}
	}
	return nil
}

func (s *Lobbies) idsOf(ctx context.Context, app snowflake.Application, user snowflake.User) (ids []snowflake.Lobby, err error) {
	err = s.Store.View(ctx, func(r store.Reader) error {
		ids, err = r.LobbiesOf(app, user)
		return err
	})
	return ids, err
}
