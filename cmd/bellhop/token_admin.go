package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/remote"
)

// adminLocation is a data folder, or a running service and the token of an operator.
type adminLocation struct {
	installation `embed:""`

	AdminToken string `placeholder:"TOKEN" help:"Token of an operator of the running service. Not needed with --data."`
}

// request returns a request to the admin API of the running service.
func (l adminLocation) request(method, path string) (remote.Request, error) {
	if l.AdminToken == "" {
		return remote.Request{}, usageError{errors.New("--admin-token or --data is missing")}
	}
	return remote.Request{Method: method, URL: l.root() + "/admin/v1" + path, Token: l.AdminToken}, nil
}

type tokenAdmin struct {
	adminLocation `embed:""`
	outputOptions `embed:""`

	Name    string        `default:"admin" help:"Name of the token. A token with the same name is replaced: the old one stops working."`
	Scope   []string      `default:"read,directory,secrets" help:"What the token may do: read, directory, secrets."`
	Expires time.Duration `placeholder:"DURATION" help:"Time after which the token expires. Default: never."`
	List    bool          `help:"List the tokens of operators instead of creating one." xor:"do"`
	Revoke  string        `placeholder:"NAME" help:"Revoke a token instead of creating one." xor:"do"`
}

// Run prints the new token, or lists or revokes tokens.
func (o tokenAdmin) Run(ctx context.Context, s streams) error {
	if o.Expires < 0 {
		return usageError{errors.New("--expires must not be negative")}
	}
	if o.Data != "" {
		return withService(ctx, o.installation, s, func(srv *server.Server) error { return o.runLocally(ctx, s, srv.Operators()) })
	}
	switch {
	case o.List:
		var list []operatorInfo
		if err := o.ask(ctx, http.MethodGet, "/operators", nil, &list); err != nil {
			return err
		}
		return o.printOperators(s, list)
	case o.Revoke != "":
		return o.ask(ctx, http.MethodDelete, "/operators/"+url.PathEscape(o.Revoke), nil, nil)
	}
	var made operatorInfo
	body := struct {
		Scopes    []string `json:"scopes"`
		ExpiresIn int      `json:"expires_in,omitzero"`
	}{o.Scope, int(o.Expires.Seconds())}
	if err := o.ask(ctx, http.MethodPut, "/operators/"+url.PathEscape(o.Name), body, &made); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, made.Token)
	return err
}

// runLocally does the same in a data folder.
func (o tokenAdmin) runLocally(ctx context.Context, s streams, operators credentials.Operators) error {
	switch {
	case o.List:
		list, err := operators.List(ctx)
		if err != nil {
			return err
		}
		shown := make([]operatorInfo, len(list))
		for i, c := range list {
			shown[i] = operatorInfo{Name: c.Name, Scopes: c.Scopes, Created: c.Created, Expires: c.Expires}
		}
		return o.printOperators(s, shown)
	case o.Revoke != "":
		return operators.Revoke(ctx, o.Revoke, credentials.LocalOperator())
	}
	given := credentials.Operator{Name: o.Name, Scopes: o.Scope}
	if o.Expires > 0 {
		given.Expires = time.Now().Add(o.Expires).UTC().Truncate(time.Millisecond)
	}
	token, _, err := operators.Put(ctx, &given, credentials.LocalOperator())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, token.Reveal())
	return err
}

// ask sends a request to the admin API and parses the response into answer, unless it is nil.
func (o tokenAdmin) ask(ctx context.Context, method, path string, body, answer any) error {
	q, err := o.request(method, path)
	if err != nil {
		return err
	}
	return q.Ask(ctx, body, answer)
}

// operatorInfo is an operator's token in the responses of the admin API.
type operatorInfo struct {
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at,omitzero"` // zero: never
	Token   string    `json:"token,omitzero"`
}

func (o tokenAdmin) printOperators(s streams, operators []operatorInfo) error {
	l := list{header: []string{"NAME", "SCOPES", "CREATED", "EXPIRES"}, value: operators}
	for _, c := range operators {
		expires := "never"
		if !c.Expires.IsZero() {
			expires = c.Expires.Format(time.RFC3339)
		}
		l.rows = append(l.rows, []string{c.Name, strings.Join(c.Scopes, ","), c.Created.Format(time.RFC3339), expires})
	}
	return o.print(s, l)
}
