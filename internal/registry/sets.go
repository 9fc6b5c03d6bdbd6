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
}

// Of returns the set of a command, nil when there is none.
func (s *Sets) Of(id snowflake.Command) *permission.Set { return s.commands[id] }

type setsKey struct {
	app   snowflake.Application
	guild snowflake.Guild
}

func (k setsKey) subject() store.Subject { return store.OverwritesSubject(k.app, k.guild) }

// readSets reads the permission sets of an application in a guild.
func readSets(r store.Reader, k setsKey) (*Sets, error) {
	all, err := r.Commands.Overwrites(k.app, k.guild)
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
	return s, nil
}

func entriesOf(set store.OverwriteSet) []permission.Entry {
	list := make([]permission.Entry, len(set.Entries))
	for i, e := range set.Entries {
		list[i] = permission.Entry{ID: e.ID, Type: permission.EntryType(e.Type), Allow: e.Allow}
	}
	return list
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

// State is the commands of a scope at one moment. It is immutable.
type State struct {
	// Serial differs between any two states that this process has used; it is 0 for all states without commands.
	Serial   uint64
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

func (s *snapshot) state() State { return State{s.serial, s.commands} }

// Shelf returns what an application has in a guild at one moment: everything acknowledged before the call. Within a view of
// the cache it belongs to one moment once the view is confirmed.
func (r *Registry) Shelf(
	ctx context.Context, app snowflake.Application, guild snowflake.Guild,
) (shelf Shelf, err error) {
	err = r.cache.Consistent(ctx, func(ctx context.Context) error {
		if shelf.Global, err = r.State(ctx, command.Scope{Application: app}); err != nil {
			return err
		}
		if shelf.Local, err = r.State(ctx, command.Scope{Application: app, Guild: guild}); err != nil {
			return err
		}
		if shelf.Sets, err = r.sets.Load(ctx, setsKey{app, guild}); err != nil {
			return fmt.Errorf("read permission sets of %v in %v: %w", app, guild, err)
		}
		return nil
	})
	if err != nil {
		return Shelf{}, err
	}
	return shelf, nil
}

// readShelf returns what an application has in a guild in a snapshot of the store.
func (r *Registry) readShelf(from store.Reader, k setsKey) (Shelf, error) {
	global, err := r.readSnapshot(from, command.Scope{Application: k.app})
	if err != nil {
		return Shelf{}, err
	}
	local, err := r.readSnapshot(from, command.Scope{Application: k.app, Guild: k.guild})
	if err != nil {
		return Shelf{}, err
	}
	sets, err := readSets(from, k)
	return Shelf{global.state(), local.state(), sets}, err
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
