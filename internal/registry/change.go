package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// change is what a write does to a scope.
type change struct {
	put     []*command.Command  // created or changed
	deleted []snowflake.Command // removed, with their permission sets
	renamed []snowflake.Command // their permission sets are removed
	quota   command.Quota
}

func (c change) empty() bool { return len(c.put) == 0 && len(c.deleted) == 0 }

// update commits what decide returns for the current state of a scope. decide runs again when the scope changes meanwhile,
// so it has no side effects but its result.
func (r *Registry) update(ctx context.Context, scope command.Scope, decide func(*snapshot) (change, error)) error {
	// A write that has begun is finished when its caller leaves, so that its outcome is known.
	return r.cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (store.Change, error) {
		base, err := r.snapshot(ctx, scope)
		if err != nil {
			return store.Change{}, err
		}
		c, err := decide(base)
		if err != nil || c.empty() {
			return store.Change{}, err
		}
		gone, err := r.setsOf(ctx, scope.Application, slices.Concat(c.deleted, c.renamed))
		if err != nil {
			return store.Change{}, err
		}
		next := c.record(scope, base.quota)
		for _, set := range gone {
			next.Delete = append(next.Delete, store.OverwriteSetKey(set.Application, set.Guild, set.ID))
		}
		r.scopes.Next(&next, scope, r.newSnapshot(c.applied(base.commands), c.quota))
		return next, nil
	})
}

// record returns what the change does to the store, without permission sets. before is the quota that is stored.
func (c change) record(scope command.Scope, before command.Quota) store.Change {
	var next store.Change
	for _, id := range c.deleted {
		next.Delete = append(next.Delete, store.CommandKey(scope, id))
	}
	if c.quota.Used != before.Used || !c.quota.Since.Equal(before.Since) {
		next.Put = append(next.Put, store.Quota{Scope: scope, Since: c.quota.Since, Used: c.quota.Used})
	}
	for _, p := range c.put {
		next.Put = append(next.Put, store.Command{Command: *p})
	}
	if !scope.Global() {
		next.Events = []store.Event{indexUpdate(store.ScopeSubject(scope), scope.Guild)}
	}
	return next
}

// setsOf returns the permission sets that commands have in all guilds, and loads the states that hold them. A set that is put
// later writes to the scope of its command, so the decision that calls setsOf fails then.
func (r *Registry) setsOf(
	ctx context.Context, app snowflake.Application, ids []snowflake.Command,
) (sets []store.OverwriteSet, err error) {
	if len(ids) == 0 {
		return nil, nil
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

// indexUpdate tells the people of a guild that the commands that they can use may have changed.
func indexUpdate(subject store.Subject, guild snowflake.Guild) store.Event {
	return store.Event{Subject: subject, Event: events.Event{
		Name: "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", Data: []byte(`{"guild_id":"` + guild.String() + `"}`),
		To: events.Audience{Guild: guild, Kinds: events.People},
	}}
}

// applied returns the commands after the change, both in ascending order of ids.
func (c change) applied(before []*command.Command) []*command.Command {
	put := slices.Clone(c.put)
	slices.SortFunc(put, func(a, b *command.Command) int { return cmp.Compare(a.ID, b.ID) })
	after := make([]*command.Command, 0, max(len(before), len(put)))
	for _, old := range before {
		for len(put) > 0 && put[0].ID < old.ID {
			after, put = append(after, put[0]), put[1:]
		}
		switch {
		case len(put) > 0 && put[0].ID == old.ID:
			after, put = append(after, put[0]), put[1:]
		case !slices.Contains(c.deleted, old.ID):
			after = append(after, old)
		}
	}
	return append(after, put...)
}
