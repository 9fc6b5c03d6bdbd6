package lobbies

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// admission checks that users can become members.
type admission struct{ states *states }

// check checks that a user can become a member of one more lobby of an application. If the settings allow unknown
// users, it adds an unknown user to the decision. A bot is a finding at t.
func (a *admission) check(
	ctx context.Context, d *decision, app snowflake.Application, user snowflake.User, t *jsonbody.Tree,
) error {
	u, err := a.user(ctx, user)
	switch {
	case errors.Is(err, directory.ErrUnknownUser) && user != 0 && a.states.Settings.Users == Auto:
		return a.addUser(ctx, d, user)
	case err != nil:
		return err
	case u.Bot:
		t.Add(lobby.BotMember, "Bots cannot be members of a lobby.")
		return nil
	}
	ids, err := a.states.memberships.Load(ctx, membershipKey{app, user})
	if limit := a.states.Settings.MaxPerUser; err == nil && len(*ids) >= limit {
		err = &LimitError{"lobbies", limit}
	}
	return err
}

// user returns a user or a bot. The id 0 is unknown.
func (a *admission) user(ctx context.Context, id snowflake.User) (*store.User, error) {
	if id == 0 {
		return nil, directory.ErrUnknownUser
	}
	return a.states.Directory.Users.User(ctx, id)
}

// addUser adds a new user to the decision. A deleted user stays unknown until all of the user's records are removed.
func (a *admission) addUser(ctx context.Context, d *decision, id snowflake.User) error {
	for _, r := range d.records {
		if u, ok := r.(store.User); ok && u.ID == id {
			return nil
		}
	}
	deleted := false
	err := a.states.db.Read(ctx, func(r store.Reader) (err error) {
		deleted, err = r.Directory.Tombstone(store.Tombstone{Kind: store.KindUser, ID: uint64(id)})
		return err
	})
	if err == nil && deleted {
		err = directory.ErrUnknownUser
	}
	d.records = append(d.records, store.User{ID: id, Username: "user" + id.String(), Locale: locale.EnglishUS})
	return err
}

// checkAll checks the users of a list who are not members of old, which may be nil. A bot is a finding at its index.
func (a *admission) checkAll(
	ctx context.Context, d *decision, app snowflake.Application, list []lobby.Entry, old *lobby.Lobby,
) error {
	var t jsonbody.Tree
	for _, e := range list {
		if old != nil && old.Member(e.ID) != nil {
			continue
		}
		if err := a.check(ctx, d, app, e.ID, t.At("members").Index(e.Index)); err != nil {
			return err
		}
	}
	return t.Err()
}

// checkCaller checks the user who sends the request.
func (a *admission) checkCaller(ctx context.Context, d *decision, app snowflake.Application, user snowflake.User) error {
	var t jsonbody.Tree
	if err := a.check(ctx, d, app, user, &t); err != nil {
		return err
	}
	return t.Err()
}
