package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/tools/definitions"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/snowflake"
)

// commandsScope names a service and the scope of the commands.
type commandsScope struct {
	BaseURL string `default:"http://127.0.0.1:8080/api/v10" placeholder:"URL" help:"Base URL of the API, with its version. Works with any service that has this API."`
	Token   string `env:"BELLHOP_TOKEN,BELLHOP_BOT_TOKEN" placeholder:"TOKEN" help:"The bot token of the application, or \"Bearer \" and an access token."`
	App     string `env:"BELLHOP_APP,BELLHOP_APPLICATION_ID" placeholder:"ID" help:"The application id."`
	Guild   string `placeholder:"ID" help:"The guild id, for guild commands. Without it: global commands."`
}

// errNoToken means that a subcommand has no bot token.
var errNoToken = usageError{errors.New("--token is empty: use the flag, or set BELLHOP_TOKEN or BELLHOP_BOT_TOKEN")}

// open returns a client and the scope.
func (o commandsScope) open() (*client.Client, command.Scope, error) {
	var scope command.Scope
	var err error
	if o.Token == "" {
		return nil, scope, errNoToken
	}
	if scope.Application, err = parseID[snowflake.Application]("--app", o.App); err != nil {
		return nil, scope, err
	}
	if o.Guild != "" {
		if scope.Guild, err = parseID[snowflake.Guild]("--guild", o.Guild); err != nil {
			return nil, scope, err
		}
	}
	return &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token), HTTP: remote.NewClient(version)}, scope, nil
}

// authorization returns the Authorization header for a token. A token without a prefix is a bot token.
func authorization(token string) string {
	if strings.Contains(token, " ") {
		return token
	}
	return "Bot " + token
}

// plan compares a file with the commands of the service. It prints the findings of the file.
func (o commandsScope) plan(ctx context.Context, s streams, name string, prune bool) (*definitions.Push, error) {
	c, scope, err := o.open()
	if err != nil {
		return nil, err
	}
	file, err := readDefinitions(name)
	if err != nil {
		return nil, err
	}
	p, findings, err := definitions.Prepare(ctx, c, scope, file, prune, time.Now())
	if err != nil {
		return nil, err
	}
	return p, printFindings(s, name, findings)
}
