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

// standings says of each entry of a list whether that user may become a member. Nothing stands against members of old,
// which may be nil.
func (s *Lobbies) standings(u *unit, app snowflake.Application, list []lobby.Entry, old *lobby.Lobby) ([]store.Standing, error) {
	standings := make([]store.Standing, len(list))
	users := make([]snowflake.User, 0, len(list))
	for i, e := range list {
		if standings[i] = store.Free; old == nil || old.Member(e.ID) == nil {
			users = append(users, e.ID)
		}
	}
	if len(users) == 0 {
		return standings, nil
	}
	found, err := u.Standings(app, s.Settings.MaxPerUser, users...)
	if err != nil {
		return nil, err
	}
	for i, n := 0, 0; n < len(users); i++ {
		if list[i].ID == users[n] {
			standings[i] = found[n]
			n++
		}
	}
	return standings, nil
}

// admit lets a user in who stands as given, or says why not. A bot is noted at t.
func (s *Lobbies) admit(u *unit, user snowflake.User, standing store.Standing, t *problem.Tree) error {
	switch standing {
	case store.Stranger:
		return s.meet(u, user, t)
	case store.Taken:
		return &LimitError{"lobbies", s.Settings.MaxPerUser}
	case store.Free:
	}
	return nil
}

// admitOne is admit for a user alone.
func (s *Lobbies) admitOne(u *unit, app snowflake.Application, user snowflake.User, t *problem.Tree) error {
	standings, err := u.Standings(app, s.Settings.MaxPerUser, user)
	if err != nil {
		return err
	}
	return s.admit(u, user, standings[0], t)
}

// meet gives a user a record when that is the setting. A bot is noted at t.
func (s *Lobbies) meet(u *unit, user snowflake.User, t *problem.Tree) error {
	if user == 0 {
		return directory.ErrUnknownUser // names nobody
	}
	_, err := u.Application(snowflake.Application(user))
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
