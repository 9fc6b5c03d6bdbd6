package registry

import (
	"bytes"
	"context"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Env says what definitions of an application are judged in.
func Env(scope command.Scope, app *store.Application) command.Env {
	supported := make([]command.IntegrationType, len(app.IntegrationTypes))
	for i, t := range app.IntegrationTypes {
		supported[i] = command.IntegrationType(t)
	}
	return command.Env{Guild: !scope.Global(), Supported: supported, Embedded: app.Activities}
}

// Create registers a command, in place of the one of the same name and type when there is one. It reports whether the
// command is new.
func (r *Registry) Create(
	ctx context.Context, scope command.Scope, env command.Env, body jsonbody.Value,
) (c *command.Command, created bool, err error) {
	d, err := command.Parse(body, env)
	if err != nil {
		return nil, false, err
	}
	doc := d.Doc()
	err = r.update(ctx, scope, func(s *snapshot) (change, error) {
		old := s.byName(d.Type, d.Name)
		created = old == nil
		if old != nil && bytes.Equal(old.Doc, doc) {
			c = old
			return change{}, nil
		}
		if old != nil {
			c = &command.Command{ID: old.ID, Scope: scope, Version: r.version(old), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc}
			return change{put: []*command.Command{c}, quota: s.quota}, nil
		}
		if err := room(s, d.Type); err != nil {
			return change{}, err
		}
		quota, err := s.quota.Take(1, r.clock.Now())
		if err != nil {
			return change{}, err
		}
		id := r.ids.Run(2) // the first version follows its command's id
		c = &command.Command{
			ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1),
			Type: d.Type, Name: strings.Clone(d.Name), Doc: doc,
		}
		return change{put: []*command.Command{c}, quota: quota}, nil
	})
	return c, created, err
}

// room reports whether a scope can take one more command of a type.
func room(s *snapshot, t command.Type) error {
	types := make([]command.Type, 0, len(s.commands)+1)
	for _, c := range s.commands {
		types = append(types, c.Type)
	}
	return command.CheckCounts(append(types, t)...)
}

// version returns a version for the next state of a command.
func (r *Registry) version(old *command.Command) snowflake.Version {
	r.ids.Observe(uint64(old.Version))
	return snowflake.Version(r.ids.Run(1))
}

// Patch changes the members of a command that body names.
func (r *Registry) Patch(
	ctx context.Context, scope command.Scope, env command.Env, id snowflake.Command, body jsonbody.Value,
) (c *command.Command, err error) {
	err = r.update(ctx, scope, func(s *snapshot) (change, error) {
		old := s.byID(id)
		if old == nil {
			return change{}, ErrUnknownCommand
		}
		before, err := command.ParseDoc(old.Doc)
		if err != nil {
			return change{}, err
		}
		d, err := command.Amend(before, body, env)
		if err != nil {
			return change{}, err
		}
		var edit change
		c, edit, err = r.replace(s, old, d)
		return edit, err
	})
	return c, err
}

// replace puts a definition in the place of that of a command, and returns the command after that.
func (r *Registry) replace(s *snapshot, old *command.Command, d command.Definition) (*command.Command, change, error) {
	doc := d.Doc()
	if bytes.Equal(old.Doc, doc) {
		return old, change{}, nil
	}
	edit := change{quota: s.quota}
	if d.Name != old.Name {
		if s.byName(d.Type, d.Name) != nil {
			return nil, change{}, ErrNameTaken
		}
		edit.renamed = []snowflake.Command{old.ID}
	}
	c := &command.Command{
		ID: old.ID, Scope: old.Scope, Version: r.version(old), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc,
	}
	edit.put = []*command.Command{c}
	return c, edit, nil
}

// Delete removes a command and, for good, its permission sets in every guild.
func (r *Registry) Delete(ctx context.Context, scope command.Scope, id snowflake.Command) error {
	return r.update(ctx, scope, func(s *snapshot) (change, error) {
		if s.byID(id) == nil {
			return change{}, ErrUnknownCommand
		}
		return change{deleted: []snowflake.Command{id}, quota: s.quota}, nil
	})
}
