package lobbies

import (
	"context"
	"crypto/sha256"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Join makes a user a member of the lobby of a secret. It makes the lobby when there is none.
func (s *Lobbies) Join(ctx context.Context, app snowflake.Application, user snowflake.User, body jsonbody.Value) (*State, error) {
	j, err := lobby.ReadJoin(body)
	if err != nil {
		return nil, err
	}
	k := secretKey{app, sha256.Sum256([]byte(j.Secret))}
	id := snowflake.Lobby(s.IDs.Next()) // of the lobby that is made, if any
	var next *State
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (out store.Change, err error) {
		base, err := s.behind(ctx, k)
		if err != nil {
			return out, err
		}
		if base == nil {
			out, next, err = s.open(ctx, k, id, user, j)
			return out, err
		}
		c, err := s.enter(ctx, base, user, j)
		if err != nil {
			return out, err
		}
		out, next, err = s.build(ctx, base, &c)
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// enter makes a user a member of a lobby, or changes the member that the user is.
func (s *Lobbies) enter(ctx context.Context, base *State, user snowflake.User, j lobby.Join) (change, error) {
	c := change{next: s.apply(&base.Lobby.Lobby, j.Lobby)}
	old := base.Member(user)
	if old == nil {
		if err := s.admitCaller(ctx, &c, base.Application, user); err != nil {
			return c, err
		}
	}
	if m := (lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(old); m != old {
		c.next.Members = c.next.With(m)
		c.sort(&base.Lobby.Lobby)
	}
	return c, room(&c.next)
}

// open makes the lobby of a secret with a user as its only member. The commit expects the secret to lead nowhere, so that of
// two users who come at once one makes the lobby and the other enters it.
func (s *Lobbies) open(
	ctx context.Context, k secretKey, id snowflake.Lobby, user snowflake.User, j lobby.Join,
) (out store.Change, made *State, err error) {
	c, err := s.begin(ctx, k.app, id, j.Lobby)
	if err != nil {
		return out, nil, err
	}
	if err := s.admitCaller(ctx, &c, k.app, user); err != nil {
		return out, nil, err
	}
	c.next.Secret = true
	c.next.Members = []*lobby.Member{(lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(nil)}
	c.joined = c.next.Members
	secret := store.LobbySecret{Application: k.app, Hash: k.hash, Lobby: id, Made: c.next.IdleSince}
	c.beside = append(c.beside, secret)
	out, made, err = s.build(ctx, &State{}, &c)
	s.secrets.Next(&out, k, &secret)
	return out, made, err
}
