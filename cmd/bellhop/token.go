package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/snowflake"
)

// tokenOptions are the subcommands of "bellhop token".
type tokenOptions struct {
	Bot    tokenBot    `cmd:"" help:"Replace the bot token of an application. The old token stops working."`
	User   tokenUser   `cmd:"" help:"Replace the token of a user's own client. The old token stops working."`
	Client tokenClient `cmd:"" help:"Create an OAuth2 access token, for an application or for a user."`
	Admin  tokenAdmin  `cmd:"" help:"Create, replace, list and revoke the tokens of operators, on a running service or in a data folder."`
}

// dataFolder is the data folder of a stopped service.
type dataFolder struct {
	Data string `required:"" type:"path" placeholder:"DIR" help:"Data folder. Stop the service first."`

	Encryption encryptionOptions `embed:"" prefix:"encryption-"`
}

type tokenBot struct {
	App    string     `required:"" placeholder:"ID" help:"Application id."`
	Folder dataFolder `embed:""`
}

// Run prints the new token.
func (o tokenBot) Run(ctx context.Context, s streams) error {
	app, err := parseID[snowflake.Application]("--app", o.App)
	if err != nil {
		return err
	}
	return printNew(ctx, o.Folder, s, func(t credentials.Tokens) (auth.Secret, error) { return t.ReplaceBotToken(ctx, app) })
}

type tokenUser struct {
	User   string     `required:"" placeholder:"ID" help:"User id."`
	Folder dataFolder `embed:""`
}

// Run prints the new token.
func (o tokenUser) Run(ctx context.Context, s streams) error {
	user, err := parseID[snowflake.User]("--user", o.User)
	if err != nil {
		return err
	}
	return printNew(ctx, o.Folder, s, func(t credentials.Tokens) (auth.Secret, error) { return t.ReplaceUserToken(ctx, user) })
}

type tokenClient struct {
	installation `embed:""`

	App   string   `required:"" placeholder:"ID" help:"Application id."`
	User  string   `placeholder:"ID" help:"User id. Default: a token of the application itself."`
	Scope []string `default:"applications.commands.update" help:"OAuth2 scopes of the token."`
}

// Run prints the new token.
func (o tokenClient) Run(ctx context.Context, s streams) error {
	app, err := parseID[snowflake.Application]("--app", o.App)
	if err != nil {
		return err
	}
	var user snowflake.User
	if o.User != "" {
		if user, err = parseID[snowflake.User]("--user", o.User); err != nil {
			return err
		}
	}
	if o.Data != "" {
		return printNew(ctx, o.folder(), s, func(t credentials.Tokens) (auth.Secret, error) {
			return t.CreateAccessToken(ctx, app, user, o.Scope)
		})
	}
	body := struct {
		Application snowflake.Application `json:"application"`
		User        snowflake.User        `json:"user,omitzero"`
		Scopes      []string              `json:"scopes"`
	}{app, user, o.Scope}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	q := remote.Request{Method: http.MethodPost, URL: o.root() + "/_dev/token"}
	if err := q.Ask(ctx, body, &token); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, token.AccessToken)
	return err
}

// printNew creates a token in a data folder and prints it.
func printNew(ctx context.Context, in dataFolder, s streams, create func(credentials.Tokens) (auth.Secret, error)) error {
	return withService(ctx, in, s, func(srv *server.Server) error {
		token, err := create(srv.Tokens())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, token.Reveal())
		return err
	})
}

// parseID parses the id in a flag.
func parseID[T ~uint64](flag, text string) (T, error) {
	id, err := snowflake.Parse[T](text)
	if err != nil {
		return 0, usageError{fmt.Errorf("%s %q: %w", flag, text, err)}
	}
	return id, nil
}
