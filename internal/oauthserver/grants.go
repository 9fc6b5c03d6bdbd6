// Package oauthserver is the authorization server: it judges what applications ask people for, keeps what people consent to,
// and trades codes, refresh tokens, devices and client secrets for access tokens. What consent installs goes through
// package directory. It knows nothing of HTTP: where a browser goes next is a text, and whoever serves the browser sends it
// there.
package oauthserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Grants is the authorization server. It is safe for concurrent use. All fields are required and set before its first
// use.
type Grants struct {
	Store     store.Store
	Clock     clock.Clock
	Directory *directory.Directory
	Log       *slog.Logger
	// Issuer is the address under which clients know the server, without a slash at its end.
	Issuer string
}

// now returns the time in the form in which it is kept.
func (g *Grants) now() time.Time { return g.Clock.Now().UTC().Truncate(time.Millisecond) }

// unit is a decision on grants and credentials that is being made.
type unit struct {
	*store.Tx

	now time.Time
}

// update makes a decision and commits it. fn runs again when a subject that it read was changed by another decision, so it
// sets its results again in every run.
func (g *Grants) update(ctx context.Context, fn func(*unit) error) error {
	return store.Decide(ctx, g.Store, func(tx *store.Tx) error { return fn(&unit{tx, g.now()}) })
}

// checkOwners returns store.ErrNotFound when the application or the user does not exist; 0 is no user. What belongs to a
// deleted one is removed some time after it, and must not come back meanwhile.
func (u *unit) checkOwners(app snowflake.Application, user snowflake.User) error {
	if _, err := u.Directory.Application(app); err != nil {
		return err
	}
	if user == 0 {
		return nil
	}
	_, err := u.Directory.User(user)
	return err
}
