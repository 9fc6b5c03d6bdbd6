package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// commandsScope names a service and the scope of the commands.
type commandsScope struct {
	BaseURL string `default:"http://127.0.0.1:8080/api/v10" placeholder:"URL" help:"Base URL of the API, with its version. Works with any service that has this API."`
	Token   string `env:"BELLHOP_TOKEN,BELLHOP_BOT_TOKEN" placeholder:"TOKEN" help:"The bot token of the application, or \"Bearer \" and an access token."`
	App     string `env:"BELLHOP_APP,BELLHOP_APPLICATION_ID" placeholder:"ID" help:"The application id."`
	Guild   string `placeholder:"ID" help:"The guild id, for guild commands. Without it: global commands."`
}

// open returns a client and the scope.
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
	return &client.Client{BaseURL: o.BaseURL, Authorization: authorization(o.Token), HTTP: newAPIClient()}, scope, nil
}

// authorization returns the Authorization header for a token. A token without a prefix is a bot token.
func authorization(token string) string {
	if strings.Contains(token, " ") {
		return token
	}
	return "Bot " + token
}

// registered reads the commands of a scope.
func registered(ctx context.Context, c *client.Client, scope command.Scope) ([]registeredCommand, error) {
	list, err := c.Commands(ctx, scope)
	if err != nil {
		return nil, err
	}
	have := make([]registeredCommand, len(list))
	for i, l := range list {
		have[i] = registeredCommand{
			Command: command.Command{ID: l.ID, Scope: l.Scope, Version: l.Version, Type: l.Type, Name: l.Name, Doc: l.Doc()}, raw: l.Raw,
		}
	}
	return have, nil
}

// planned is the plan of a push, and the client and scope that it is for.
type planned struct {
	client *client.Client
	scope  command.Scope
	plan   *pushPlan
	losses permissionLosses
}

// plan compares a file with the commands of the service. It prints the findings of the file.
func (o commandsScope) plan(ctx context.Context, s streams, name string, prune bool) (*planned, error) {
	c, scope, err := o.open()
	if err != nil {
		return nil, err
	}
	file, err := readDefinitions(name)
	if err != nil {
		return nil, err
	}
	options := planOptions{prune: prune, now: time.Now()}
	options.env, options.supportUnknown = environment(ctx, c, scope)
	have, err := registered(ctx, c, scope)
	if err != nil {
		return nil, err
	}
	plan, findings, err := makePlan(file, have, options)
	if err != nil {
		return nil, err
	}
	if err := printFindings(s, name, findings); err != nil {
		return nil, err
	}
	p := &planned{client: c, scope: scope, plan: plan}
	p.losses, err = p.readLosses(ctx)
	return p, err
}

// environment asks the service what the application supports. An access token cannot read that; then environment
// permits everything, and the service checks.
func environment(ctx context.Context, c *client.Client, scope command.Scope) (env command.Env, unknown bool) {
	app, err := c.Application(ctx)
	if err == nil && app.ID == scope.Application && len(app.IntegrationTypes) > 0 {
		return app.Env(!scope.Global()), false
	}
	return permissive(!scope.Global()), true
}

// maxGuilds is the number of guilds in which the permissions of global commands are looked up.
const maxGuilds = 200

// readLosses reads the permissions that the plan would delete.
func (p *planned) readLosses(ctx context.Context) (permissionLosses, error) {
	var losses permissionLosses
	losers := p.plan.losers()
	if len(losers) == 0 {
		return losses, nil
	}
	guilds := []client.Guild{{ID: p.scope.Guild}}
	if p.scope.Global() {
		var err error
		guilds, err = p.client.Guilds(ctx, 0, maxGuilds)
		if _, refused := errors.AsType[*client.Error](err); refused {
			losses.unread = "the service does not list the application's guilds for this token"
			return losses, nil
		}
		if err != nil {
			return losses, err
		}
		if len(guilds) == maxGuilds {
			losses.unread = fmt.Sprintf("only the first %d guilds were read", maxGuilds)
		}
	}
	for _, g := range guilds {
		sets, err := p.client.GuildPermissions(ctx, p.scope.Application, g.ID)
		if client.IsStatus(err, http.StatusForbidden) {
			continue // the application has no commands there
		}
		if err != nil {
			return losses, err
		}
		for _, set := range sets {
			if slices.Contains(losers, set.ID) && len(set.Entries) > 0 {
				losses.lost = append(losses.lost, lostPermissions{guild: g.ID, command: set.ID, entries: len(set.Entries)})
			}
		}
	}
	return losses, nil
}
