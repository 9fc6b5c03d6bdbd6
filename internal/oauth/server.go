// Package oauth is the OAuth2 and OpenID Connect authorization server. It checks authorization requests, stores
// consent, and exchanges codes, refresh tokens, device codes and client secrets for access tokens. It installs
// applications through package directory. It does not know HTTP: it returns redirect URLs as strings.
package oauth

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Server is the authorization server. It is safe for concurrent use. All fields are set before its first use and are
// required unless they say otherwise.
type Server struct {
	Store     store.Store
	Clock     clock.Clock
	Wall      clock.Clock // the system's time, also when dev controls move Clock
	Directory *directory.Directory
	Log       *slog.Logger
	// Issuer is the public URL of the server, without a slash at the end.
	Issuer string
	// Audit gets the consents of users. It may be nil.
	Audit *audit.Log
	Hooks *hooks.Hooks // may be nil
	// RefreshIdle is the time for which a refresh token is valid without being used; 0: DefaultRefreshIdle.
	RefreshIdle time.Duration
	// SessionIdle is the time after which a session of a browser ends that is not used; 0: never before its absolute end.
	SessionIdle time.Duration
	// Sealer encrypts the signing keys at rest; nil: they are not encrypted.
	Sealer *auth.Sealer
	// Refused has client secrets that are never valid. It may be nil.
	Refused auth.Hashes
	// EventRecords returns the records of an event webhook of an application. It may be nil.
	EventRecords func(app *store.Application, event, url string, data any) ([]store.Record, error)
	// Revoked is called in the decision that ends the access of an application to a user. It may be nil.
	Revoked func(context.Context, *store.Tx, snowflake.Application, snowflake.User) error
}

// DefaultRefreshIdle is the time for which a refresh token is valid without being used.
const DefaultRefreshIdle = 30 * 24 * time.Hour

// now returns the time with the precision of the store.
func (s *Server) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// transaction writes grants and credentials.
type transaction struct {
	*store.Tx

	now  time.Time
	idle time.Duration // of refresh tokens
	// record adds an entry to the audit log, with the transaction.
	record  func(audit.Entry) error
	revoked func(snowflake.Application, snowflake.User) error
	// tell adds an event webhook for an application.
	tell func(app *store.Application, event string, data any) error
}

// transaction returns a transaction that writes with tx, for a decision that sets its results again in every run.
func (s *Server) transaction(ctx context.Context, tx *store.Tx) *transaction {
	return &transaction{
		tx, s.now(), cmp.Or(s.RefreshIdle, DefaultRefreshIdle), func(e audit.Entry) error { return s.Audit.Add(ctx, tx, e) },
		func(app snowflake.Application, user snowflake.User) error {
			if s.Revoked == nil || user == 0 {
				return nil
			}
			return s.Revoked(ctx, tx, app, user)
		},
		func(app *store.Application, event string, data any) error {
			if s.EventRecords == nil {
				return nil
			}
			list, err := s.EventRecords(app, event, "", data)
			return errors.Join(err, tx.Put(list...))
		},
	}
}

// checkOwners returns store.ErrNotFound when the application or the user does not exist. User 0 is not checked. Grants
// of deleted users and applications are removed some time after the deletion; until then no new ones may be added.
func (t *transaction) checkOwners(app snowflake.Application, user snowflake.User) error {
	if _, err := t.Directory.Application(app); err != nil {
		return err
	}
	if user == 0 {
		return nil
	}
	_, err := t.Directory.User(user)
	return err
}
