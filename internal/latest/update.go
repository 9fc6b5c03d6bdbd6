package latest

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bellhop/bellhop/internal/store"
)

// Try writes, in a unit of work, what becomes of a thing whose state is base. It returns the state after that, base itself
// when nothing changes, or base with an error when that refuses it. It returns nil when it finds that base is not the
// true state: then nothing was written. It may be called more than once, and only the last call counts.
type Try[T any] func(tx store.Tx, base *T) (next *T, err error)

// Tell is told of the states before and after a write that is durable, once, before the write returns. It is called in
// the order of the writes to a key, one at a time, possibly by another of them. It does not wait, and does not use the
// key. Writes that changed nothing, and those around which somebody changed the record without the cache, are told in no
// order.
type Tell[T any] func(before, after *T)

// Update lets try change what is under a key, and returns the state after it. tell may be nil.
//
// The state that try is given comes from memory and holds every write before it, also those that are on their way to the
// disk in the same commit. That is a guess, and try lets the store judge it: the state moves from that revision or not at
// all. When it does not, it is read inside the unit of work, where nobody else can change it.
func (c *Cache[K, T]) Update(ctx context.Context, key K, try Try[T], tell Tell[T]) (*T, error) {
	e := c.pin(key)
	defer c.unpin(e)
	if c.config.Fresh != nil {
		// Units of work of a store that is shared run at the same time, and one of two that change the same would run again.
		e.turn.Lock()
		defer e.turn.Unlock()
	}
	during := e.era()
	w := &write[T]{tell: tell}
	// A write that has begun is finished: its caller may have gone, but whether it took effect must be known here.
	ctx = store.Tentative(context.WithoutCancel(ctx))
	var found *T
	if c.config.Fresh != nil && e.base() == nil {
		found = c.look(ctx, key)
	}
	err := c.config.Store.Update(ctx, func(tx store.Tx) (err error) {
		e.retry(w)
		if w.before = cmp.Or(e.base(), found); w.before != nil {
			w.after, err = try(tx, w.before)
		}
		if w.after == nil && err == nil {
			if w.before, err = c.config.Read(tx, key); err != nil {
				return err
			}
			w.after, err = try(tx, w.before)
		}
		if w.after == nil && err == nil {
			return fmt.Errorf("%v moved within a unit of work", key)
		}
		if w.after != nil {
			e.setTip(w)
		}
		return err
	})
	if err != nil {
		e.unsettle(w)
		return nil, err
	}
	e.wrote(w, during)
	return w.after, nil
}

// look returns a state that is most likely the one of the store, nil when there is none: a store that is shared is quicker to
// check a state than to read it within a unit of work.
func (c *Cache[K, T]) look(ctx context.Context, key K) *T {
	s, err := c.read(ctx, key)
	if err != nil {
		return nil // the unit of work finds out why
	}
	return s
}

// Insert lets put make what is under a key. There is nothing under it yet: tell, which may be nil, is told of no state
// before.
func (c *Cache[K, T]) Insert(ctx context.Context, key K, put func(tx store.Tx) (*T, error), tell Tell[T]) (*T, error) {
	e := c.pin(key)
	defer c.unpin(e)
	during := e.era()
	w := &write[T]{tell: tell}
	err := c.config.Store.Update(store.Tentative(context.WithoutCancel(ctx)), func(tx store.Tx) (err error) {
		e.retry(w)
		if w.after, err = put(tx); err == nil {
			e.setTip(w)
		}
		return err
	})
	if err != nil {
		e.unsettle(w)
		return nil, err
	}
	e.wrote(w, during)
	return w.after, nil
}
