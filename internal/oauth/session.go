package oauth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// DefaultSessionIdle is the time after which a session ends that no browser uses.
const DefaultSessionIdle = 2 * time.Hour

// SessionEnd returns when a session ends if the browser does not use it again.
func (s *Server) SessionEnd(v store.Session) time.Time {
	used := v.Used
	if used.IsZero() {
		used = v.Created
	}
	if idle := used.Add(s.SessionIdle); s.SessionIdle > 0 && idle.Before(v.Expires) {
		return idle
	}
	return v.Expires
}

// UseSession records that a browser uses a session. To write rarely, it does so once in each tenth of SessionIdle.
func (s *Server) UseSession(ctx context.Context, v store.Session) error {
	now := s.now()
	if s.SessionIdle <= 0 || now.Sub(laterOf(v.Used, v.Created)) < s.SessionIdle/10 {
		return nil
	}
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		stored, err := tx.Grants.Session(v.Hash)
		if errors.Is(err, store.ErrNotFound) {
			return nil // it ended in the meantime
		}
		if err != nil {
			return err
		}
		stored.Used = laterOf(stored.Used, now)
		return tx.Put(stored)
	})
}

// UseOperatorSession records that a browser uses the session of an operator.
func (s *Server) UseOperatorSession(ctx context.Context, hash store.TokenHash) error {
	now := s.now()
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		stored, err := tx.Credentials.Credential(hash)
		if errors.Is(err, store.ErrNotFound) {
			return nil // it ended in the meantime
		}
		if err != nil {
			return err
		}
		stored.Used = laterOf(stored.Used, now)
		return tx.Put(stored)
	})
	if errors.Is(err, store.ErrUnavailable) {
		return nil // a store that takes no writes does not sign operators out before the idle time is over
	}
	return err
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ProviderLogout says which sessions an identity provider has ended. Subject or Session is set, or both.
type ProviderLogout struct {
	Issuer  string
	Subject string
	Session string    // the sid; empty: all sessions of the subject
	ID      string    // of the token; a token counts once
	Expires time.Time // of the token
}

// matches reports whether a session began with a sign-in that has ended.
func (l ProviderLogout) matches(p store.ProviderSession) bool {
	return p.Issuer == l.Issuer && (l.Subject == "" || p.Subject == l.Subject) && (l.Session == "" || p.ID == l.Session)
}

// EndAtProvider ends the sessions of users and operators that an identity provider has ended (OpenID Connect Back-Channel Logout
// 1.0, section 2.7). It returns an *Error if the token was used before.
func (a Accounts) EndAtProvider(ctx context.Context, l ProviderLogout) error {
	used := store.Assertion{Hash: auth.Hash("logout token of " + l.Issuer + " " + l.ID), Until: l.Expires.Add(time.Hour)}
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		switch _, err := tx.Grants.Assertion(used.Hash); {
		case err == nil:
			return &Error{Code: InvalidRequest, Description: "The logout token was used before."}
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		if err := tx.Put(used); err != nil {
			return err
		}
		if err := a.endUserSessions(ctx, tx, l); err != nil {
			return err
		}
		return a.endOperatorSessions(ctx, tx, l)
	})
}

func (a Accounts) endUserSessions(ctx context.Context, tx *store.Tx, l ProviderLogout) error {
	found, err := sessionsAtProvider(tx, l)
	if err != nil {
		return err
	}
	ended := map[snowflake.User]int{}
	for _, v := range found {
		if !l.matches(v.Provider) {
			continue
		}
		ended[v.User]++
		if err := auth.EndSession(tx, v); err != nil {
			return err
		}
	}
	for user, n := range ended {
		err := a.Audit.Add(ctx, tx, audit.Entry{
			Action: "session.end", Target: "user/" + user.String() + "/sessions", Before: endedSessions{n, l.Issuer},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endedSessions has the members of ended sessions in the audit log.
type endedSessions struct {
	Sessions int    `json:"sessions"`
	Issuer   string `json:"issuer,omitzero"` // of the provider that ended them
}

// sessionsAtProvider returns the sessions that an identity provider may have ended.
func sessionsAtProvider(tx *store.Tx, l ProviderLogout) ([]store.Session, error) {
	if l.Session != "" {
		return tx.Grants.SessionsOfProvider(l.Issuer, l.Session)
	}
	known, err := tx.Grants.Account(l.Issuer, l.Subject)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return tx.Grants.Sessions(known.User)
}

func (a Accounts) endOperatorSessions(ctx context.Context, tx *store.Tx, l ProviderLogout) error {
	all, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c store.Credential) bool { return !c.Session || !l.matches(c.Provider) })
	for _, c := range all {
		if err := auth.Revoke(tx, c.Hash); err != nil {
			return err
		}
		err := a.Audit.Add(ctx, tx, audit.Entry{Action: "operator.signout", Target: "operator/" + c.Name, Before: endedSessions{1, l.Issuer}})
		if err != nil {
			return err
		}
	}
	return nil
}
