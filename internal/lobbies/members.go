package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// PutMember makes a user a member of a lobby, or changes the member it is already.
func (s *Lobbies) PutMember(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body form.Value,
) (*lobby.Member, error) {
	entry, err := lobby.ReadMember(user, body)
	if err != nil {
		return nil, err
	}
	var m *lobby.Member
	_, err = s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: s.Settings.Activity.Touch(base.Lobby.Lobby, s.now())}
		old := base.Member(user)
		if m = entry.Put(old); m == old {
			return c, nil
		}
		c.next.Members = c.next.With(m)
		if old != nil {
			c.altered = []*lobby.Member{m}
			return c, nil
		}
		c.joined = []*lobby.Member{m}
		var t problem.Tree
		if err := s.admitOne(u, app, user, t.At("user_id")); err != nil {
			return change{}, err
		}
		return c, errors.Join(t.Err(), room(&c.next))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// RemoveMember takes a user out of a lobby. One who is no member is out already.
func (s *Lobbies) RemoveMember(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	_, err := s.update(ctx, app, id, func(_ *unit, base *State) (change, error) { return s.without(base, user), nil })
	return err
}

// Leave takes a user out of a lobby by its own wish, which only lobbies of secrets allow.
func (s *Lobbies) Leave(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	_, err := s.update(ctx, app, id, func(_ *unit, base *State) (change, error) {
		if !base.Secret && base.Member(user) != nil {
			return change{}, ErrNotLeavable
		}
		return s.without(base, user), nil
	})
	return err
}

// without returns the change that takes a user out. To take out who is no member is no activity.
func (s *Lobbies) without(base *State, user snowflake.User) change {
	c := change{next: base.Lobby.Lobby}
	if m := base.Member(user); m != nil {
		c.next = s.Settings.Activity.Touch(c.next, s.now())
		c.next.Members = base.Without(user)
		c.left = []*lobby.Member{m}
	}
	return c
}

// Bulk puts and removes many members, all of it or nothing, and returns those who were put and are members. Users who
// are in too many lobbies already are passed over.
func (s *Lobbies) Bulk(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, body form.Value,
) ([]*lobby.Member, error) {
	entries, err := lobby.ReadBulk(body)
	if err != nil {
		return nil, err
	}
	next, err := s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: s.Settings.Activity.Touch(base.Lobby.Lobby, s.now())}
		standings, err := s.standings(u, app, entries, &base.Lobby.Lobby)
		if err != nil {
			return change{}, err
		}
		var t problem.Tree
		for i, e := range entries {
			if err := s.applyEntry(u, &c.next, e, standings[i], t.Index(e.Index)); err != nil {
				return change{}, err
			}
		}
		c.next.Members = inPlace(base.Members, c.next.Members)
		c.sort(&base.Lobby.Lobby)
		return c, errors.Join(t.Err(), room(&c.next))
	})
	if err != nil {
		return nil, err
	}
	return putMembers(&next.Lobby.Lobby, entries), nil
}

// applyEntry does to l what an entry of a bulk request says, whose user stands as given. A bot is noted at t.
func (s *Lobbies) applyEntry(u *unit, l *lobby.Lobby, e lobby.Entry, standing store.Standing, t *problem.Tree) error {
	if e.Remove {
		if standing == store.Stranger && s.Settings.Users == Strict {
			return s.meet(u, e.ID, new(problem.Tree)) // a bot is no member, and nothing is to be said against that
		}
		l.Members = l.Without(e.ID)
		return nil
	}
	old := l.Member(e.ID)
	if old == nil {
		err := s.admit(u, e.ID, standing, t)
		if _, many := errors.AsType[*LimitError](err); many {
			return nil // passed over
		}
		if err != nil {
			return err
		}
	}
	if m := e.Put(old); m != old {
		l.Members = l.With(m)
	}
	return nil
}

// inPlace returns now with those who were there before at their places, in front of those who are new: whoever goes and
// comes back within one request has not moved.
func inPlace(before, now []*lobby.Member) []*lobby.Member {
	there := make(map[snowflake.User]*lobby.Member, len(now))
	for _, m := range now {
		there[m.ID] = m
	}
	members := make([]*lobby.Member, 0, len(now))
	for _, m := range before {
		if kept := there[m.ID]; kept != nil {
			members = append(members, kept)
			delete(there, m.ID)
		}
	}
	for _, m := range now {
		if there[m.ID] != nil {
			members = append(members, m)
		}
	}
	return members
}

// putMembers returns the members that a bulk request has put, each where the request names it last.
func putMembers(l *lobby.Lobby, entries []lobby.Entry) []*lobby.Member {
	var put []*lobby.Member
	for i, e := range entries {
		later := slices.ContainsFunc(entries[i+1:], func(o lobby.Entry) bool { return o.ID == e.ID })
		if m := l.Member(e.ID); m != nil && !e.Remove && !later {
			put = append(put, m)
		}
	}
	return put
}
