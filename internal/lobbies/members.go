package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Members changes the members of lobbies.
type Members struct {
	states    *states
	admission *admission
}

// Put makes a user a member of a lobby, or changes the user's member.
func (s *Members) Put(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User, body jsonbody.Value,
) (*lobby.Member, error) {
	entry, err := lobby.ReadMember(user, body)
	if err != nil {
		return nil, err
	}
	about := hooks.LobbyData{Application: app, Lobby: id, User: user, Metadata: shownMetadata(entry.Metadata)}
	changed, err := s.states.Hooks.Before(ctx, hooks.LobbyJoin, about)
	if err != nil {
		return nil, err
	}
	if changed.Changes("metadata") {
		if entry, err = lobby.ReadMember(user, changed.Apply(body, "metadata", "metadata")); err != nil {
			return nil, err
		}
	}
	var m *lobby.Member
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, nil, func(ctx context.Context, base *State) (d decision, err error) {
		d, m = putMember(base, entry, s.states.Settings.Activity, s.states.now())
		if len(d.joined) == 0 {
			return d, nil
		}
		var t jsonbody.Tree
		if err := s.admission.check(ctx, &d, app, user, t.At("user_id")); err != nil {
			return decision{}, err
		}
		return d, errors.Join(t.Err(), checkSize(&d.next))
	}))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Remove removes a member from a lobby. It does nothing if the user is not a member.
func (s *Members) Remove(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	if _, err := s.states.Hooks.Before(ctx, hooks.LobbyLeave, hooks.LobbyData{Application: app, Lobby: id, User: user}); err != nil {
		return err
	}
	return s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, nil, func(_ context.Context, base *State) (decision, error) {
		return removeMember(base, user, s.states.Settings.Activity, s.states.now()), nil
	}))
}

// Leave removes the caller from a lobby. Only a lobby that was created with a secret can be left.
func (s *Members) Leave(ctx context.Context, app snowflake.Application, id snowflake.Lobby, user snowflake.User) error {
	if _, err := s.states.Hooks.Before(ctx, hooks.LobbyLeave, hooks.LobbyData{Application: app, Lobby: id, User: user}); err != nil {
		return err
	}
	return s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, nil, func(_ context.Context, base *State) (decision, error) {
		if !base.Secret && base.Member(user) != nil {
			return decision{}, ErrNotLeavable
		}
		return removeMember(base, user, s.states.Settings.Activity, s.states.now()), nil
	}))
}

// Bulk adds, changes and removes many members, all or none, and returns the members that it has put. It skips users who
// are in too many lobbies already.
func (s *Members) Bulk(
	ctx context.Context, app snowflake.Application, id snowflake.Lobby, body jsonbody.Value,
) ([]*lobby.Member, error) {
	entries, err := lobby.ReadBulk(body)
	if err != nil {
		return nil, err
	}
	if entries, err = s.states.askEach(ctx, app, id, entries); err != nil {
		return nil, err
	}
	var next *State
	err = s.states.Cache.Decide(context.WithoutCancel(ctx), s.states.decider(app, id, &next, func(ctx context.Context, base *State) (decision, error) {
		d := decision{next: s.states.Settings.Activity.Touch(base.Lobby.Lobby, s.states.now())}
		var t jsonbody.Tree
		for _, e := range entries {
			if err := s.applyEntry(ctx, &d, base, e, t.Index(e.Index)); err != nil {
				return decision{}, err
			}
		}
		d.next.Members = keepOrder(base.Members, d.next.Members)
		d.compareMembers(&base.Lobby.Lobby)
		return d, errors.Join(t.Err(), checkSize(&d.next))
	}))
	if err != nil {
		return nil, err
	}
	return putMembers(&next.Lobby.Lobby, entries), nil
}

// applyEntry applies an entry of a bulk request. A bot is a finding at t. Members of base need no check, even if an
// earlier entry removed them.
func (s *Members) applyEntry(ctx context.Context, d *decision, base *State, e lobby.Entry, t *jsonbody.Tree) error {
	isMember := base.Member(e.ID) != nil
	if e.Remove {
		if !isMember && s.states.Settings.Users == Strict {
			if _, err := s.admission.user(ctx, e.ID); err != nil {
				return err
			}
		}
		d.next.Members = d.next.Without(e.ID)
		return nil
	}
	old := d.next.Member(e.ID)
	if old == nil && !isMember {
		err := s.admission.check(ctx, d, base.Application, e.ID, t)
		if _, limited := errors.AsType[*LimitError](err); limited {
			return nil // skipped
		}
		if err != nil {
			return err
		}
	}
	if m := e.Amend(old); m != old {
		d.next.Members = d.next.With(m)
	}
	return nil
}

// keepOrder returns the members of after: first those of before, in their order, then new ones. A member who is removed
// and added within one request keeps the place.
func keepOrder(before, after []*lobby.Member) []*lobby.Member {
	remaining := make(map[snowflake.User]*lobby.Member, len(after))
	for _, m := range after {
		remaining[m.ID] = m
	}
	members := make([]*lobby.Member, 0, len(after))
	for _, m := range before {
		if same := remaining[m.ID]; same != nil {
			members = append(members, same)
			delete(remaining, m.ID)
		}
	}
	for _, m := range after {
		if remaining[m.ID] != nil {
			members = append(members, m)
		}
	}
	return members
}

// putMembers returns the members that a bulk request has put, in the order of their last entries.
func putMembers(l *lobby.Lobby, entries []lobby.Entry) []*lobby.Member {
	var put []*lobby.Member
	for i, e := range entries {
		repeated := slices.ContainsFunc(entries[i+1:], func(o lobby.Entry) bool { return o.ID == e.ID })
		if m := l.Member(e.ID); m != nil && !e.Remove && !repeated {
			put = append(put, m)
		}
	}
	return put
}
