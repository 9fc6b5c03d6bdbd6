package cluster

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
)

// Store is a store whose writes are acknowledged when no node shows what was before them.
type Store struct {
	store.Store

	node *Node
}

// Share returns a store that tells the other nodes of what is written through it.
func (n *Node) Share(s store.Store) *Store { return &Store{Store: s, node: n} }

// Update runs fn, makes what it wrote durable, and sees to it that every node has forgotten what was before.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	var changes *Changes
	err := s.Store.Update(ctx, func(tx store.Tx) error {
		changes = &Changes{} // of this run alone
		return fn(watched{tx, changes, new(Join)})
	})
	if errors.Is(err, store.ErrUnsure) {
		s.node.distrust()
	}
	if err != nil || changes.empty() {
		return err
	}
	// What was written stays: its caller may have gone, but whoever reads it elsewhere must see it.
	return s.node.Tell(context.WithoutCancel(ctx), changes)
}
