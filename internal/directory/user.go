package directory

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// UserKind describes users.
var UserKind = Kind[store.User]{
	Name:   "user",
	Target: func(u store.User) string { return "user/" + u.ID.String() },
	Key:    func(u store.User) store.Key { return store.UserKey(u.ID) },
	Read:   func(q store.DirectoryQueries, u store.User) (store.User, error) { return q.User(u.ID) },
	Show:   func(u store.User) any { return convert.WorldUser(u) },
	Events: func(e *Events, _, after *store.User) error {
		if after == nil {
			return nil
		}
		return e.addUser(after)
	},
	Deleted: func(u store.User, t store.Tombstone) bool { return isAccount(t, uint64(u.ID)) },
}

// isAccount reports whether a tombstone is of a user or an application with an id. A bot has the id of its application.
func isAccount(t store.Tombstone, id uint64) bool {
	return t.ID == id && (t.Kind == store.KindUser || t.Kind == store.KindApplication)
}

// addUser adds USER_UPDATE for the user's or bot's own sessions.
func (e *Events) addUser(u *store.User) error {
	about := store.UserSubject(u.ID)
	if u.Bot {
		about = store.ApplicationSubject(snowflake.Application(u.ID))
	}
	return e.Add(about, "USER_UPDATE", convert.WireMe(u, true), OwnSessions(u, 0), nil)
}

// OwnSessions is the audience of a user's or bot's own sessions.
func OwnSessions(u *store.User, guild snowflake.Guild) events.Audience {
	if u.Bot {
		return events.Audience{Application: snowflake.Application(u.ID), Guild: guild}
	}
	return events.Audience{Users: []snowflake.User{u.ID}}
}

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

// ReadUser returns a user or bot in a snapshot, or store.ErrNotFound.
func ReadUser(r store.Reader, id snowflake.User) (*store.User, error) {
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

// User returns a user or a bot, in a transaction.
func (tx *Tx) User(id snowflake.User) (*store.User, error) {
	u, err := ReadUser(tx.Reader, id)
	return u, unknown(err, ErrUnknownUser)
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
	return viewUser(ctx, u.shared, user, func(r store.Reader, gone Tombstones) ([]store.Member, error) {
		return readMemberships(r, gone, user, after, limit)
	})
}

// Add writes a user who signs up. For the id of a user or a bot it returns ErrUserExists. with is called before. It may
// write more in the same transaction, and change the user.
func (u *Users) Add(ctx context.Context, user world.User, with func(*store.Tx, *world.User) error) error {
	user, err := user.Complete()
	if err != nil {
		return err
	}
	return u.Update(ctx, func(tx *Tx) error {
		if exists, err := found(ReadUser(tx.Reader, user.ID)); exists || err != nil {
			return cmp.Or(err, ErrUserExists)
		}
		user := user // the decision may run again
		if err := with(tx.Tx, &user); err != nil {
			return err
		}
		if err := UserKind.Put(tx, convert.UserRecord(user, store.User{})); err != nil {
			return err
		}
		token := store.Credential{Kind: store.UserToken, User: user.ID, Hash: auth.Hash(auth.NewUserToken(user.ID, u.clock.Now()).Reveal())}
		tx.Record(CredentialEntry(token, false))
		return tx.Put(token)
	})
}

// Delete removes a user and everything that belongs to the user. For an owner of a guild or an application it returns
// ErrOwner.
func (u *Users) Delete(ctx context.Context, id snowflake.User) error {
	return u.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.User(id); err != nil {
			return unknown(err, ErrUnknownUser)
		}
		if err := ownsNoApplication(tx.Directory, id); err != nil {
			return err
		}
		if err := ownsNoGuild(tx.Directory, id); err != nil {
			return err
		}
		UserKind.Delete(tx, store.User{ID: id})
		return tx.putTombstone(store.Tombstone{Kind: store.KindUser, ID: uint64(id)})
	})
}

// ownsNoApplication returns ErrOwner when the user owns an application.
func ownsNoApplication(q store.DirectoryQueries, user snowflake.User) error {
	for after := snowflake.Application(0); ; {
		page, err := q.Applications(after, MaxPage)
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
func ownsNoGuild(q store.DirectoryQueries, user snowflake.User) error {
	for after := snowflake.Guild(0); ; {
		page, err := q.Memberships(user, after, MaxPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			g, err := q.Guild(m.Guild)
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
