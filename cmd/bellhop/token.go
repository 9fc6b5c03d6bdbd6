package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// tokenOptions are the subcommands of "bellhop token".
type tokenOptions struct {
	Bot    tokenBot    `cmd:"" help:"Mint a new bot token for an application; its old one stops working."`
	User   tokenUser   `cmd:"" help:"Mint a token for a person's own client."`
	Client tokenClient `cmd:"" help:"Mint an access token for an application: its own, or acting for a user."`
	Admin  tokenAdmin  `cmd:"" help:"Mint a new token for the operator; the old one stops working."`
}

type tokenBot struct {
	App  string `required:"" placeholder:"ID" help:"The application."`
	Data string `required:"" type:"path" placeholder:"DIR" help:"Data folder of a service that is not running."`
}

// Run prints the new token.
func (o tokenBot) Run(ctx context.Context, s streams) error {
	app, err := parseID[snowflake.Application]("--app", o.App)
	if err != nil {
		return err
	}
	return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
		token, err := d.Tokens.ReplaceBotToken(ctx, app)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, token.Reveal())
		return err
	})
}

type tokenUser struct {
	User string `required:"" placeholder:"ID" help:"The user."`
	Data string `required:"" type:"path" placeholder:"DIR" help:"Data folder of a service that is not running."`
}

// Run prints the new token.
func (o tokenUser) Run(ctx context.Context, s streams) error {
	user, err := parseID[snowflake.User]("--user", o.User)
	if err != nil {
		return err
	}
	return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
		token, err := d.Tokens.ReplaceUserToken(ctx, user)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, token.Reveal())
		return err
	})
}

type tokenClient struct {
	place `embed:""`

	App   string   `required:"" placeholder:"ID" help:"The application."`
	User  string   `placeholder:"ID" help:"The user it acts for; without it the application itself."`
	Scope []string `default:"applications.commands.update" help:"Scopes of the token."`
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
		return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
			token, err := d.Tokens.CreateAccessToken(ctx, app, user, o.Scope)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.out, token.Reveal())
			return err
		})
	}
	ask := struct {
		Application snowflake.Application `json:"application"`
		User        snowflake.User        `json:"user,omitzero"`
		Scopes      []string              `json:"scopes"`
	}{app, user, o.Scope}
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	q := request{method: http.MethodPost, url: o.root() + "/_dev/token", contentType: "application/json", body: body}
	answer, err := q.send(ctx)
	if err != nil {
		return err
	}
	var made struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return fmt.Errorf("answer of the service: %w", err)
	}
	_, err = fmt.Fprintln(s.out, made.AccessToken)
	return err
}

type tokenAdmin struct {
	Data string `required:"" type:"path" placeholder:"DIR" help:"Data folder of a service that is not running."`
}

// Run prints the new token.
func (o tokenAdmin) Run(ctx context.Context, s streams) error {
	return withDirectory(ctx, o.Data, s, func(d *directory.Directory) error {
		token, err := d.Tokens.ReplaceAdminToken(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, token.Reveal())
		return err
	})
}

func parseID[T ~uint64](flag, text string) (T, error) {
	id, err := snowflake.Parse[T](text)
	if err != nil {
		return 0, usageError{fmt.Errorf("%s %q: %w", flag, text, err)}
	}
	return id, nil
}
