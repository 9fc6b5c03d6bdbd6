package picker

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

// offer is what an application has for a person in a place.
type offer struct {
	app       *store.Application
	installed permission.Installs
	shelves   []shelf        // the first is that of the global commands
	sets      *registry.Sets // nil where there are none
}

// shelf is a stock with the scope it belongs to.
type shelf struct {
	*stock

	scope command.Scope
}

// hides reports whether a command is not to be seen: the entry point of an application without Activities.
func (o *offer) hides(it *item) bool {
	return it.Type == command.PrimaryEntryPoint && !o.app.Activities
}

// offer returns what an application has for a person in a place.
func (p *Picker) offer(ctx context.Context, s *Spot, app snowflake.Application) (*offer, error) {
	if s.Place != nil && s.Place.Installed(app) {
		return p.guildOffer(ctx, s.Place.ID, app, s.installed(app))
	}
	return p.globalOffer(ctx, app, s.installed(app))
}

// globalOffer is an offer of global commands alone.
func (p *Picker) globalOffer(
	ctx context.Context, id snowflake.Application, installed permission.Installs,
) (*offer, error) {
	app, err := p.Directory.Application(ctx, id)
	if err != nil {
		return nil, err
	}
	scope := command.Scope{Application: id}
	state, err := p.Commands.State(ctx, scope)
	if err != nil {
		return nil, err
	}
	st, err := p.stock(scope, state)
	if err != nil {
		return nil, err
	}
	return &offer{app: app, installed: installed, shelves: []shelf{{st, scope}}}, nil
}

// guildOffer is an offer of an application that is installed in a guild.
func (p *Picker) guildOffer(
	ctx context.Context, guild snowflake.Guild, id snowflake.Application, installed permission.Installs,
) (*offer, error) {
	app, err := p.Directory.Application(ctx, id)
	if err != nil {
		return nil, err
	}
	kept, err := p.Commands.Shelf(ctx, id, guild)
	if err != nil {
		return nil, err
	}
	global, local := command.Scope{Application: id}, command.Scope{Application: id, Guild: guild}
	first, err := p.stock(global, kept.Global)
	if err != nil {
		return nil, err
	}
	second, err := p.stock(local, kept.Local)
	if err != nil {
		return nil, err
	}
	return &offer{
		app: app, installed: installed, shelves: []shelf{{first, global}, {second, local}}, sets: kept.Sets,
	}, nil
}

// offers returns everything that could be used in a place, in the order of the applications.
func (p *Picker) offers(ctx context.Context, s *Spot) ([]*offer, error) {
	var list []*offer
	if s.Place != nil {
		c, err := p.catalog(ctx, s.Place)
		if err != nil {
			return nil, err
		}
		for i := range c.offers {
			list = append(list, c.offers[i].with(s.own))
		}
	}
	if s.Bot != 0 && !installedIn(s.own, s.Bot) {
		o, err := p.globalOffer(ctx, s.Bot, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	for i := range s.own {
		app := s.own[i].Application
		if s.Place != nil && s.Place.Installed(app) {
			continue // among the guild's
		}
		o, err := p.globalOffer(ctx, app, permission.UserInstall)
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // gone in this very moment
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b *offer) int { return cmp.Compare(a.app.ID, b.app.ID) })
	return list, nil
}

// with returns a guild's offer for a person with own installs.
func (o *offer) with(own []store.Install) *offer {
	if !installedIn(own, o.app.ID) {
		return o
	}
	both := *o
	both.installed |= permission.UserInstall
	return &both
}
