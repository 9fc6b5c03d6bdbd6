package definitions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

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

// Push is the plan of a push to the commands of a scope.
type Push struct {
	*Plan

	Losses Losses

	client *client.Client
	scope  command.Scope
}

// Prepare compares a file with the commands of a scope. It returns no push but findings if a definition breaks a rule. prune
// deletes the commands that are not in the file.
func Prepare(ctx context.Context, c *client.Client, scope command.Scope, file *command.File, prune bool, now time.Time) (*Push, []command.Finding, error) {
	options := Options{Prune: prune, Now: now}
	options.Env, options.SupportUnknown = Environment(ctx, c, scope)
	have, err := Read(ctx, c, scope)
	if err != nil {
		return nil, nil, err
	}
	plan, findings, err := Compare(file, have, options)
	if err != nil || len(findings) > 0 {
		return nil, findings, err
	}
	p := &Push{Plan: plan, client: c, scope: scope}
	p.Losses, err = plan.readLosses(ctx, c, scope)
	return p, nil, err
}

// Send replaces all commands of the scope with one request. It returns how many the scope has then.
func (p *Push) Send(ctx context.Context) (int, error) {
	list, err := p.client.OverwriteRaw(ctx, p.scope, p.List)
	return len(list), err
}

// maxGuilds is the number of guilds in which the permissions of global commands are looked up.
const maxGuilds = 200

// readLosses reads the permissions that the plan would delete.
func (p *Plan) readLosses(ctx context.Context, c *client.Client, scope command.Scope) (Losses, error) {
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
