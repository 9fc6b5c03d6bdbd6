package oauth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Identity is an identity at an upstream provider.
type Identity = oauth.Identity

// ByIdentity returns the user of an identity. Only the table of accounts decides which user that is: a subject that
// equals the id of a user is a coincidence. The first sign-in creates a user and its account. With IsUserID the
// first sign-in connects the identity with the user whose id is the subject.
func (s *Sessions) ByIdentity(ctx context.Context, id Identity) (snowflake.User, error) {
	if id.Subject == "" {
		return 0, ErrUpstream
	}
	var user snowflake.User
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		user, err = userOf(r, id)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	if refused := s.askHooks(ctx, Entry{User: user, Identity: id}); refused != nil {
		return 0, refused
	}
	switch {
	case err == nil:
		return user, nil
	case id.IsUserID:
		return s.connectUser(ctx, id)
	}
	for range maxTaken {
		user, err = s.newUser(ctx, id, snowflake.User(s.IDs.Next()))
		if !errors.Is(err, directory.ErrUserExists) {
			break // an application can name any id in a lobby, also one that was not yet issued
		}
	}
	return user, err
}

// maxTaken bounds how many ids of existing users ByIdentity skips.
const maxTaken = 100

// connectUser connects an identity with the user whose id is its subject, and creates the user if there is none. It
// returns ErrUpstream when the subject is not the id of a user.
func (s *Sessions) connectUser(ctx context.Context, id Identity) (snowflake.User, error) {
	user, err := snowflake.Parse[snowflake.User](id.Subject)
	if err != nil || user == 0 {
		return 0, fmt.Errorf("%w: the subject is not a user id", ErrUpstream)
	}
	u, err := s.Directory.Users.User(ctx, user)
	switch {
	case errors.Is(err, directory.ErrUnknownUser):
		if _, err := s.newUser(ctx, id, user); !errors.Is(err, directory.ErrUserExists) {
			return user, err // otherwise another request has just created the user
		}
	case err != nil:
		return 0, err
	case u.Bot:
		return 0, fmt.Errorf("%w: the subject is the id of a bot", ErrUpstream)
	}
	return user, s.Accounts.Connect(ctx, user, id)
}

// userOf returns the user of an identity, or store.ErrNotFound. The account of a deleted user counts as none: it is
// removed some time after the user.
func userOf(r store.Reader, id Identity) (snowflake.User, error) {
	known, err := r.Grants.Account(id.Issuer, id.Subject)
	if err == nil {
		_, err = r.Directory.User(known.User)
	}
	return known.User, err
}

// errKnown says that another request has created the user in the meantime.
var errKnown = errors.New("account is known")

// newUser creates a user with the id made for an identity. If two requests do so at the same time, one creates the user
// and both return it. If the id belongs to another user, it returns directory.ErrUserExists.
func (s *Sessions) newUser(ctx context.Context, id Identity, made snowflake.User) (snowflake.User, error) {
	user := made
	err := s.Directory.Users.Add(ctx, world.User{
		ID: made, Username: "user_" + made.String(), GlobalName: shorten(id.Name), Email: id.Email,
	}, func(tx *store.Tx, u *world.User) (err error) {
		user, err = userOf(tx.Reader, id)
		switch {
		case err == nil:
			return errKnown
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		user = made
		if u.Username, err = freeName(tx, id.Username, made); err != nil {
			return err
		}
		return tx.Put(store.Account{Issuer: id.Issuer, Subject: id.Subject, User: made})
	})
	if errors.Is(err, errKnown) {
		err = nil
	}
	return user, err
}

// maxName bounds the names of users.
const maxName = 32

// shorten makes a name of the provider valid here: it removes control characters and cuts the name to maxName.
func shorten(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name))
	for runes := []rune(name); jsonbody.Len(name) > maxName; {
		runes = runes[:len(runes)-1]
		name = strings.TrimSpace(string(runes))
	}
	return name
}
