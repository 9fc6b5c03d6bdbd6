package oauthserver

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

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
func (s *Server) Authorizations(
	ctx context.Context, user snowflake.User, after snowflake.Application, limit int,
) ([]Authorization, error) {
	list := []Authorization{}
	err := s.Store.Read(ctx, func(r store.Reader) error {
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
			a, err := s.authorization(r, c)
			if err != nil {
				return err
			}
			list = append(list, a)
		}
		return nil
	})
	return list, err
}

// AuthorizedUsers returns a page of the users who granted access to an application, ordered by user.
func (s *Server) AuthorizedUsers(
	ctx context.Context, app snowflake.Application, after snowflake.User, limit int,
) ([]Authorization, error) {
	list := []Authorization{}
	err := s.Store.Read(ctx, func(r store.Reader) error {
		if _, err := r.Directory.Application(app); err != nil {
			return unknownAs(err, directory.ErrUnknownApplication)
		}
		consents, err := r.Grants.ConsentsOfApplication(app, after, min(limit, directory.MaxPage))
		if err != nil {
			return err
		}
		for _, c := range consents {
			a, err := s.authorization(r, c)
			if err != nil {
				return err
			}
			list = append(list, a)
		}
		return nil
	})
	return list, err
}

// authorization returns the authorization of a consent.
func (s *Server) authorization(r store.Reader, c store.Consent) (Authorization, error) {
	a := Authorization{Application: c.Application, User: c.User, Scopes: c.Scopes, Created: c.Created}
	grants, err := r.Grants.Grants(c.Application, c.User)
	for _, g := range grants {
		if !s.now().Before(g.Until) {
			continue
		}
		a.Grants++
		if g.Used.After(a.Used) {
			a.Used = g.Used
		}
	}
	return a, err
}

// EndAuthorization ends all grants, tokens and consent between an application and a user. It is no error if there are
// none.
func (s *Server) EndAuthorization(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	return s.update(ctx, func(t *transaction) error { return t.revoke(app, user) })
}

// unknownAs replaces store.ErrNotFound with missing.
func unknownAs(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}
