package permissions

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// appCommands are the commands of an application that users can see in a channel.
type appCommands struct {
	app       *store.Application
	installed permission.Installs
	scopes    []*scopeCommands // global commands first, then those of the guild
	sets      *registry.Sets   // nil outside of the guilds that have the application
}

// hides reports whether no user sees a command: the entry point of an application without activities.
func (a *appCommands) hides(it *item) bool {
	return it.Type == command.PrimaryEntryPoint && !a.app.Activities
}

// guildApp is an application that a guild has installed, with its commands and permission sets there at one moment.
type guildApp struct {
	app      *store.Application
	commands registry.GuildCommands
}

// guildApps returns the applications of a guild. The result contains every write that was acknowledged before the call.
func (p *Picker) guildApps(ctx context.Context, guild *directory.GuildState) ([]guildApp, error) {
	list := make([]guildApp, 0, len(guild.Installs))
	for i := range guild.Installs {
		g, err := p.guildApp(ctx, guild.ID, guild.Installs[i].Application)
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // deleted between the two reads
		}
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

func (p *Picker) guildApp(ctx context.Context, guild snowflake.Guild, id snowflake.Application) (g guildApp, err error) {
	if g.app, err = p.Directory.Applications.Application(ctx, id); err != nil {
		return g, err
	}
	g.commands, err = p.Commands.GuildCommands(ctx, id, guild)
	return g, err
}

// prepare returns the prepared commands of an application in a guild.
func (p *Picker) prepare(g *guildApp, guild snowflake.Guild, installed permission.Installs) (appCommands, error) {
	global, err := p.scopeCommands(command.Scope{Application: g.app.ID}, g.commands.Global)
	if err != nil {
		return appCommands{}, err
	}
	local, err := p.scopeCommands(command.Scope{Application: g.app.ID, Guild: guild}, g.commands.Guild)
	return appCommands{
		app: g.app, installed: installed, scopes: []*scopeCommands{global, local}, sets: g.commands.Sets,
	}, err
}

// globalCommands returns only the global commands of an application.
func (p *Picker) globalCommands(
	ctx context.Context, id snowflake.Application, installed permission.Installs,
) (appCommands, error) {
	app, err := p.Directory.Applications.Application(ctx, id)
	if err != nil {
		return appCommands{}, err
	}
	scope := command.Scope{Application: id}
	state, err := p.Commands.State(ctx, scope)
	if err != nil {
		return appCommands{}, err
	}
	s, err := p.scopeCommands(scope, state)
	return appCommands{app: app, installed: installed, scopes: []*scopeCommands{s}}, err
}

// appCommands returns the commands of an application in the invoker's channel.
func (p *Picker) appCommands(ctx context.Context, v *Invoker, app snowflake.Application) (appCommands, error) {
	if v.Guild == nil || !v.Guild.Installed(app) {
		return p.globalCommands(ctx, app, v.Installed(app))
	}
	g, err := p.guildApp(ctx, v.Guild.ID, app)
	if err != nil {
		return appCommands{}, err
	}
	return p.prepare(&g, v.Guild.ID, v.Installed(app))
}

// allCommands returns the commands of all applications in the invoker's channel, ordered by application.
func (p *Picker) allCommands(ctx context.Context, v *Invoker) ([]appCommands, error) {
	var list []appCommands
	if v.Guild != nil {
		apps, err := p.guildApps(ctx, v.Guild)
		if err != nil {
			return nil, err
		}
		for i := range apps {
			a, err := p.prepare(&apps[i], v.Guild.ID, v.Installed(apps[i].app.ID))
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
	}
	for _, app := range v.otherApps() {
		a, err := p.globalCommands(ctx, app, v.Installed(app))
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // deleted between the two reads
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b appCommands) int { return cmp.Compare(a.app.ID, b.app.ID) })
	return list, nil
}
