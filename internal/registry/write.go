package registry

import (
	"bytes"
	"context"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Env returns the environment in which definitions of an application are validated.
func Env(scope command.Scope, app *store.Application) command.Env {
	supported := make([]command.IntegrationType, len(app.IntegrationTypes))
	for i, t := range app.IntegrationTypes {
		supported[i] = command.IntegrationType(t)
	}
	return command.Env{Guild: !scope.Global(), Supported: supported, Embedded: app.Activities}
}

// Create adds a command, or replaces the one with the same name and type. It reports whether the command is new.
func (r *Registry) Create(
	ctx context.Context, scope command.Scope, env command.Env, body []byte,
) (c *command.Command, created bool, err error) {
	d, err := command.Parse(body, env)
	if err != nil {
		return nil, false, err
	}
	doc := d.Doc()
	err = r.update(ctx, scope, func(s *snapshot) (update, error) {
		old := s.byName(d.Type, d.Name)
		created = old == nil
		if old != nil && bytes.Equal(old.Doc, doc) && old.Closed == d.Closed {
			c = old
			return update{}, nil
		}
		if old != nil {
			c = &command.Command{ID: old.ID, Scope: scope, Version: r.version(old), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc, Closed: d.Closed}
			return update{put: []*command.Command{c}, quota: s.quota}, nil
		}
		if err := checkRoom(s, d.Type); err != nil {
			return update{}, err
		}
		quota, err := s.quota.Take(1, r.DailyCreates, r.clock.Now())
		if err != nil {
			return update{}, err
		}
		id := r.ids.Run(2) // the second is the version
		c = &command.Command{
			ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1),
			Type: d.Type, Name: strings.Clone(d.Name), Doc: doc, Closed: d.Closed,
		}
		return update{put: []*command.Command{c}, quota: quota}, nil
	})
	return c, created, err
}

// checkRoom returns an error when a scope cannot have one more command of a type.
func checkRoom(s *snapshot, t command.Type) error {
	types := make([]command.Type, 0, len(s.commands)+1)
	for _, c := range s.commands {
		types = append(types, c.Type)
	}
	return CheckCounts(append(types, t)...)
}

// version returns the version of the next state of a command.
func (r *Registry) version(old *command.Command) snowflake.Version {
	r.ids.Observe(uint64(old.Version))
	return snowflake.Version(r.ids.Run(1))
}

// Overwrite replaces all commands of a scope with a list. On an error nothing changes. It returns the commands in the
// order of the list.
func (r *Registry) Overwrite(
	ctx context.Context, scope command.Scope, env command.Env, body []byte,
) (commands []*command.Command, err error) {
	items, err := command.ParseList(body, env)
	if err != nil {
		return nil, err
	}
	err = r.update(ctx, scope, func(s *snapshot) (update, error) {
		changes, err := command.Diff(s.replaceable(env), items)
		if err != nil {
			return update{}, err
		}
		u, result, err := r.execute(changes, s, scope)
		commands = result
		return u, err
	})
	return commands, err
}

// Patch edits a command. Members that body does not contain keep their values.
func (r *Registry) Patch(
	ctx context.Context, scope command.Scope, env command.Env, id snowflake.Command, body []byte,
) (c *command.Command, err error) {
	err = r.update(ctx, scope, func(s *snapshot) (update, error) {
		old := s.byID(id)
		if old == nil {
			return update{}, ErrUnknownCommand
		}
		before, err := old.Definition()
		if err != nil {
			return update{}, err
		}
		d, err := before.Amend(body, env)
		if err != nil {
			return update{}, err
		}
		var u update
		c, u, err = r.replace(s, old, d)
		return u, err
	})
	return c, err
}

// replace gives a command a new definition. It returns the command after that.
func (r *Registry) replace(s *snapshot, old *command.Command, d command.Definition) (*command.Command, update, error) {
	doc := d.Doc()
	if bytes.Equal(old.Doc, doc) && old.Closed == d.Closed {
		return old, update{}, nil
	}
	u := update{quota: s.quota}
	if d.Name != old.Name {
		if s.byName(d.Type, d.Name) != nil {
			return nil, update{}, ErrNameTaken
		}
		u.renamed = []snowflake.Command{old.ID}
	}
	c := &command.Command{
		ID: old.ID, Scope: old.Scope, Version: r.version(old), Type: d.Type, Name: strings.Clone(d.Name), Doc: doc,
		Closed: d.Closed,
	}
	u.put = []*command.Command{c}
	return c, u, nil
}

// Delete deletes a command and its permission sets in all guilds.
func (r *Registry) Delete(ctx context.Context, scope command.Scope, id snowflake.Command) error {
	return r.update(ctx, scope, func(s *snapshot) (update, error) {
		if s.byID(id) == nil {
			return update{}, ErrUnknownCommand
		}
		return update{deleted: []snowflake.Command{id}, quota: s.quota}, nil
	})
}

// update commits the update that decide returns for the current state of a scope. decide runs again when the scope
// changes in the meantime, so it must have no side effects.
func (r *Registry) update(ctx context.Context, scope command.Scope, decide func(*snapshot) (update, error)) error {
	// A write continues after its caller has gone, so that its outcome is known.
	return r.cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (store.Change, error) {
		base, err := r.snapshot(ctx, scope)
		if err != nil {
			return store.Change{}, err
		}
		u, err := decide(base)
		if err != nil || u.empty() {
			return store.Change{}, err
		}
		sets, err := r.setsOf(ctx, scope, u)
		if err != nil {
			return store.Change{}, err
		}
		after := u.apply(base.commands)
		c := u.change(scope, base, len(after))
		for _, set := range sets {
			c.Delete = append(c.Delete, store.OverwriteSetKey(set.Application, set.Guild, set.ID))
		}
		r.scopes.Next(&c, scope, r.newSnapshot(after, u.quota))
		c.Extendable = []store.Subject{store.ScopeSubject(scope)} // decisions on commands read only the snapshot
		return c, r.auditPermissions(ctx, &c, scope, base, u)
	})
}
