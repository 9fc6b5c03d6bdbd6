package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/commandfile"
	"github.com/bellhop/bellhop/snowflake"
)

// commandsScope says whose commands are meant, and where they are.
type commandsScope struct {
	BaseURL string `default:"http://127.0.0.1:8080/api/v10" placeholder:"URL" help:"Address of the API with its version, of any service that has this interface."`
	Token   string `env:"BELLHOP_TOKEN,BELLHOP_BOT_TOKEN" placeholder:"TOKEN" help:"The application's bot token, or \"Bearer \" and an access token."`
	App     string `env:"BELLHOP_APP,BELLHOP_APPLICATION_ID" placeholder:"ID" help:"The application."`
	Guild   string `placeholder:"ID" help:"The guild whose commands are meant; without it the global ones."`
}

// open returns a client, and the scope that it is for.
func (o commandsScope) open() (*client.Client, command.Scope, error) {
	var scope command.Scope
	var err error
	if o.Token == "" {
		return nil, scope, usageError{errors.New("--token is empty")}
	}
	if scope.Application, err = parseID[snowflake.Application]("--app", o.App); err != nil {
		return nil, scope, err
	}
	if o.Guild != "" {
		if scope.Guild, err = parseID[snowflake.Guild]("--guild", o.Guild); err != nil {
			return nil, scope, err
		}
	}
	return &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token)}, scope, nil
}

// authorization returns the header for a token; one without a word in front is a bot's.
func authorization(token string) string {
	if strings.Contains(token, " ") {
		return token
	}
	return "Bot " + token
}

// registered reads the commands of a scope.
func registered(ctx context.Context, c *client.Client, scope command.Scope) ([]commandfile.Registered, error) {
	list, err := c.Commands(ctx, scope)
	if err != nil {
		return nil, err
	}
	have := make([]commandfile.Registered, len(list))
	for i, l := range list {
		have[i] = commandfile.Registered{
			Command: command.Command{ID: l.ID, Scope: l.Scope, Version: l.Version, Type: l.Type, Name: l.Name, Doc: l.Doc()}, Raw: l.Raw,
		}
	}
	return have, nil
}

// planned is a file held against a service.
type planned struct {
	client *client.Client
	scope  command.Scope
	plan   *commandfile.Plan
	price  commandfile.Price
}

// plan reads the file and the service and compares them. The faults of the file are printed.
func (o commandsScope) plan(ctx context.Context, s streams, name string, prune bool) (*planned, error) {
	c, scope, err := o.open()
	if err != nil {
		return nil, err
	}
	file, err := readDefinitions(name)
	if err != nil {
		return nil, err
	}
	order := commandfile.Order{Prune: prune, Now: time.Now()}
	order.Env, order.Unsure = environment(ctx, c, scope)
	have, err := registered(ctx, c, scope)
	if err != nil {
		return nil, err
	}
	plan, faults, err := file.Plan(have, order)
	if err != nil {
		return nil, err
	}
	if err := printFaults(s, faults); err != nil {
		return nil, err
	}
	p := &planned{client: c, scope: scope, plan: plan}
	p.price, err = p.losses(ctx)
	return p, err
}

// environment asks the service what the application supports. An access token may not ask; then everything passes here, and
// the service judges.
func environment(ctx context.Context, c *client.Client, scope command.Scope) (env command.Env, unsure bool) {
	app, err := c.Application(ctx)
	if err == nil && app.ID == scope.Application && len(app.IntegrationTypes) > 0 {
		return app.Env(!scope.Global()), false
	}
	return command.Env{
		Guild: !scope.Global(), Embedded: true, Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall},
	}, true
}

// maxGuilds is in how many guilds the permissions of global commands are looked up.
const maxGuilds = 200

// losses finds the permissions that the plan would destroy.
func (p *planned) losses(ctx context.Context) (commandfile.Price, error) {
	var price commandfile.Price
	if len(p.plan.Losers) == 0 {
		return price, nil
	}
	guilds := []client.Guild{{ID: p.scope.Guild}}
	if p.scope.Global() {
		var err error
		guilds, err = p.client.Guilds(ctx, 0, maxGuilds)
		if _, refused := errors.AsType[*client.Error](err); refused {
			price.Unread = "the service does not list the application's guilds to this token"
			return price, nil
		}
		if err != nil {
			return price, err
		}
		if len(guilds) == maxGuilds {
			price.Unread = "the application may be in more guilds than were looked at"
		}
	}
	for _, g := range guilds {
		sets, err := p.client.GuildPermissions(ctx, p.scope.Application, g.ID)
		if client.IsStatus(err, http.StatusForbidden) {
			continue // no commands of the application there
		}
		if err != nil {
			return price, err
		}
		for _, set := range sets {
			if slices.Contains(p.plan.Losers, set.ID) && len(set.Entries) > 0 {
				price.Lost = append(price.Lost, commandfile.Lost{Guild: g.ID, Command: set.ID, Entries: len(set.Entries)})
			}
		}
	}
	return price, nil
}
