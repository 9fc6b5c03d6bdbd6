package oauth

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// SessionInfo describes a session of a user.
type SessionInfo struct {
	ID      string    `json:"id_hash"` // names the session; it is no secret
	Agent   string    `json:"agent"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at"`
}

// SessionID returns the id of a session: the first half of its hash.
func SessionID(hash store.TokenHash) string { return hex.EncodeToString(hash[:16]) }

// Sessions returns the sessions of a user, the newest first.
func (a Accounts) Sessions(ctx context.Context, user snowflake.User) ([]SessionInfo, error) {
	var stored []store.Session
	err := a.Store.Read(ctx, func(r store.Reader) (err error) {
		if _, err = r.Directory.User(user); err == nil {
			stored, err = r.Grants.Sessions(user)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser
	}
	now := a.Clock.Now()
	list := []SessionInfo{}
	for _, v := range stored {
		if end := a.SessionEnd(v); now.Before(end) {
			list = append(list, SessionInfo{SessionID(v.Hash), v.Agent, v.Created, end})
		}
	}
	slices.SortStableFunc(list, func(a, b SessionInfo) int { return b.Created.Compare(a.Created) })
	return list, err
}

// EndSessions ends the sessions of a user that have one of the ids, and revokes the tokens that were issued to them. It ignores
// ids of other users.
func (a Accounts) EndSessions(ctx context.Context, user snowflake.User, ids ...string) error {
	return a.endSessions(ctx, user, func(id string) bool { return slices.Contains(ids, id) })
}

// EndAllSessions ends all sessions of a user, except the one with an id. The id may be empty.
func (a Accounts) EndAllSessions(ctx context.Context, user snowflake.User, except string) error {
	return a.endSessions(ctx, user, func(id string) bool { return id != except })
}

// endSessions ends the sessions of a user whose ids match.
func (a Accounts) endSessions(ctx context.Context, user snowflake.User, match func(id string) bool) error {
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		all, err := tx.Grants.Sessions(user)
		if err != nil {
			return err
		}
		ended := 0
		for _, v := range all {
			if !match(SessionID(v.Hash)) {
				continue
			}
			ended++
			if err := auth.EndSession(tx, v); err != nil {
				return err
			}
		}
		if ended == 0 {
			return nil
		}
		return a.Audit.Add(ctx, tx, audit.Entry{
			Action: "session.end", Target: "user/" + user.String() + "/sessions",
			Before: endedSessions{Sessions: ended},
		})
	})
}

// Identity is an identity at an upstream provider. Issuer and subject identify it; the rest can change.
type Identity struct {
	Issuer, Subject       string
	Username, Name, Email string

	Session  string // the sid of the session at the provider; empty: the provider names none
	IsUserID bool   // the subject is the id of a user of this service
}

// Connect lets an identity sign in as a user. An identity of another user moves to this one.
func (a Accounts) Connect(ctx context.Context, user snowflake.User, id Identity) error {
	err := store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		if _, err := tx.Directory.User(user); err != nil {
			return err
		}
		if err := a.recordIdentity(ctx, tx, user, id); err != nil {
			return err
		}
		return tx.Put(store.Account{Issuer: id.Issuer, Subject: id.Subject, User: user})
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser
	}
	return err
}

// NameIssuer is the issuer of the accounts that claim usernames: the subject is a name of a user who has signed in at a provider.
// No provider has this issuer, because issuers are URLs.
const NameIssuer = "username"

// identityInfo has the members of an identity in the audit log.
type identityInfo struct {
	Issuer  string         `json:"issuer"`
	Subject string         `json:"subject"`
	User    snowflake.User `json:"user"`
}

// recordIdentity records in the audit log that an identity signs in as a user.
func (a Accounts) recordIdentity(ctx context.Context, tx *store.Tx, user snowflake.User, id Identity) error {
	e := audit.Entry{
		Action: "identity.put", Target: "user/" + user.String() + "/identity", After: identityInfo{id.Issuer, id.Subject, user},
	}
	old, err := tx.Grants.Account(id.Issuer, id.Subject)
	if err == nil {
		e.Before = identityInfo{id.Issuer, id.Subject, old.User}
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return a.Audit.Add(ctx, tx, e)
}

// Identities returns the identities of a user.
func (a Accounts) Identities(ctx context.Context, user snowflake.User) ([]Identity, error) {
	var list []Identity
	err := a.Store.Read(ctx, func(r store.Reader) error {
		if _, err := r.Directory.User(user); err != nil {
			return err
		}
		accounts, err := r.Grants.Accounts(user)
		for _, known := range accounts {
			if known.Issuer != NameIssuer {
				list = append(list, Identity{Issuer: known.Issuer, Subject: known.Subject})
			}
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = directory.ErrUnknownUser
	}
	return list, err
}
