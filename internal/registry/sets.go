package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Sets are the permission sets of an application in a guild at one moment. They are immutable.
type Sets struct {
	// App is the set for all commands without a set of their own, nil when there is none.
	App *permission.Set

	all      []store.OverwriteSet // in ascending order of ids
	commands map[snowflake.Command]*permission.Set
}

// Of returns the set of a command, nil when there is none.
func (s *Sets) Of(id snowflake.Command) *permission.Set { return s.commands[id] }

// All returns the stored sets in ascending order of ids. The caller must not modify them.
func (s *Sets) All() []store.OverwriteSet { return s.all }

// Stored returns the stored set of a command, or of the application when id is the application's.
func (s *Sets) Stored(id snowflake.Command) (set store.OverwriteSet, found bool) {
	i, found := slices.BinarySearchFunc(s.all, id, func(s store.OverwriteSet, id snowflake.Command) int {
		return cmp.Compare(s.ID, id)
	})
	if found {
		set = s.all[i]
	}
	return set, found
}

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

// Size returns roughly how many bytes the sets take.
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
	// Serial differs between any two states with commands in this process. It is 0 for a state without commands.
	Serial   uint64
	Commands []*command.Command // in ascending order of ids
}

// Command returns the command with that id, or nil.
func (s State) Command(id snowflake.Command) *command.Command {
	return byID(s.Commands, id)
}

// GuildCommands are the commands and permission sets of an application in a guild at one moment. They are immutable.
type GuildCommands struct {
	Global, Guild State
	Sets          *Sets
}

// Command returns the command with that id, or nil.
func (g GuildCommands) Command(id snowflake.Command) *command.Command {
	return cmp.Or(g.Guild.Command(id), g.Global.Command(id))
}

// State returns the commands of a scope. It contains every write that was acknowledged before the call.
func (r *Registry) State(ctx context.Context, scope command.Scope) (State, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return State{}, err
	}
	return s.state(), nil
}

func (s *snapshot) state() State { return State{s.serial, s.commands} }

// GuildCommands returns the commands and permission sets of an application in a guild at one moment. The result
// contains every write that was acknowledged before the call. Within a view of the cache, the parts belong to one
// moment only after the view is confirmed.
func (r *Registry) GuildCommands(
	ctx context.Context, app snowflake.Application, guild snowflake.Guild,
) (g GuildCommands, err error) {
	err = r.cache.Consistent(ctx, func(ctx context.Context) error {
		if g.Global, err = r.State(ctx, command.Scope{Application: app}); err != nil {
			return err
		}
		if g.Guild, err = r.State(ctx, command.Scope{Application: app, Guild: guild}); err != nil {
			return err
		}
		if g.Sets, err = r.sets.Load(ctx, setsKey{app, guild}); err != nil {
			return fmt.Errorf("read permission sets of %v in %v: %w", app, guild, err)
		}
		return nil
	})
	if err != nil {
		return GuildCommands{}, err
	}
	return g, nil
}

// ReadSets returns the permission sets of an application in a guild from a snapshot of the store.
func ReadSets(from store.Reader, app snowflake.Application, guild snowflake.Guild) (*Sets, error) {
	return readSets(from, setsKey{app, guild})
}
