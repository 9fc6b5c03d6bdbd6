package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Accounts lists and ends what belongs to users: the access that they granted, their browser sessions, and their
// identities at the upstream provider.
type Accounts struct{ *Server }

// Authorization is the access that a user granted to an application.
type Authorization struct {
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	Created     time.Time             `json:"created_at"`
	Grants      int                   `json:"grants"` // refresh tokens that are valid
	// Used is when the application last got a token. It is zero when it has no refresh token.
	Used time.Time `json:"used_at,omitzero"`
}

// Authorizations returns a page of the applications that a user granted access to, ordered by application.
func (a Accounts) Authorizations(
	ctx context.Context, user snowflake.User, after snowflake.Application, limit int,
) ([]Authorization, error) {
	list := []Authorization{}
	err := a.Store.Read(ctx, func(r store.Reader) error {
		if _, err := r.Directory.User(user); err != nil {
			return unknownAs(err, directory.ErrUnknownUser)
		}
		consents, err := r.Grants.ConsentsOfUser(user, after, min(limit, directory.MaxPage))
		if err != nil {
			return err
		}
		for _, c := range consents {
			if _, err := r.Directory.Application(c.Application); errors.Is(err, store.ErrNotFound) {
				continue // deleted; its consents are removed some time later
			} else if err != nil {
				return err
			}
			granted, err := a.authorization(r, c)
			if err != nil {
				return err
			}
			list = append(list, granted)
		}
		return nil
	})
	return list, err
}

// AuthorizedUsers returns a page of the users who granted access to an application, ordered by user.
func (a Accounts) AuthorizedUsers(
	ctx context.Context, app snowflake.Application, after snowflake.User, limit int,
) ([]Authorization, error) {
	list := []Authorization{}
	err := a.Store.Read(ctx, func(r store.Reader) error {
		if _, err := r.Directory.Application(app); err != nil {
			return unknownAs(err, directory.ErrUnknownApplication)
		}
		consents, err := r.Grants.ConsentsOfApplication(app, after, min(limit, directory.MaxPage))
		if err != nil {
			return err
		}
		for _, c := range consents {
			granted, err := a.authorization(r, c)
			if err != nil {
				return err
			}
			list = append(list, granted)
		}
		return nil
	})
	return list, err
}

// authorization returns the authorization of a consent.
func (a Accounts) authorization(r store.Reader, c store.Consent) (Authorization, error) {
	granted := Authorization{Application: c.Application, User: c.User, Scopes: c.Scopes, Created: c.Created}
	grants, err := r.Grants.Grants(c.Application, c.User)
	for _, g := range grants {
		if !a.now().Before(g.Until) {
			continue
		}
		granted.Grants++
		if g.Used.After(granted.Used) {
			granted.Used = g.Used
		}
	}
	return granted, err
}

// EndAuthorization ends all grants, tokens and consent between an application and a user. It is no error if there are
// none.
func (a Accounts) EndAuthorization(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error { return a.transaction(ctx, tx).revoke(app, user) })
}

// unknownAs replaces store.ErrNotFound with missing.
func unknownAs(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}
