package lobbies

import (
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// admit checks that a user can become a member of one more lobby of an application. A bot is noted at t.
func (s *Lobbies) admit(u *unit, app snowflake.Application, user snowflake.User, t *problem.Tree) error {
	if err := s.known(u, user, t); err != nil {
		return err
	}
	n, err := u.LobbyCount(app, user)
	if err != nil {
		return err
	}
	if n >= s.Settings.MaxPerUser {
		return &LimitError{"lobbies", s.Settings.MaxPerUser}
	}
	return nil
}

// known checks that the directory has a user, or gives it a record when that is the setting. A bot is noted at t.
func (s *Lobbies) known(u *unit, user snowflake.User, t *problem.Tree) error {
	if user == 0 {
		return directory.ErrUnknownUser // names nobody
	}
	_, err := u.User(user)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	_, err = u.Application(snowflake.Application(user))
	switch {
	case err == nil:
		t.Add(lobby.BotMember, "Bots cannot be members of a lobby.")
		return nil
	case !errors.Is(err, store.ErrNotFound):
		return err
	case s.Settings.Users == Strict:
		return directory.ErrUnknownUser
	}
	u.stubs = append(u.stubs, user)
	return u.PutUser(store.User{ID: user, Username: "user" + user.String(), Locale: locale.EnglishUS})
}

// room checks that a lobby is not overfull.
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
