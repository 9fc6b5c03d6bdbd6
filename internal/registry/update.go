package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// update is the effect of one write on a scope.
type update struct {
	put     []*command.Command  // created or edited
	deleted []snowflake.Command // deleted, together with their permission sets
	renamed []snowflake.Command // their permission sets are deleted
	quota   Quota
}

func (u update) empty() bool { return len(u.put) == 0 && len(u.deleted) == 0 }

// change returns the change of the store, without permission sets. The scope has size commands after it.
func (u update) change(scope command.Scope, before *snapshot, size int) store.Change {
	var c store.Change
	for _, id := range u.deleted {
		c.Delete = append(c.Delete, store.CommandKey(scope, id))
	}
	if u.quota.Used != before.quota.Used || !u.quota.Since.Equal(before.quota.Since) || size != len(before.commands) || !before.counted {
		c.Put = append(c.Put, store.Quota{Scope: scope, Since: u.quota.Since, Used: u.quota.Used, Commands: size})
	}
	for _, p := range u.put {
		c.Put = append(c.Put, store.Command{Command: *p})
	}
	if !scope.Global() {
		c.Events = []store.Event{IndexUpdate(store.ScopeSubject(scope), scope.Guild)}
	}
	return c
}

// setsOf returns the permission sets that an update of a scope deletes, in all guilds, and loads the states that contain
// them. It also loads what a concurrent edit of these sets writes to or depends on, so either the edit or the decision
// that calls setsOf runs again.
func (r *Registry) setsOf(ctx context.Context, scope command.Scope, u update) (sets []store.OverwriteSet, err error) {
	app, ids := scope.Application, slices.Concat(u.deleted, u.renamed)
	if len(ids) == 0 {
		return nil, nil
	}
	var marks []store.Subject
	if len(u.deleted) > 0 {
		marks = append(marks, store.DeletionsSubject(scope))
	}
	for _, id := range ids {
		marks = append(marks, store.CommandSetsSubject(id))
	}
	for _, s := range marks {
		if _, err := r.marks.Load(ctx, s); err != nil {
			return nil, err
		}
	}
	err = r.cache.Store().Read(ctx, func(from store.Reader) error {
		sets = nil
		for _, id := range ids {
			more, err := from.Commands.CommandOverwrites(app, id)
			if err != nil {
				return err
			}
			sets = append(sets, more...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read permission sets of commands of %v: %w", app, err)
	}
	for _, set := range sets {
		if _, err := r.sets.Load(ctx, setsKey{app, set.Guild}); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// IndexUpdate returns the event that tells the users of a guild to reload its command index.
func IndexUpdate(subject store.Subject, guild snowflake.Guild) store.Event {
	return store.Event{Subject: subject, Event: events.Event{
		Name: "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", Data: []byte(`{"guild_id":"` + guild.String() + `"}`),
		To: events.Audience{Guild: guild, Kinds: events.People},
	}}
}

// apply returns the commands after the update. Both lists are in ascending order of ids.
func (u update) apply(before []*command.Command) []*command.Command {
	put := slices.Clone(u.put)
	slices.SortFunc(put, func(a, b *command.Command) int { return cmp.Compare(a.ID, b.ID) })
	after := make([]*command.Command, 0, max(len(before), len(put)))
	for _, old := range before {
		for len(put) > 0 && put[0].ID < old.ID {
			after, put = append(after, put[0]), put[1:]
		}
		switch {
		case len(put) > 0 && put[0].ID == old.ID:
			after, put = append(after, put[0]), put[1:]
		case !slices.Contains(u.deleted, old.ID):
			after = append(after, old)
		}
	}
	return append(after, put...)
}
