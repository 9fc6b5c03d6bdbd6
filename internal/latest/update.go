package latest

import (
	"context"
	"fmt"

	"github.com/bellhop/bellhop/internal/store"
)

// Try writes, in a unit of work, what becomes of a thing whose state is base. It returns the state after that, base itself
// when nothing changes, or base with an error when that refuses it. It returns nil when it finds that base is not the
// true state: then nothing was written. It may be called more than once, and only the last call counts.
type Try[T any] func(tx store.Tx, base *T) (next *T, err error)

// Update lets try change what is under a key, and returns the states before and after.
//
// The state that try is given comes from memory and holds every write before it, also those that are on their way to the
// disk in the same commit. That is a guess, and try lets the store judge it: the state moves from that revision or not at
// all. When it does not, it is read inside the unit of work, where nobody else can change it.
func (c *Cache[K, T]) Update(ctx context.Context, key K, try Try[T]) (before, after *T, err error) {
	e := c.pin(key)
	defer c.unpin(e)
	during := e.era()
	var base, next *T
	// A write that has begun is finished: its caller may have gone, but whether it took effect must be known here.
	err = c.config.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) (err error) {
		next = nil
		if base = e.base(); base != nil {
			next, err = try(tx, base)
		}
		if next == nil && err == nil {
			if base, err = c.config.Read(tx, key); err != nil {
				return err
			}
			next, err = try(tx, base)
		}
		if next == nil && err == nil {
			return fmt.Errorf("%v moved within a unit of work", key)
		}
		if next != nil {
			e.setTip(next)
		}
		return err
	})
	if err != nil {
		e.unsettle(next)
		return nil, nil, err
	}
	e.wrote(next, during)
	return base, next, nil
}

// Insert lets put make what is under a key. There is nothing under it yet.
func (c *Cache[K, T]) Insert(ctx context.Context, key K, put func(tx store.Tx) (*T, error)) (*T, error) {
	e := c.pin(key)
	defer c.unpin(e)
	during := e.era()
	var made *T
	err := c.config.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) (err error) {
		made, err = put(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.wrote(made, during)
	return made, nil
}
