package registry

import (
	"cmp"
	"context"
	"fmt"
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
//
// The state that decide sees is kept in memory, not read from the store each time. That is a guess, and the store
// judges it: the scope moves from that state's revision or not at all. When it does not, the state is read inside the
// unit of work, where nobody else can change it.
func (r *Registry) update(ctx context.Context, scope command.Scope, decide func(*snapshot) (change, error)) error {
	e := r.cache.pin(scope)
	defer r.cache.unpin(e)
	during := e.era()
	var next *snapshot
	var refusal error
	// A write that has begun is finished: its caller may have gone, but whether it took effect must be known here.
	err := r.store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		next, refusal = nil, nil
		if base := e.base(); base != nil {
			var err error
			if next, refusal, err = r.try(tx, scope, base, decide); err != nil {
				return err
			}
		}
		if next == nil {
			kept, err := tx.Scope(scope)
			if err != nil {
				return err
			}
			if next, refusal, err = r.try(tx, scope, newSnapshot(kept), decide); err != nil {
				return err
			}
		}
		if next == nil {
			return fmt.Errorf("scope %v moved within a unit of work", scope)
		}
		e.setTip(next)
		return refusal
	})
	if err != nil {
		// What it was decided on may be another's write that nobody has seen yet, or one that never reaches the disk. It is
		// read again, so that whoever was refused because of it finds the reason.
		if next == nil || next != e.durable.Load() {
			e.forget()
		}
		return err
	}
	e.advance(next, during)
	if e.era() != during {
		// Somebody made the scope be read again meanwhile, and may have read it before this write.
		e.forget()
	}
	return nil
}

// try applies decide to base. It returns the state after it, which is base itself when nothing changes or decide refuses,
// or nil when base was not the scope's true state and what was decided counts for nothing.
func (r *Registry) try(
	tx store.Tx, scope command.Scope, base *snapshot, decide func(*snapshot) (change, error),
) (next *snapshot, refusal, err error) {
	c, refusal := decide(base)
	if refusal != nil || c.empty() {
		revision, err := tx.Revision(scope)
		if err != nil || revision != base.revision {
			return nil, nil, err
		}
		return base, refusal, nil
	}
	next = r.apply(base, c)
	moved, err := tx.MoveScope(scope, base.revision, next.record())
	if err != nil || !moved {
		return nil, nil, err
	}
	return next, nil, write(tx, c)
}

// apply returns the state after a change.
func (r *Registry) apply(base *snapshot, c change) *snapshot {
	r.ids.Observe(base.revision)
	after := &snapshot{revision: r.ids.Run(1), dropped: base.dropped, quota: c.quota}
	if len(c.deleted)+len(c.renamed) > 0 {
		after.dropped = after.revision
	}
	after.commands = make([]*command.Command, 0, len(base.commands)+len(c.put))
	for _, old := range base.commands {
		if !c.touches(old.ID) {
			after.commands = append(after.commands, old)
		}
	}
	after.commands = append(after.commands, c.put...)
	slices.SortFunc(after.commands, func(a, b *command.Command) int { return cmp.Compare(a.ID, b.ID) })
	return after
}

// touches reports whether a command is written or deleted. Both lists are short.
func (c change) touches(id snowflake.Command) bool {
	return slices.Contains(c.deleted, id) || slices.ContainsFunc(c.put, func(p *command.Command) bool { return p.ID == id })
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
