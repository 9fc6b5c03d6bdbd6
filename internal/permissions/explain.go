package permissions

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Explained is a command and whether somebody can use it in a place.
type Explained struct {
	Command     *command.Command
	Application *store.Application
	Decision    permission.Decision
}

// Explain decides about the command that a text names, by its default name or in any language: a slash and the name of a
// CHAT_INPUT command, or the name of any other. Commands on offer in the place come first, among them those that can be
// used; then those of applications that have no business there. With an application only its commands count. Where
// nothing has that name it returns registry.ErrUnknownCommand.
func (p *Picker) Explain(
	ctx context.Context, s *Spot, text string, app snowflake.Application,
) (Explained, error) {
	name, slash := strings.CutPrefix(text, "/")
	if !slash {
		return p.Find(ctx, s, Named{Name: name, Application: app})
	}
	name, _, _ = strings.Cut(name, " ") // what follows are options
	return p.Find(ctx, s, Named{Type: command.ChatInput, Name: name, Application: app})
}

// Named says which command is meant.
type Named struct {
	Type        command.Type          // 0: any but CHAT_INPUT
	Name        string                // by default or in any language
	Application snowflake.Application // whose; 0: anybody's
}

// Find decides about a command like Explain.
func (p *Picker) Find(ctx context.Context, s *Spot, wanted Named) (Explained, error) {
	offers, err := p.offers(ctx, s)
	if err != nil {
		return Explained{}, err
	}
	if best, found := s.explain(offers, wanted); found {
		return best, nil
	}
	after := snowflake.Application(0)
	for {
		page, err := p.Directory.Applications(ctx, after, directory.MaxPage)
		if err != nil {
			return Explained{}, err
		}
		for _, a := range page {
			after = a.ID
			o, err := p.globalOffer(ctx, a.ID, s.Installed(a.ID))
			if errors.Is(err, directory.ErrUnknownApplication) {
				continue // gone in this very moment
			}
			if err != nil {
				return Explained{}, err
			}
			if best, found := s.explain([]offer{o}, wanted); found {
				return best, nil
			}
		}
		if len(page) < directory.MaxPage {
			return Explained{}, registry.ErrUnknownCommand
		}
	}
}

// explain returns the first command of that name that can be used, else the first of that name.
func (s *Spot) explain(offers []offer, wanted Named) (best Explained, found bool) {
	for n := range offers {
		o := &offers[n]
		if wanted.Application != 0 && o.app.ID != wanted.Application {
			continue
		}
		for _, sh := range o.shelves {
			for i := range sh.items {
				it := &sh.items[i]
				if o.hides(it) || !wanted.fits(it) {
					continue
				}
				e := Explained{it.Command, o.app, s.may(o, it)}
				if e.Decision.Allowed {
					return e, true
				}
				if !found {
					best, found = e, true
				}
			}
		}
	}
	return best, found
}

// fits reports whether a command is one of those that are meant.
func (w *Named) fits(it *item) bool {
	if w.Type == 0 && it.Type == command.ChatInput || w.Type != 0 && w.Type != it.Type {
		return false
	}
	return it.called(w.Name)
}

// Names returns what the commands on offer in a place are called, those of CHAT_INPUT commands with a slash.
func (p *Picker) Names(ctx context.Context, s *Spot) ([]string, error) {
	offers, err := p.offers(ctx, s)
	if err != nil {
		return nil, err
	}
	var list []string
	for n := range offers {
		for _, sh := range offers[n].shelves {
			for i := range sh.items {
				it := &sh.items[i]
				if offers[n].hides(it) {
					continue
				}
				name := it.Name
				if it.Type == command.ChatInput {
					name = "/" + name
				}
				list = append(list, name)
			}
		}
	}
	return list, nil
}

// called reports whether the command has a name in some language.
func (it *item) called(name string) bool {
	if it.Name == name {
		return true
	}
	for _, variant := range it.names {
		if variant == name {
			return true
		}
	}
	return false
}
