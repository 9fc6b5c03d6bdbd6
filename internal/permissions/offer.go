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

// holding is what an application has in a guild at one moment, as directory and registry keep it.
type holding struct {
	app   *store.Application
	shelf registry.Shelf
}

// holdings returns what every application has in a guild: everything acknowledged before the call.
func (p *Picker) holdings(ctx context.Context, place *directory.Place) ([]holding, error) {
	list := make([]holding, 0, len(place.Installs))
	for i := range place.Installs {
		h, err := p.holding(ctx, place.ID, place.Installs[i].Application)
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // gone in this very moment
		}
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

func (p *Picker) holding(ctx context.Context, guild snowflake.Guild, id snowflake.Application) (h holding, err error) {
	if h.app, err = p.Directory.Application(ctx, id); err != nil {
		return h, err
	}
	h.shelf, err = p.Commands.Shelf(ctx, id, guild)
	return h, err
}

// stocked returns a holding as an offer.
func (p *Picker) stocked(h *holding, guild snowflake.Guild, installed permission.Installs) (offer, error) {
	global, local := command.Scope{Application: h.app.ID}, command.Scope{Application: h.app.ID, Guild: guild}
	first, err := p.stock(global, h.shelf.Global)
	if err != nil {
		return offer{}, err
	}
	second, err := p.stock(local, h.shelf.Local)
	return offer{
		app: h.app, installed: installed, shelves: []shelf{{first, global}, {second, local}}, sets: h.shelf.Sets,
	}, err
}

// globalOffer is an offer of global commands alone.
func (p *Picker) globalOffer(
	ctx context.Context, id snowflake.Application, installed permission.Installs,
) (offer, error) {
	app, err := p.Directory.Application(ctx, id)
	if err != nil {
		return offer{}, err
	}
	scope := command.Scope{Application: id}
	state, err := p.Commands.State(ctx, scope)
	if err != nil {
		return offer{}, err
	}
	st, err := p.stock(scope, state)
	return offer{app: app, installed: installed, shelves: []shelf{{st, scope}}}, err
}

// offer returns what an application has for a person in a place.
func (p *Picker) offer(ctx context.Context, s *Spot, app snowflake.Application) (offer, error) {
	if s.Place == nil || !s.Place.Installed(app) {
		return p.globalOffer(ctx, app, s.Installed(app))
	}
	h, err := p.holding(ctx, s.Place.ID, app)
	if err != nil {
		return offer{}, err
	}
	return p.stocked(&h, s.Place.ID, s.Installed(app))
}

// offers returns everything that could be used in a place, in the order of the applications.
func (p *Picker) offers(ctx context.Context, s *Spot) ([]offer, error) {
	var list []offer
	if s.Place != nil {
		held, err := p.holdings(ctx, s.Place)
		if err != nil {
			return nil, err
		}
		for i := range held {
			o, err := p.stocked(&held[i], s.Place.ID, s.Installed(held[i].app.ID))
			if err != nil {
				return nil, err
			}
			list = append(list, o)
		}
	}
	for _, app := range s.further() {
		o, err := p.globalOffer(ctx, app, s.Installed(app))
		if errors.Is(err, directory.ErrUnknownApplication) {
			continue // gone in this very moment
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b offer) int { return cmp.Compare(a.app.ID, b.app.ID) })
	return list, nil
}

// further returns the applications that are in a place not by its guild: the bot's there, and the person's own.
func (s *Spot) further() []snowflake.Application {
	var apps []snowflake.Application
	if s.Bot != 0 && !installedIn(s.own, s.Bot) {
		apps = append(apps, s.Bot)
	}
	for i := range s.own {
		if app := s.own[i].Application; s.Place == nil || !s.Place.Installed(app) {
			apps = append(apps, app)
		}
	}
	return apps
}
