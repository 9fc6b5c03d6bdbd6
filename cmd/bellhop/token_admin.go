package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/operators"
)

// adminLocation is a data folder, or a running service and the token of an operator.
type adminLocation struct {
	installation `embed:""`

	AdminToken string `placeholder:"TOKEN" help:"Token of an operator of the running service. Not needed with --data."`
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
	switch {
	case o.Expires < 0:
		return usageError{errors.New("--expires must not be negative")}
	case o.Data != "":
		return withService(ctx, o.folder(), s, func(srv *server.Server) error { return o.run(ctx, s, operators.Local{Operators: srv.Operators()}) })
	case o.AdminToken == "":
		return usageError{errors.New("--admin-token or --data is missing")}
	}
	return o.run(ctx, s, operators.Remote{Root: o.root(), Token: o.AdminToken})
}

// operatorTokens are the tokens of operators, in a data folder or on a running service.
type operatorTokens interface {
	List(ctx context.Context) ([]operators.Operator, error)
	Revoke(ctx context.Context, name string) error
	Put(ctx context.Context, name string, scopes []string, life time.Duration) (string, error)
}

func (o tokenAdmin) run(ctx context.Context, s streams, tokens operatorTokens) error {
	switch {
	case o.List:
		list, err := tokens.List(ctx)
		if err != nil {
			return err
		}
		return o.printOperators(s, list)
	case o.Revoke != "":
		return tokens.Revoke(ctx, o.Revoke)
	}
	token, err := tokens.Put(ctx, o.Name, o.Scope, o.Expires)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, token)
	return err
}

func (o tokenAdmin) printOperators(s streams, found []operators.Operator) error {
	l := list{header: []string{"NAME", "SCOPES", "CREATED", "EXPIRES"}, value: found}
	for _, c := range found {
		expires := "never"
		if !c.Expires.IsZero() {
			expires = c.Expires.Format(time.RFC3339)
		}
		l.rows = append(l.rows, []string{c.Name, strings.Join(c.Scopes, ","), c.Created.Format(time.RFC3339), expires})
	}
	return o.print(s, l)
}
