package oauthapi

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Identity is an identity at an upstream provider. Issuer and subject identify it; the rest can change.
type Identity struct {
	Issuer, Subject       string
	Username, Name, Email string
}

// ByIdentity returns the user of an identity, and creates the user at the first sign-in. A subject that is the id of a
// user is that user, for platforms that use their own ids in the directory.
func (s *Sessions) ByIdentity(ctx context.Context, id Identity) (snowflake.User, error) {
	if id.Subject == "" {
		return 0, ErrUpstream
	}
	if user, err := snowflake.Parse[snowflake.User](id.Subject); err == nil {
		u, err := s.Directory.Users.User(ctx, user)
		if err == nil && !u.Bot {
			return user, nil
		}
		if err != nil && !errors.Is(err, directory.ErrUnknownUser) {
			return 0, err
		}
	}
	var user snowflake.User
	err := s.Store.Read(ctx, func(r store.Reader) (err error) {
		user, err = userOf(r, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return s.newUser(ctx, id)
	}
	return user, err
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

// newUser creates a user for an identity. If two requests do so at the same time, one creates the user and both return
// it.
func (s *Sessions) newUser(ctx context.Context, id Identity) (snowflake.User, error) {
	made := snowflake.User(s.IDs.Next())
	user := made
	err := s.Directory.Users.Add(ctx, world.User{
		ID: made, Username: cmp.Or(shorten(id.Username), "user-"+made.String()),
		GlobalName: shorten(id.Name), Email: id.Email,
	}, func(tx *store.Tx) (err error) {
		user, err = userOf(tx.Reader, id)
		switch {
		case err == nil:
			return errKnown
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		user = made
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
