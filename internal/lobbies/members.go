package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// PutMember makes a user a member of a lobby, or changes the member that the user is already.
func (s *Lobbies) PutMember(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*lobby.Member, error) {
	entry, err := lobby.ReadMember(user, body)
	if err != nil {
		return nil, err
	}
	var m *lobby.Member
	err = s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, nil, func(ctx context.Context, base *State) (change, error) {
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
		var t jsonbody.Tree
		if err := s.admit(ctx, &c, app, user, t.At("user_id")); err != nil {
			return change{}, err
		}
		return c, errors.Join(t.Err(), room(&c.next))
	}))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// RemoveMember takes a user out of a lobby. A user who is not a member is no error.
func (s *Lobbies) RemoveMember(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, nil, func(_ context.Context, base *State) (change, error) {
		return s.without(base, user), nil
	}))
}

// Leave takes the caller out of a lobby. Only lobbies that were made by a secret allow that.
func (s *Lobbies) Leave(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, nil, func(_ context.Context, base *State) (change, error) {
		if !base.Secret && base.Member(user) != nil {
			return change{}, ErrNotLeavable
		}
		return s.without(base, user), nil
	}))
}

// without returns the change that takes a user out. It is no activity when the user is not a member.
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
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, body jsonbody.Value,
) ([]*lobby.Member, error) {
	entries, err := lobby.ReadBulk(body)
	if err != nil {
		return nil, err
	}
	var next *State
	err = s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, &next, func(ctx context.Context, base *State) (change, error) {
		c := change{next: s.Settings.Activity.Touch(base.Lobby.Lobby, s.now())}
		var t jsonbody.Tree
		for _, e := range entries {
			if err := s.applyEntry(ctx, &c, base, e, t.Index(e.Index)); err != nil {
				return change{}, err
			}
		}
		c.next.Members = inPlace(base.Members, c.next.Members)
		c.sort(&base.Lobby.Lobby)
		return c, errors.Join(t.Err(), room(&c.next))
	}))
	if err != nil {
		return nil, err
	}
	return putMembers(&next.Lobby.Lobby, entries), nil
}

// applyEntry adds to c what an entry of a bulk request says. A bot is a finding at t. Members of base are admitted already,
// also when an earlier entry removed them.
func (s *Lobbies) applyEntry(ctx context.Context, c *change, base *State, e lobby.Entry, t *jsonbody.Tree) error {
	member := base.Member(e.ID) != nil
	if e.Remove {
		if !member && s.Settings.Users == Strict {
			if _, err := s.user(ctx, e.ID); err != nil {
				return err
			}
		}
		c.next.Members = c.next.Without(e.ID)
		return nil
	}
	old := c.next.Member(e.ID)
	if old == nil && !member {
		err := s.admit(ctx, c, base.Application, e.ID, t)
		if _, many := errors.AsType[*LimitError](err); many {
			return nil // passed over
		}
		if err != nil {
			return err
		}
	}
	if m := e.Put(old); m != old {
		c.next.Members = c.next.With(m)
	}
	return nil
}

// inPlace returns now with the members of before at their places, in front of new members. A member who leaves and comes back
// within one request keeps the place.
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
