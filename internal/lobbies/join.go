package lobbies

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// errTaken says that a secret leads to a lobby already.
var errTaken = errors.New("the secret leads to a lobby")

// Join makes a user a member of the lobby of a secret, which is made when there is none.
func (s *Lobbies) Join(ctx context.Context, app snowflake.Application, user snowflake.User, body form.Value) (*State, error) {
	j, err := lobby.ReadJoin(body)
	if err != nil {
		return nil, err
	}
	hash := store.SecretHash(sha256.Sum256([]byte(j.Secret)))
	for {
		id, err := s.behind(ctx, app, hash)
		if err != nil {
			return nil, err
		}
		var st *State
		if id != 0 {
			st, err = s.enter(ctx, app, id, user, j)
		} else {
			st, err = s.open(ctx, app, hash, user, j)
		}
		if errors.Is(err, errTaken) || errors.Is(err, ErrUnknownLobby) {
			continue // it has just been made, or has just gone: look again
		}
		return st, err
	}
}

// behind returns the lobby that a secret leads to, 0 for none.
func (s *Lobbies) behind(ctx context.Context, app snowflake.Application, hash store.SecretHash) (id snowflake.Lobby, err error) {
	err = s.Store.View(ctx, func(r store.Reader) error {
		id, err = s.follow(r, app, hash)
		return err
	})
	return id, err
}

func (s *Lobbies) follow(r store.LobbyReader, app snowflake.Application, hash store.SecretHash) (snowflake.Lobby, error) {
	secret, err := r.LobbySecret(app, hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.now().Before(secret.Made.Add(lobby.SecretLife)) {
		return 0, nil
	}
	return secret.Lobby, err
}

// enter makes a user a member of a lobby, or changes the member it is.
func (s *Lobbies) enter(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, j lobby.Join,
) (*State, error) {
	return s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: s.apply(&base.Lobby.Lobby, j.Lobby)}
		old := base.Member(user)
		if old == nil {
			if err := s.admitCaller(u, app, user); err != nil {
				return change{}, err
			}
		}
		if m := (lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(old); m != old {
			c.next.Members = c.next.With(m)
			c.sort(&base.Lobby.Lobby)
		}
		return c, room(&c.next)
	})
}

// open makes the lobby of a secret with a user as its only member.
func (s *Lobbies) open(
	ctx context.Context, app snowflake.Application, hash store.SecretHash, user snowflake.User, j lobby.Join,
) (*State, error) {
	return s.create(ctx, app, func(u *unit, empty lobby.Lobby) (change, error) {
		if id, err := s.follow(u, app, hash); err != nil || id != 0 {
			return change{}, errors.Join(err, errTaken)
		}
		if err := s.admitCaller(u, app, user); err != nil {
			return change{}, err
		}
		c := change{next: j.Lobby.Apply(empty)}
		c.next.Secret = true
		c.next.Members = []*lobby.Member{(lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(nil)}
		c.joined = c.next.Members
		return c, u.PutLobbySecret(store.LobbySecret{Application: app, Hash: hash, Lobby: empty.ID, Made: empty.IdleSince})
	})
}

// admitCaller checks that whoever calls can become a member of one more lobby.
func (s *Lobbies) admitCaller(u *unit, app snowflake.Application, user snowflake.User) error {
	var t problem.Tree
	if err := s.admitOne(u, app, user, &t); err != nil {
		return err
	}
	return t.Err()
}
