package registry

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
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
	ctx context.Context, scope command.Scope, env command.Env, body form.Value,
) (c *command.Command, created bool, err error) {
	d, err := command.Parse(body, env)
	if err != nil {
		return nil, false, err
	}
	doc := d.Doc()
	if c, err = r.overwriteAlone(ctx, scope, d, doc); c != nil || err != nil {
		return c, false, err
	}
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

// overwriteAlone puts a definition in the place of the one of the same name without the rest of the scope, where that is not
// in memory because other processes change it. Neither do their writes to other commands get in the way then. It returns nil
// when there is no such command, or when somebody else was quicker.
func (r *Registry) overwriteAlone(
	ctx context.Context, scope command.Scope, d command.Definition, doc []byte,
) (*command.Command, error) {
	if !r.shared || r.cache.Held(scope) != nil {
		return nil, nil
	}
	ctx = store.Tentative(context.WithoutCancel(ctx))
	var old command.Command
	err := r.store.View(ctx, func(from store.Reader) (err error) {
		old, err = from.CommandNamed(scope, d.Type, d.Name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && bytes.Equal(old.Doc, doc) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &command.Command{ID: old.ID, Scope: scope, Version: r.version(&old), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc}
	replaced := false
	err = r.store.Update(ctx, func(tx store.Tx) (err error) {
		replaced, err = tx.ReplaceCommand(*c, old.Version, r.ids.Run(1))
		return err
	})
	r.cache.Forget(scope) // also after a failure: whether it reached the disk may be unknown
	if err != nil || !replaced {
		return nil, err
	}
	r.changed(scope)
	return c, nil
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

// errMoved says that a command changed between reading and writing it.
var errMoved = errors.New("command changed meanwhile")

// Patch changes the members of a command that body names.
func (r *Registry) Patch(
	ctx context.Context, scope command.Scope, env command.Env, id snowflake.Command, body form.Value,
) (*command.Command, error) {
	for {
		// The definition is judged here, not in the unit of work, so that a large body holds up nobody else's write.
		old, err := r.Command(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		before, err := command.ParseDoc(old.Doc)
		if err != nil {
			return nil, err
		}
		d, err := command.Amend(before, body, env)
		if err != nil {
			return nil, err
		}
		c, err := r.replace(ctx, scope, old, d)
		if !errors.Is(err, errMoved) {
			return c, err
		}
	}
}

// replace puts a definition in the place of old, if old still stands.
func (r *Registry) replace(
	ctx context.Context, scope command.Scope, old *command.Command, d command.Definition,
) (c *command.Command, err error) {
	doc := d.Doc()
	err = r.update(ctx, scope, func(s *snapshot) (change, error) {
		now := s.byID(old.ID)
		switch {
		case now == nil:
			return change{}, ErrUnknownCommand
		case now.Version != old.Version:
			return change{}, errMoved
		case bytes.Equal(now.Doc, doc):
			c = now
			return change{}, nil
		}
		edit := change{quota: s.quota}
		if d.Name != now.Name {
			if s.byName(d.Type, d.Name) != nil {
				return change{}, ErrNameTaken
			}
			edit.renamed = []snowflake.Command{now.ID}
		}
		c = &command.Command{ID: now.ID, Scope: scope, Version: r.version(now), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc}
		edit.put = []*command.Command{c}
		return edit, nil
	})
	return c, err
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
