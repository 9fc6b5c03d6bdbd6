package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrUnknownPermissions says that a command has no permission set in a guild.
var ErrUnknownPermissions = errors.New("unknown command permissions")

// Sets are the permission sets that an application has in a guild at one moment. They are immutable.
type Sets struct {
	// App is the set of all commands without an entry of their own, nil when there is none.
	App *permission.Set

	all      []store.OverwriteSet // in ascending order of ids
	commands map[snowflake.Command]*permission.Set
	// global and local are the revisions of the application's two scopes at that moment.
	global, local uint64
}

// Of returns the set of a command, nil when there is none.
func (s *Sets) Of(id snowflake.Command) *permission.Set { return s.commands[id] }

type setsKey struct {
	app   snowflake.Application
	guild snowflake.Guild
}

// readSets reads the permission sets of an application in a guild.
func readSets(r store.CommandReader, k setsKey) (*Sets, error) {
	all, err := r.Overwrites(k.app, k.guild)
	if err != nil {
		return nil, err
	}
	s := &Sets{all: all, commands: make(map[snowflake.Command]*permission.Set, len(all))}
	for _, set := range all {
		if uint64(set.ID) == uint64(k.app) {
			s.App = permission.NewSet(entriesOf(set))
		} else {
			s.commands[set.ID] = permission.NewSet(entriesOf(set))
		}
	}
	if s.global, err = r.Revision(command.Scope{Application: k.app}); err != nil {
		return nil, err
	}
	s.local, err = r.Revision(command.Scope{Application: k.app, Guild: k.guild})
	return s, err
}

func entriesOf(set store.OverwriteSet) []permission.Entry {
	list := make([]permission.Entry, len(set.Entries))
	for i, e := range set.Entries {
		list[i] = permission.Entry{ID: e.ID, Type: permission.EntryType(e.Type), Allow: e.Allow}
	}
	return list
}

// fit reports whether the sets belong to these states of the scopes: nothing that drops sets happened in between.
func (s *Sets) fit(global, local *snapshot) bool {
	between := func(r uint64, at *snapshot) bool { return r >= at.dropped && r <= at.revision }
	return between(s.global, global) && between(s.local, local)
}

// sets returns the permission sets of an application in a guild: everything put before the call. Those of a command that
// was deleted or renamed may still be among them: see Shelf.
func (r *Registry) sets(ctx context.Context, k setsKey) (*Sets, error) {
	return r.overwrites.Load(k, func() (s *Sets, size int, err error) {
		err = r.store.View(ctx, func(tx store.Reader) error {
			s, err = readSets(tx, k)
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		return s, s.Size(), nil
	})
}

// Size is roughly what the sets cost in memory.
func (s *Sets) Size() int {
	const sets, set, entry = 256, 192, 40
	n := sets + set*len(s.all)
	for i := range s.all {
		n += entry * len(s.all[i].Entries)
	}
	return n
}

// State is the commands of a scope at one revision. It is immutable.
type State struct {
	// Revision is never the same for two states, but 0 for all that were never written to.
	Revision uint64
	Commands []*command.Command // in ascending order of ids
}

// Command returns the command of that id, or nil.
func (s State) Command(id snowflake.Command) *command.Command {
	return byID(s.Commands, id)
}

// Shelf is what an application has in a guild at one moment: its commands, and who may use them. It is immutable.
type Shelf struct {
	Global, Local State
	Sets          *Sets
}

// Command returns the command of that id, or nil.
func (s Shelf) Command(id snowflake.Command) *command.Command {
	return cmp.Or(s.Local.Command(id), s.Global.Command(id))
}

// State returns a scope as it is: everything acknowledged before the call.
func (r *Registry) State(ctx context.Context, scope command.Scope) (State, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return State{}, err
	}
	return s.state(), nil
}

func (s *snapshot) state() State { return State{s.revision, s.commands} }

// Shelf returns what an application has in a guild: everything acknowledged before the call, and of a write that is under
// way everything or nothing.
//
// Commands and permission sets are kept apart, since sets change alone and there is one for every guild. Deleting or
// renaming a command drops its sets, so both are put together only when no such write lies between them.
func (r *Registry) Shelf(ctx context.Context, app snowflake.Application, guild snowflake.Guild) (Shelf, error) {
	k := setsKey{app, guild}
	for range 2 {
		global, err := r.snapshot(ctx, command.Scope{Application: app})
		if err != nil {
			return Shelf{}, err
		}
		local, err := r.snapshot(ctx, command.Scope{Application: app, Guild: guild})
		if err != nil {
			return Shelf{}, err
		}
		sets, err := r.sets(ctx, k)
		if err != nil {
			return Shelf{}, fmt.Errorf("read permission sets of %v in %v: %w", app, guild, err)
		}
		if sets.fit(global, local) {
			return Shelf{global.state(), local.state(), sets}, nil
		}
		r.overwrites.Forget(k)
	}
	// A write is just becoming visible. What the store has at one moment belongs together.
	return r.readShelf(ctx, k)
}

func (r *Registry) readShelf(ctx context.Context, k setsKey) (shelf Shelf, err error) {
	err = r.store.View(ctx, func(tx store.Reader) error {
		global, err := tx.Scope(command.Scope{Application: k.app})
		if err != nil {
			return err
		}
		local, err := tx.Scope(command.Scope{Application: k.app, Guild: k.guild})
		if err != nil {
			return err
		}
		shelf.Global, shelf.Local = newSnapshot(global).state(), newSnapshot(local).state()
		shelf.Sets, err = readSets(tx, k)
		return err
	})
	if err != nil {
		return Shelf{}, fmt.Errorf("read what %v has in %v: %w", k.app, k.guild, err)
	}
	return shelf, nil
}

// Overwrites returns the permission sets that an application has in a guild, in ascending order of ids. The caller does
// not change them.
func (r *Registry) Overwrites(
	ctx context.Context, app snowflake.Application, guild snowflake.Guild,
) ([]store.OverwriteSet, error) {
	shelf, err := r.Shelf(ctx, app, guild)
	if err != nil {
		return nil, err
	}
	return shelf.Sets.all, nil
}

// OverwritesOf returns the permission set of a command, or with the application's id that of all commands without one.
// What is neither is ErrUnknownCommand, what has no set ErrUnknownPermissions.
func (r *Registry) OverwritesOf(
	ctx context.Context, app *store.Application, guild snowflake.Guild, id snowflake.Command,
) (store.OverwriteSet, error) {
	shelf, err := r.Shelf(ctx, app.ID, guild)
	if err != nil {
		return store.OverwriteSet{}, err
	}
	if _, err := shelf.editable(app, id); err != nil {
		return store.OverwriteSet{}, err
	}
	i, found := slices.BinarySearchFunc(shelf.Sets.all, id, func(s store.OverwriteSet, id snowflake.Command) int {
		return cmp.Compare(s.ID, id)
	})
	if !found {
		return store.OverwriteSet{}, ErrUnknownPermissions
	}
	return shelf.Sets.all[i], nil
}

// Editable reports whether a permission set can be put: nil, or ErrUnknownCommand when id is neither that of a command nor
// that of the application.
func (r *Registry) Editable(
	ctx context.Context, app *store.Application, guild snowflake.Guild, id snowflake.Command,
) error {
	shelf, err := r.Shelf(ctx, app.ID, guild)
	if err != nil {
		return err
	}
	_, err = shelf.editable(app, id)
	return err
}

// editable returns the command whose permission set id names, nil for the application itself. A command that is hidden
// has none.
func (s Shelf) editable(app *store.Application, id snowflake.Command) (*command.Command, error) {
	if uint64(id) == uint64(app.ID) {
		return nil, nil
	}
	c := s.Command(id)
	if c == nil || c.Type == command.PrimaryEntryPoint && !app.Activities {
		return nil, ErrUnknownCommand
	}
	return c, nil
}

// ForgetOverwrites makes the registry read permission sets again. Whoever changed their records without the registry
// calls it after the change is durable and before it is acknowledged.
func (r *Registry) ForgetOverwrites(app snowflake.Application, guild snowflake.Guild) {
	r.overwrites.Forget(setsKey{app, guild})
}

// ForgetApplication is Forget and ForgetOverwrites for everything of an application.
func (r *Registry) ForgetApplication(app snowflake.Application) {
	r.cache.ForgetIf(func(s command.Scope) bool { return s.Application == app })
	r.overwrites.ForgetIf(func(k setsKey) bool { return k.app == app })
}

// ForgetGuild is Forget and ForgetOverwrites for everything in a guild.
func (r *Registry) ForgetGuild(guild snowflake.Guild) {
	r.cache.ForgetIf(func(s command.Scope) bool { return s.Guild == guild })
	r.overwrites.ForgetIf(func(k setsKey) bool { return k.guild == guild })
}
