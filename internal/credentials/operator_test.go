package credentials_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
)

// fixture is a directory with its credentials.
type fixture struct {
	*lab.Fixture

	Operators credentials.Operators
	Tokens    credentials.Tokens
}

func open(t testing.TB) *fixture {
	t.Helper()
	d := lab.Open(t)
	return &fixture{d, credentials.Operators{Directory: d.Directory, Clock: d.Now}, credentials.Tokens{Directory: d.Directory, Clock: d.Now}}
}

// operator returns the operator of a token, or false if the token is not valid.
func (d *fixture) operator(t *testing.T, token auth.Secret) (auth.Principal, bool) {
	t.Helper()
	p, err := d.Auth.AuthenticateOperator(t.Context(), "Bearer "+token.Reveal())
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		t.Fatal(err)
	}
	return p, err == nil
}

// putOperator creates or replaces a credential as the operator on the machine.
func (d *fixture) putOperator(t *testing.T, o credentials.Operator) auth.Secret {
	t.Helper()
	token, _, err := d.Operators.Put(t.Context(), &o, credentials.LocalOperator())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestFirstOperator(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := lab.Get[auth.Secret](t)(d.Operators.CreateFirst(t.Context()))
	if p, ok := d.operator(t, first); !ok || p.Name != credentials.FirstOperator || !slices.Equal(p.Scopes, auth.OperatorScopes()) {
		t.Fatalf("the first token is that of %+v, %v", p, ok)
	}
	if again := lab.Get[auth.Secret](t)(d.Operators.CreateFirst(t.Context())); again != "" {
		t.Error("CreateFirst() created a second token")
	}
	second := d.putOperator(t, credentials.Operator{Name: credentials.FirstOperator, Scopes: auth.OperatorScopes()})
	if _, ok := d.operator(t, second); !ok {
		t.Error("the new token does not work")
	}
	if _, ok := d.operator(t, first); ok {
		t.Error("the replaced token still works")
	}
	d.ApplyText(t, lab.World)
	lab.Get[provision.Applied](t)(d.Reset(t.Context(), lab.Parse(t, lab.World)))
	if _, ok := d.operator(t, second); !ok {
		t.Error("Reset() revokes the operator's token")
	}
}

func TestOperators(t *testing.T) {
	t.Parallel()
	d := open(t)
	admin := d.putOperator(t, credentials.Operator{Name: "admin", Scopes: auth.OperatorScopes()})
	ci := d.putOperator(t, credentials.Operator{Name: "ci", Scopes: []string{auth.OperatorRead}, Expires: lab.Start.Add(time.Hour)})
	list := lab.Get[[]credentials.Operator](t)(d.Operators.List(t.Context()))
	if len(list) != 2 || list[1].Name != "ci" || !list[1].Expires.Equal(lab.Start.Add(time.Hour)) || !list[1].Created.Equal(lab.Start) {
		t.Errorf("List() = %+v", list)
	}
	if p, ok := d.operator(t, ci); !ok || p.Name != "ci" || !p.IsOperator(auth.OperatorRead) || p.IsOperator(auth.OperatorDirectory) {
		t.Errorf("the token of ci is that of %+v, %v", p, ok)
	}
	if err := d.Operators.Revoke(t.Context(), "admin", credentials.LocalOperator()); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.operator(t, admin); ok {
		t.Error("a revoked token works")
	}
	if _, ok := d.operator(t, ci); !ok {
		t.Error("revoking one token revokes another one")
	}
	if err := d.Operators.Revoke(t.Context(), "admin", credentials.LocalOperator()); !errors.Is(err, credentials.ErrUnknownOperator) {
		t.Errorf("Revoke() of an unknown operator = %v", err)
	}
	d.Now.Time = lab.Start.Add(time.Hour)
	if _, ok := d.operator(t, ci); ok {
		t.Error("an expired token works")
	}
	if list := lab.Get[[]credentials.Operator](t)(d.Operators.List(t.Context())); len(list) != 0 {
		t.Errorf("List() with expired tokens = %+v", list)
	}
}

func TestOperatorRules(t *testing.T) {
	t.Parallel()
	d := open(t)
	for name, o := range map[string]credentials.Operator{
		"no name":          {Scopes: auth.OperatorScopes()},
		"a name with path": {Name: "a/b", Scopes: auth.OperatorScopes()},
		"no scopes":        {Name: "a"},
		"an unknown scope": {Name: "a", Scopes: []string{"root"}},
		"expired":          {Name: "a", Scopes: auth.OperatorScopes(), Expires: lab.Start},
	} {
		_, _, err := d.Operators.Put(t.Context(), &o, credentials.LocalOperator())
		if _, ok := errors.AsType[*jsonbody.Tree](err); !ok {
			t.Errorf("%s: Put() = %v, want a *jsonbody.Tree", name, err)
		}
	}
	for n := range credentials.MaxOperators {
		d.putOperator(t, credentials.Operator{Name: fmt.Sprint("op", n), Scopes: auth.OperatorScopes()})
	}
	one := credentials.Operator{Name: "more", Scopes: auth.OperatorScopes()}
	if _, _, err := d.Operators.Put(t.Context(), &one, credentials.LocalOperator()); !errors.Is(err, credentials.ErrTooManyOperators) {
		t.Errorf("Put() of one too many = %v", err)
	}
}

// TestOperatorCannotGainScopes tries to create, replace and revoke credentials with scopes that the caller lacks.
func TestOperatorCannotGainScopes(t *testing.T) {
	t.Parallel()
	d := open(t)
	admin := d.putOperator(t, credentials.Operator{Name: "admin", Scopes: auth.OperatorScopes()})
	by := auth.Principal{Kind: store.AdminToken, Name: "rotator", Scopes: []string{auth.OperatorSecrets}}
	for name, o := range map[string]credentials.Operator{
		"create with more scopes": {Name: "new", Scopes: []string{auth.OperatorSecrets, auth.OperatorDirectory}},
		"replace a stronger one":  {Name: "admin", Scopes: []string{auth.OperatorSecrets}},
	} {
		if _, _, err := d.Operators.Put(t.Context(), &o, by); !errors.Is(err, credentials.ErrOperatorScope) {
			t.Errorf("%s: %v, want ErrOperatorScope", name, err)
		}
	}
	if err := d.Operators.Revoke(t.Context(), "admin", by); !errors.Is(err, credentials.ErrOperatorScope) {
		t.Errorf("revoke a stronger one: %v, want ErrOperatorScope", err)
	}
	if _, ok := d.operator(t, admin); !ok {
		t.Error("the stronger token does not work any more")
	}
	if _, _, err := d.Operators.Put(t.Context(), &credentials.Operator{Name: "new", Scopes: by.Scopes}, by); err != nil {
		t.Errorf("create an equal one: %v", err)
	}
}

func TestOperatorSession(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := d.putOperator(t, credentials.Operator{Name: "ci", Scopes: []string{auth.OperatorRead}, Expires: lab.Start.Add(time.Hour)})
	by, _ := d.operator(t, token)
	begin := func() auth.Secret {
		t.Helper()
		secret, expires, err := d.Operators.CreateSession(t.Context(), by)
		if err != nil || !expires.Equal(lab.Start.Add(time.Hour)) {
			t.Fatalf("CreateSession() = %v, %v, want the expiry of the token", expires, err)
		}
		return secret
	}
	holds := func(secret auth.Secret) bool {
		p, err := d.Auth.AuthenticateOperatorSession(t.Context(), secret.Reveal())
		return err == nil && p.Name == "ci" && slices.Equal(p.Scopes, by.Scopes)
	}
	first := begin()
	if _, asToken := d.operator(t, first); !holds(first) || asToken {
		t.Error("the secret of a session must be valid as a cookie only")
	}
	if err := d.Operators.EndSession(t.Context(), first.Reveal()); err != nil || holds(first) {
		t.Errorf("EndSession() = %v, the session holds: %v", err, holds(first))
	}
	second := begin()
	d.putOperator(t, credentials.Operator{Name: "ci", Scopes: by.Scopes})
	if holds(second) {
		t.Error("a session survives the replacement of its token")
	}
	if err := d.Operators.Revoke(t.Context(), "ci", credentials.LocalOperator()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Operators.CreateSession(t.Context(), by); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("CreateSession() with a revoked token = %v", err)
	}
}

// TestOperatorTokenDoesNotOutliveItsIssuer checks that a credential expires with the credential that created it at the
// latest, also if a session of that credential created it.
func TestOperatorTokenDoesNotOutliveItsIssuer(t *testing.T) {
	t.Parallel()
	d := open(t)
	end := d.Now.Now().UTC().Truncate(time.Millisecond).Add(time.Hour)
	short := credentials.Operator{Name: "short", Scopes: auth.OperatorScopes(), Expires: end}
	if _, _, err := d.Operators.Put(t.Context(), &short, credentials.LocalOperator()); err != nil {
		t.Fatal(err)
	}
	endless := credentials.Operator{Name: "endless", Scopes: auth.OperatorScopes()}
	if _, _, err := d.Operators.Put(t.Context(), &endless, credentials.LocalOperator()); err != nil || !endless.Expires.IsZero() {
		t.Fatalf("%+v, %v", endless, err)
	}
	for _, tt := range []struct {
		name string
		by   auth.Principal
		give time.Time
		want time.Time
	}{
		{"no end", auth.Principal{Name: "short", Expires: end}, time.Time{}, end},
		{"a later end", auth.Principal{Name: "short", Expires: end}, end.Add(time.Hour), end},
		{"an earlier end", auth.Principal{Name: "short", Expires: end}, end.Add(-time.Minute), end.Add(-time.Minute)},
		{"a session of a credential without end", auth.Principal{Name: "endless", Expires: end}, time.Time{}, time.Time{}},
		{"a credential that is gone", auth.Principal{Name: "gone", Expires: end}, time.Time{}, end},
		{"the credential itself", auth.Principal{Name: "short", Expires: end}, time.Time{}, end},
	} {
		tt.by.Scopes = auth.OperatorScopes()
		made := credentials.Operator{Name: "made", Scopes: []string{auth.OperatorRead}, Expires: tt.give}
		if tt.name == "the credential itself" {
			made.Name = "short"
		}
		if _, _, err := d.Operators.Put(t.Context(), &made, tt.by); err != nil || !made.Expires.Equal(tt.want) {
			t.Errorf("%s: expires %v, %v, want %v", tt.name, made.Expires, err, tt.want)
		}
		list, err := d.Operators.List(t.Context())
		if err != nil || !slices.ContainsFunc(list, func(o credentials.Operator) bool { return o.Name == made.Name && o.Expires.Equal(tt.want) }) {
			t.Errorf("%s: stored %+v, %v", tt.name, list, err)
		}
	}
}
