package directory

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Users keeps users and their installs.
type Users struct{ *shared }

// User returns a user or a bot. The caller does not change it.
func (u *Users) User(ctx context.Context, id snowflake.User) (*store.User, error) {
	c, err := u.cachedUser(ctx, id)
	if err != nil {
		return nil, err
	}
	return &c.user, nil
}

// cachedUser returns a user or bot with its installs.
func (s *shared) cachedUser(ctx context.Context, id snowflake.User) (*cachedUser, error) {
	c, err := load(ctx, &s.cached.users, id, ErrUnknownUser)
	if err != nil || !c.user.Bot {
		return c, err
	}
	a, err := load(ctx, &s.cached.applications, snowflake.Application(id), ErrUnknownUser)
	if err != nil {
		return nil, err
	}
	return &cachedUser{user: a.bot}, nil
}

// readUser returns a user or bot in a snapshot, or store.ErrNotFound.
func readUser(r store.Reader, id snowflake.User) (*store.User, error) {
	u, err := r.Directory.User(id)
	if err == nil {
		return &u, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	a, err := r.Directory.Application(snowflake.Application(id))
	if err != nil {
		return nil, err
	}
	bot := botOf(a)
	return &bot, nil
}

// List returns a page of users, without bots.
func (u *Users) List(ctx context.Context, after snowflake.User, limit int) ([]store.User, error) {
	return view(ctx, u.shared, ErrUnknownUser, func(r store.Reader) ([]store.User, error) {
		return r.Directory.Users(after, min(limit, MaxPage))
	})
}

// Memberships returns a page of a user's memberships, ordered by guild.
func (u *Users) Memberships(
	ctx context.Context, user snowflake.User, after snowflake.Guild, limit int,
) ([]store.Member, error) {
	return viewUser(ctx, u.shared, user, func(r store.Reader, gone tombstones) ([]store.Member, error) {
		return readMemberships(r, gone, user, after, limit)
	})
}

// Put writes a user, like Directory.Apply of a world that holds only the user. A record that breaks a rule is a
// *jsonbody.Tree whose paths begin in the record. The other Put methods of the directory work the same way.
func (u *Users) Put(ctx context.Context, user world.User) (Applied, error) {
	user, err := user.Complete()
	if err != nil {
		return Applied{}, err
	}
	return u.apply(ctx, func(w *writer) error { return w.world.putUser(user) })
}

// Add writes a user who signs up. For the id of a user or a bot it returns ErrUserExists. with may write more in the same
// transaction.
func (u *Users) Add(ctx context.Context, user world.User, with func(*store.Tx) error) error {
	user, err := user.Complete()
	if err != nil {
		return err
	}
	return u.update(ctx, func(w *writer) error {
		if exists, err := found(readUser(w.tx.Reader, user.ID)); exists || err != nil {
			return cmp.Or(err, ErrUserExists)
		}
		if err := w.world.putUser(user); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// Delete removes a user and everything that belongs to the user. For an owner of a guild or an application it returns
// ErrOwner.
func (u *Users) Delete(ctx context.Context, id snowflake.User) error {
	return u.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.User(id); err != nil {
			return unknown(err, ErrUnknownUser)
		}
		if err := w.ownsNoApplication(id); err != nil {
			return err
		}
		if err := w.ownsNoGuild(id); err != nil {
			return err
		}
		w.watch(store.User{ID: id})
		w.delete(store.UserKey(id))
		return w.putTombstone(store.Tombstone{Kind: store.KindUser, ID: uint64(id)})
	})
}

// ownsNoApplication returns ErrOwner when the user owns an application.
func (w *writer) ownsNoApplication(user snowflake.User) error {
	for after := snowflake.Application(0); ; {
		page, err := w.tx.Directory.Applications(after, MaxPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			if a.Owner == user {
				return ErrOwner
			}
			after = a.ID
		}
		if len(page) < MaxPage {
			return nil
		}
	}
}

// ownsNoGuild returns ErrOwner when the user owns a guild. An owner is a member of the guild.
func (w *writer) ownsNoGuild(user snowflake.User) error {
	for after := snowflake.Guild(0); ; {
		page, err := w.tx.Directory.Memberships(user, after, MaxPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			g, err := w.tx.Directory.Guild(m.Guild)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err == nil && g.Owner == user {
				return ErrOwner
			}
			after = m.Guild
		}
		if len(page) < MaxPage {
			return nil
		}
	}
}
