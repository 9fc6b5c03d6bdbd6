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

// Explanation is a command and the decision whether a user can use it in a channel.
type Explanation struct {
	Command     *command.Command
	Application *store.Application
	Decision    permission.Decision
}

// Explain decides about the command that a text names: the id of a command, a slash and the name of a CHAT_INPUT
// command, optionally followed by options, or the name of another command. Find describes the search. An app of 0 means
// any application.
func (p *Picker) Explain(
	ctx context.Context, v *Invoker, text string, app snowflake.Application,
) (Explanation, error) {
	if id, err := snowflake.Parse[snowflake.Command](text); err == nil && id != 0 {
		e, err := p.Find(ctx, v, Query{ID: id, Application: app})
		if !errors.Is(err, registry.ErrUnknownCommand) { // else the digits may be a name
			return e, err
		}
	}
	name, slash := strings.CutPrefix(text, "/")
	if !slash {
		return p.Find(ctx, v, Query{Name: name, Application: app})
	}
	name, _, _ = strings.Cut(name, " ") // options follow the name
	return p.Find(ctx, v, Query{Type: command.ChatInput, Name: name, Application: app})
}

// Query identifies a command by name, or by its id alone.
type Query struct {
	ID          snowflake.Command     // 0: by type and name
	Type        command.Type          // 0: any except CHAT_INPUT
	Name        string                // the default name, or the name in any language
	Application snowflake.Application // 0: any
}

// Find finds a command and decides whether the user can use it. It prefers commands that are available in the
// channel, and among them those that the user can use; commands of applications that are not installed come last. It
// returns registry.ErrUnknownCommand when no command matches.
func (p *Picker) Find(ctx context.Context, v *Invoker, q Query) (Explanation, error) {
	apps, err := p.allCommands(ctx, v)
	if err != nil {
		return Explanation{}, err
	}
	if best, found := v.find(apps, q); found {
		return best, nil
	}
	after := snowflake.Application(0)
	for {
		page, err := p.Directory.Applications.List(ctx, after, directory.MaxPage)
		if err != nil {
			return Explanation{}, err
		}
		for _, app := range page {
			after = app.ID
			a, err := p.globalCommands(ctx, app.ID, v.Installed(app.ID))
			if errors.Is(err, directory.ErrUnknownApplication) {
				continue // deleted between the two reads
			}
			if err != nil {
				return Explanation{}, err
			}
			if best, found := v.find([]appCommands{a}, q); found {
				return best, nil
			}
		}
		if len(page) < directory.MaxPage {
			return Explanation{}, registry.ErrUnknownCommand
		}
	}
}

// find returns the first matching command that the user can use, otherwise the first matching command.
func (v *Invoker) find(apps []appCommands, q Query) (best Explanation, found bool) {
	for n := range apps {
		a := &apps[n]
		if q.Application != 0 && a.app.ID != q.Application {
			continue
		}
		for _, s := range a.scopes {
			for i := range s.items {
				it := &s.items[i]
				if a.hides(it) || !q.matches(it) {
					continue
				}
				e := Explanation{it.Command, a.app, v.decide(a, it)}
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

// matches reports whether a command has the id of the query, or else its type and name.
func (q *Query) matches(it *item) bool {
	if q.ID != 0 {
		return it.ID == q.ID
	}
	if q.Type == 0 && it.Type == command.ChatInput || q.Type != 0 && q.Type != it.Type {
		return false
	}
	return it.hasName(q.Name)
}

// Names returns the names of the commands that are available in a channel. Names of CHAT_INPUT commands begin with a
// slash.
func (p *Picker) Names(ctx context.Context, v *Invoker) ([]string, error) {
	apps, err := p.allCommands(ctx, v)
	if err != nil {
		return nil, err
	}
	var list []string
	for n := range apps {
		for _, s := range apps[n].scopes {
			for i := range s.items {
				it := &s.items[i]
				if apps[n].hides(it) {
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
