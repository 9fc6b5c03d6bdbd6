package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// admit checks that a user can become a member of one more lobby of an application. It adds an unknown user to the change
// when that is the setting. A bot is a finding at t.
func (s *Lobbies) admit(ctx context.Context, c *change, app snowflake.Application, user snowflake.User, t *jsonbody.Tree) error {
	u, err := s.user(ctx, user)
	switch {
	case errors.Is(err, directory.ErrUnknownUser) && user != 0 && s.Settings.Users == Auto:
		return s.addUser(ctx, c, user)
	case err != nil:
		return err
	case u.Bot:
		t.Add(lobby.BotMember, "Bots cannot be members of a lobby.")
		return nil
	}
	ids, err := s.seats.Load(ctx, seatsKey{app, user})
	if err == nil && len(*ids) >= s.Settings.MaxPerUser {
		err = &LimitError{"lobbies", s.Settings.MaxPerUser}
	}
	return err
}

// user returns a user or a bot. The id 0 names no user.
func (s *Lobbies) user(ctx context.Context, id snowflake.User) (*directory.User, error) {
	if id == 0 {
		return nil, directory.ErrUnknownUser
	}
	return s.Directory.User(ctx, id)
}

// addUser adds a new user to the change. A deleted user whose records are still being removed stays unknown until then.
func (s *Lobbies) addUser(ctx context.Context, c *change, id snowflake.User) error {
	for _, r := range c.beside {
		if u, ok := r.(store.User); ok && u.ID == id {
			return nil
		}
	}
	deleted := false
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		deleted, err = r.Directory.Tombstone(store.Tombstone{Kind: store.KindUser, ID: uint64(id)})
		return err
	})
	if err == nil && deleted {
		err = directory.ErrUnknownUser
	}
	c.beside = append(c.beside, store.User{ID: id, Username: "user" + id.String(), Locale: locale.EnglishUS})
	return err
}

// admitAll checks that the users in a list who are not members of old, which may be nil, can become members. A bot is a
// finding at its place in the list.
func (s *Lobbies) admitAll(
	ctx context.Context, c *change, app snowflake.Application, list []lobby.Entry, old *lobby.Lobby,
) error {
	var t jsonbody.Tree
	for _, e := range list {
		if old != nil && old.Member(e.ID) != nil {
			continue
		}
		if err := s.admit(ctx, c, app, e.ID, t.At("members").Index(e.Index)); err != nil {
			return err
		}
	}
	return t.Err()
}

// admitCaller checks that the caller can become a member of one more lobby.
func (s *Lobbies) admitCaller(ctx context.Context, c *change, app snowflake.Application, user snowflake.User) error {
	var t jsonbody.Tree
	if err := s.admit(ctx, c, app, user, &t); err != nil {
		return err
	}
	return t.Err()
}

// room checks that a lobby has not too many members.
func room(l *lobby.Lobby) error {
	if len(l.Members) > lobby.MaxMembers {
		return &LimitError{"members", lobby.MaxMembers}
	}
	return nil
}

// except returns err unless it is the given one.
func except(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}
