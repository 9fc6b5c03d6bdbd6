package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

// Transfer makes a user a member of the lobbies of an application that another user is in, with the metadata, flags and name of
// the other one, who leaves. A user who is a member already stays as it is. It is safe to repeat.
func (s *Members) Transfer(ctx context.Context, app snowflake.Application, from, to snowflake.User) error {
	ids, err := s.states.memberships.Load(ctx, membershipKey{app, from})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for _, id := range *ids {
		err := s.states.Cache.Decide(ctx, s.states.decider(app, id, nil, func(ctx context.Context, base *State) (decision, error) {
			_, err := s.admission.user(ctx, to) // who may be deleted meanwhile
			return transfer(base, from, to), err
		}))
		if except(err, ErrUnknownLobby) != nil {
			return err
		}
	}
	return nil
}

// transfer replaces a member by another user.
func transfer(base *State, from, to snowflake.User) decision {
	d := decision{next: base.Lobby.Lobby}
	old := base.Member(from)
	if old == nil {
		return d
	}
	d.next.Members, d.left = base.Without(from), []*lobby.Member{old}
	if base.Member(to) == nil {
		m := *old
		m.ID = to
		d.next.Members = d.next.With(&m)
		d.joined = []*lobby.Member{&m}
	}
	return d
}
