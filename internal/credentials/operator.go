package credentials

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

// Errors of operator credentials.
var (
	ErrUnknownOperator = errors.New("unknown operator")
	// ErrOperatorScope says that an operator lacks a scope of the credential that it creates, replaces or revokes.
	ErrOperatorScope = errors.New("operator lacks a scope of the credential")
	// ErrTooManyOperators says that there are MaxOperators credentials.
	ErrTooManyOperators = errors.New("too many operator credentials")
)

// MaxOperators is the largest number of operator credentials.
const MaxOperators = 100

// FirstOperator is the name of the credential that the first start creates.
const FirstOperator = "admin"

// Lives of operator credentials.
const (
	// OperatorSessionLife is the time for which an operator stays signed in at a browser.
	OperatorSessionLife = 12 * time.Hour
	maxOperatorSessions = 50 // of one operator; the oldest ends first
)

// Operator is a credential of an operator, without its token.
type Operator struct {
	Name    string
	Scopes  []string
	Created time.Time
	Expires time.Time // zero: never
}

var operatorName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,31}$`)

// check reports in a *jsonbody.Tree what is wrong with the credential.
func (o Operator) check(now time.Time) error {
	var t jsonbody.Tree
	if !operatorName.MatchString(o.Name) {
		t.At("name").Add(jsonbody.StringRegex, "Must be 1 to 32 lower-case letters, digits, dots, dashes and underscores.")
	}
	if len(o.Scopes) == 0 {
		t.At("scopes").Required()
	}
	for i, s := range o.Scopes {
		if !slices.Contains(auth.OperatorScopes(), s) {
			t.At("scopes").Index(i).NotOneOf(auth.OperatorScopes()...)
		}
	}
	if !o.Expires.IsZero() && !o.Expires.After(now) {
		t.At("expires_in").Add(jsonbody.NumberMin, "Must be greater than 0.")
	}
	return t.Err()
}

// Operators keeps the credentials of operators. All fields are required.
type Operators struct {
	Directory *directory.Directory
	Clock     clock.Clock
}

// List returns the credentials that have not expired, ordered by name.
func (o Operators) List(ctx context.Context) ([]Operator, error) {
	list := []Operator{}
	err := o.Directory.Read(ctx, func(r store.Reader) error {
		all, err := r.Credentials.Credentials(store.AdminToken, 0, 0)
		list = list[:0]
		for _, c := range all {
			if !c.Session && (c.Expires.IsZero() || o.Clock.Now().Before(c.Expires)) {
				list = append(list, Operator{c.Name, c.Scopes, c.Created, c.Expires})
			}
		}
		slices.SortFunc(list, func(a, b Operator) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), a.Created.Compare(b.Created))
		})
		return err
	})
	return list, err
}

// Put creates a credential, or replaces the one with the same name: its token and the sessions that began with it stop
// working. by is the operator who does it: it must have all scopes of both credentials, and the new credential expires
// with the credential of by at the latest: given gets that time. A credential that breaks a rule is a *jsonbody.Tree. Only
// this result shows the token.
func (o Operators) Put(ctx context.Context, given *Operator, by auth.Principal) (token auth.Secret, created bool, err error) {
	now := o.Clock.Now().UTC().Truncate(time.Millisecond)
	if err := given.check(now); err != nil {
		return "", false, err
	}
	if !covers(by.Scopes, given.Scopes) {
		return "", false, ErrOperatorScope
	}
	wanted := given.Expires
	token = auth.NewAdminToken()
	err = o.Directory.Update(ctx, func(tx *directory.Tx) error {
		old, err := operators(tx, given.Name)
		if err != nil {
			return err
		}
		created = len(old) == 0
		end, err := issuerEnd(tx, by)
		if err != nil {
			return err
		}
		if given.Expires = wanted; !end.IsZero() && (wanted.IsZero() || wanted.After(end)) {
			given.Expires = end
		}
		if err := revokeOperators(tx, old, by); err != nil {
			return err
		}
		all, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
		if err != nil {
			return err
		}
		if len(slices.DeleteFunc(all, func(c store.Credential) bool { return c.Session })) >= MaxOperators {
			return ErrTooManyOperators
		}
		c := o.credential(token, given.Name, given.Scopes)
		c.Expires = given.Expires
		tx.Record(directory.CredentialEntry(c, !created))
		return tx.Put(c)
	})
	return token, created, err
}

// issuerEnd returns when the credential of an operator expires; zero: never. A session ends earlier than the credential
// that it began with, and counts as that one.
func issuerEnd(tx *directory.Tx, by auth.Principal) (time.Time, error) {
	if by.Name == "" {
		return by.Expires, nil
	}
	own, err := operators(tx, by.Name)
	if i := slices.IndexFunc(own, func(c store.Credential) bool { return !c.Session }); i >= 0 {
		return own[i].Expires, err
	}
	return by.Expires, err
}

// covers reports whether all wanted scopes are among some scopes.
func covers(scopes, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(scopes, s) })
}

// Revoke revokes a credential and ends the sessions that began with it. by is the operator who does it: it must have all
// scopes of the credential.
func (o Operators) Revoke(ctx context.Context, name string, by auth.Principal) error {
	return o.Directory.Update(ctx, func(tx *directory.Tx) error {
		old, err := operators(tx, name)
		if err != nil {
			return err
		}
		if len(old) == 0 {
			return ErrUnknownOperator
		}
		tx.Record(audit.Entry{Action: "token.revoke", Target: "operator/" + name})
		return revokeOperators(tx, old, by)
	})
}

// operators returns the credentials with a name, including sessions.
func operators(tx *directory.Tx, name string) ([]store.Credential, error) {
	all, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
	return slices.DeleteFunc(all, func(c store.Credential) bool { return c.Name != name }), err
}

func revokeOperators(tx *directory.Tx, list []store.Credential, by auth.Principal) error {
	for _, c := range list {
		if !covers(by.Scopes, c.Scopes) {
			return ErrOperatorScope
		}
		if err := auth.Revoke(tx.Tx, c.Hash); err != nil {
			return err
		}
	}
	return nil
}

// LocalOperator is the operator who has the data folder of the service. It has all scopes and needs no token.
func LocalOperator() auth.Principal {
	return auth.Principal{Kind: store.AdminToken, Scopes: auth.OperatorScopes()}
}

// CreateFirst creates a credential with all scopes when there is none. Otherwise it returns an empty token.
func (o Operators) CreateFirst(ctx context.Context) (auth.Secret, error) {
	var token auth.Secret
	err := o.Directory.Update(ctx, func(tx *directory.Tx) error {
		have, err := tx.Credentials.Credentials(store.AdminToken, 0, 0)
		if err != nil || len(have) > 0 {
			token = ""
			return err
		}
		token = auth.NewAdminToken()
		c := o.credential(token, FirstOperator, auth.OperatorScopes())
		tx.Record(directory.CredentialEntry(c, false))
		return tx.Put(c)
	})
	return token, err
}

// credential returns the record of a new credential that does not expire.
func (o Operators) credential(token auth.Secret, name string, scopes []string) store.Credential {
	return store.Credential{
		Hash: auth.Hash(token.Reveal()), Kind: store.AdminToken, Name: name, Scopes: scopes,
		Created: o.Clock.Now().UTC().Truncate(time.Millisecond),
	}
}

// CreateTemporary creates a temporary credential with all scopes, for the dev controls.
func (o Operators) CreateTemporary(ctx context.Context) (auth.Secret, error) {
	token := auth.NewAdminToken()
	return token, o.Directory.Update(ctx, func(tx *directory.Tx) error {
		c := o.credential(token, "temporary", auth.OperatorScopes())
		c.Expires = c.Created.Add(TemporaryTokenLife)
		tx.Record(directory.CredentialEntry(c, false))
		return tx.Put(c)
	})
}

// CreateSession creates a session of an operator at a browser. It ends with the operator's own credential, and after
// OperatorSessionLife at the latest.
func (o Operators) CreateSession(ctx context.Context, by auth.Principal) (auth.Secret, time.Time, error) {
	secret := auth.NewAdminToken()
	c := o.credential(secret, by.Name, by.Scopes)
	c.Session, c.Expires = true, c.Created.Add(OperatorSessionLife)
	if !by.Expires.IsZero() && by.Expires.Before(c.Expires) {
		c.Expires = by.Expires
	}
	err := o.Directory.Update(ctx, func(tx *directory.Tx) error {
		old, err := operators(tx, by.Name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(old, func(c store.Credential) bool { return !c.Session }) {
			return auth.ErrUnauthorized // revoked in the meantime
		}
		sessions := slices.DeleteFunc(old, func(c store.Credential) bool { return !c.Session })
		slices.SortFunc(sessions, func(a, b store.Credential) int { return a.Created.Compare(b.Created) })
		for len(sessions) >= maxOperatorSessions {
			if err := auth.Revoke(tx.Tx, sessions[0].Hash); err != nil {
				return err
			}
			sessions = sessions[1:]
		}
		tx.Record(audit.Entry{Action: "operator.signin", Target: "operator/" + by.Name})
		return tx.Put(c)
	})
	return secret, c.Expires, err
}

// EndSession ends a session of an operator.
func (o Operators) EndSession(ctx context.Context, secret string) error {
	return o.Directory.Update(ctx, func(tx *directory.Tx) error {
		c, err := tx.Credentials.Credential(auth.Hash(secret))
		if errors.Is(err, store.ErrNotFound) || err == nil && !c.Session {
			return nil
		}
		if err != nil {
			return err
		}
		tx.Record(audit.Entry{Action: "operator.signout", Target: "operator/" + c.Name})
		return auth.Revoke(tx.Tx, c.Hash)
	})
}
