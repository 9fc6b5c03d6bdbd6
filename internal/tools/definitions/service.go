package definitions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
)

// Read reads the commands of a scope.
func Read(ctx context.Context, c *client.Client, scope command.Scope) ([]Registered, error) {
	list, err := c.Commands(ctx, scope)
	if err != nil {
		return nil, err
	}
	have := make([]Registered, len(list))
	for i, l := range list {
		have[i] = Registered{
			Command: command.Command{ID: l.ID, Scope: l.Scope, Version: l.Version, Type: l.Type, Name: l.Name, Doc: effective(l.Definition).Doc()}, Raw: l.Raw,
		}
	}
	return have, nil
}

// effective returns a definition without the members that have no effect on guild commands. Not every service shows
// them, and a plan must not find them missing every time.
func effective(d command.Definition) command.Definition {
	if d.Guild {
		d.NoDM, d.Contexts, d.IntegrationTypes = false, nil, nil
	}
	return d
}

// Permissive returns the environment of an application that supports everything.
func Permissive(guild bool) command.Env {
	return command.Env{
		Guild: guild, Embedded: true, Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall},
	}
}

// Environment asks the service what the application supports. An access token cannot read that; then Environment
// permits everything, and the service checks.
func Environment(ctx context.Context, c *client.Client, scope command.Scope) (env command.Env, unknown bool) {
	app, err := c.Application(ctx)
	if err == nil && app.ID == scope.Application && len(app.IntegrationTypes) > 0 {
		return app.Env(!scope.Global()), false
	}
	return Permissive(!scope.Global()), true
}

// maxGuilds is the number of guilds in which the permissions of global commands are looked up.
const maxGuilds = 200

// ReadLosses reads the permissions that the plan would delete.
func (p *Plan) ReadLosses(ctx context.Context, c *client.Client, scope command.Scope) (Losses, error) {
	var losses Losses
	losers := p.Losers()
	if len(losers) == 0 {
		return losses, nil
	}
	guilds := []client.Guild{{ID: scope.Guild}}
	if scope.Global() {
		var err error
		guilds, err = c.Guilds(ctx, 0, maxGuilds)
		if _, refused := errors.AsType[*client.Error](err); refused {
			losses.Unread = "the service does not list the application's guilds for this token"
			return losses, nil
		}
		if err != nil {
			return losses, err
		}
		if len(guilds) == maxGuilds {
			losses.Unread = fmt.Sprintf("only the first %d guilds were read", maxGuilds)
		}
	}
	for _, g := range guilds {
		sets, err := c.GuildPermissions(ctx, scope.Application, g.ID)
		if client.IsStatus(err, http.StatusForbidden) {
			continue // the application has no commands there
		}
		if err != nil {
			return losses, err
		}
		for _, set := range sets {
			if slices.Contains(losers, set.ID) && len(set.Entries) > 0 {
				losses.Lost = append(losses.Lost, Loss{Guild: g.ID, Command: set.ID, Entries: len(set.Entries)})
			}
		}
	}
	return losses, nil
}
