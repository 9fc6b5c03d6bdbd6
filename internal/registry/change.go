package registry

import (
	"cmp"
	"context"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// change is what a write makes of a scope.
type change struct {
	put     []*command.Command  // created or changed
	deleted []snowflake.Command // gone, with their permission sets
	renamed []snowflake.Command // their permission sets are gone
	quota   command.Quota
}

func (c change) empty() bool { return len(c.put) == 0 && len(c.deleted) == 0 }

// update lets decide say what becomes of a scope, and makes it so. decide sees every write before it, also those that
// are on their way to the disk in the same commit; it may be called more than once and only the last call counts.
func (r *Registry) update(ctx context.Context, scope command.Scope, decide func(*snapshot) (change, error)) error {
	changed := false
	_, err := r.cache.Update(ctx, scope, func(tx store.Tx, base *snapshot) (*snapshot, error) {
		c, refusal := decide(base)
		changed = !c.empty()
		if refusal != nil || c.empty() {
			revision, err := tx.Revision(scope)
			if err != nil || revision != base.revision {
				return nil, err
			}
			return base, refusal
		}
		next := r.apply(base, c)
		moved, err := tx.MoveScope(scope, base.revision, next.record())
		if err != nil || !moved {
			return nil, err
		}
		return next, write(tx, c)
	}, nil)
	if err == nil && changed {
		r.changed(scope)
	}
	return err
}

// changed tells of a scope whose commands have changed.
func (r *Registry) changed(scope command.Scope) {
	if scope.Guild != 0 && r.Events != nil {
		r.tellPickers(scope.Guild)
	}
}

// apply returns the state after a change.
func (r *Registry) apply(base *snapshot, c change) *snapshot {
	r.ids.Observe(base.revision)
	after := &snapshot{revision: r.ids.Run(1), dropped: base.dropped, quota: c.quota}
	if len(c.deleted)+len(c.renamed) > 0 {
		after.dropped = after.revision
	}
	after.commands = c.applied(base.commands)
	return after
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

func write(tx store.Tx, c change) error {
	if len(c.deleted) > 0 {
		if err := tx.DeleteCommands(c.deleted...); err != nil {
			return err
		}
	}
	for _, id := range c.renamed {
		if err := tx.DropOverwrites(id); err != nil {
			return err
		}
	}
	if len(c.put) == 0 {
		return nil
	}
	records := make([]command.Command, len(c.put))
	for i, p := range c.put {
		records[i] = *p
	}
	return tx.PutCommands(records...)
}
