// Package grants is the authorization server: it judges what applications ask people for, keeps what people consent to,
// and trades codes, refresh tokens, devices and client secrets for access tokens. What consent installs goes through
// package directory. It knows nothing of HTTP: where a browser goes next is a text, and whoever serves the browser sends it
// there.
package grants

import (
	"context"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// Grants is the authorization server. It is safe for concurrent use. All fields are required and set before its first
// use.
type Grants struct {
	Store     store.Store
	Clock     clock.Clock
	Tokens    *oauth.Authenticator
	Directory *directory.Directory
	Log       *slog.Logger
	// Issuer is the address under which clients know the server, without a slash at its end.
	Issuer string
}

// now returns the time in the form in which it is kept.
func (g *Grants) now() time.Time { return g.Clock.Now().UTC().Truncate(time.Millisecond) }

// unit is one unit of work on grants and credentials.
type unit struct {
	store.Tx

	tokens *oauth.Changes
	now    time.Time
}

// update runs a unit of work. Whatever became of credentials is seen when it returns.
func (g *Grants) update(ctx context.Context, fn func(*unit) error) error {
	var u *unit
	err := g.Store.Update(ctx, func(tx store.Tx) error {
		u = g.within(tx)
		return fn(u)
	})
	u.settle()
	return err
}

// within begins a unit of work that is part of another one; whoever runs that one settles it.
func (g *Grants) within(tx store.Tx) *unit { return &unit{tx, g.Tokens.Within(tx), g.now()} }

// settle makes changes of credentials seen. A nil unit never ran.
func (u *unit) settle() {
	if u != nil {
		u.tokens.Settle()
	}
}

const (
	sweepEvery  = time.Minute
	sweepAtOnce = 1000
)

// Run removes what is outdated from the store until ctx ends.
func (g *Grants) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, sweepEvery) // how often is no matter of the service's time, which may be moved by years
		for ctx.Err() == nil {
			n, err := g.sweep(ctx)
			if err != nil && ctx.Err() == nil {
				g.Log.ErrorContext(ctx, "sweep failed", "err", err)
			}
			if n < sweepAtOnce {
				break
			}
		}
	}
	return nil
}

// sweep removes some of what is outdated and returns how much.
func (g *Grants) sweep(ctx context.Context) (n int, err error) {
	err = g.Store.Update(ctx, func(tx store.Tx) error {
		tokens, err := tx.DeleteExpired(g.now(), sweepAtOnce)
		if err != nil {
			return err
		}
		others, err := tx.DeleteOutdated(g.now(), sweepAtOnce)
		n = tokens + others
		return err
	})
	return n, err
}
