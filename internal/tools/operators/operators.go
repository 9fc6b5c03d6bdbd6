// Package operators creates, lists and revokes the tokens of operators, on a running service or in a data folder.
package operators

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/tools/remote"
)

// Operator is a token of an operator. Only a new one has the secret.
type Operator struct {
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at,omitzero"` // zero: never
	Token   string    `json:"token,omitzero"`
}

// Remote keeps the tokens of a running service.
type Remote struct {
	Root  string // URL of the service, without the path of the API
	Token string // of an operator
}

// ask sends a request to the admin API and parses the response into answer, unless it is nil.
func (r Remote) ask(ctx context.Context, method, name string, body, answer any) error {
	q := remote.Request{Method: method, URL: r.Root + "/admin/v1/operators", Token: r.Token}
	if name != "" {
		q.URL += "/" + url.PathEscape(name)
	}
	return q.Ask(ctx, body, answer)
}

// List returns the tokens, without their secrets.
func (r Remote) List(ctx context.Context) (list []Operator, err error) {
	return list, r.ask(ctx, http.MethodGet, "", nil, &list)
}

// Revoke revokes a token.
func (r Remote) Revoke(ctx context.Context, name string) error {
	return r.ask(ctx, http.MethodDelete, name, nil, nil)
}

// Put creates or replaces a token, and returns its secret. A life of 0 has no end.
func (r Remote) Put(ctx context.Context, name string, scopes []string, life time.Duration) (string, error) {
	body := struct {
		Scopes    []string `json:"scopes"`
		ExpiresIn int      `json:"expires_in,omitzero"`
	}{scopes, int(life.Seconds())}
	var made Operator
	err := r.ask(ctx, http.MethodPut, name, body, &made)
	return made.Token, err
}

// Local keeps the tokens of a data folder that no service uses.
type Local struct{ credentials.Operators }

// List returns the tokens, without their secrets.
func (l Local) List(ctx context.Context) ([]Operator, error) {
	found, err := l.Operators.List(ctx)
	list := make([]Operator, len(found))
	for i, c := range found {
		list[i] = Operator{Name: c.Name, Scopes: c.Scopes, Created: c.Created, Expires: c.Expires}
	}
	return list, err
}

// Revoke revokes a token.
func (l Local) Revoke(ctx context.Context, name string) error {
	return l.Operators.Revoke(ctx, name, credentials.LocalOperator())
}

// Put creates or replaces a token, and returns its secret. A life of 0 has no end.
func (l Local) Put(ctx context.Context, name string, scopes []string, life time.Duration) (string, error) {
	given := credentials.Operator{Name: name, Scopes: scopes}
	if life > 0 {
		given.Expires = l.Clock.Now().Add(life).UTC().Truncate(time.Millisecond)
	}
	token, _, err := l.Operators.Put(ctx, &given, credentials.LocalOperator())
	return token.Reveal(), err
}
