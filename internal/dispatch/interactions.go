package dispatch

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Interactions are the states of interactions.
type Interactions struct {
	cache.Kind[snowflake.Interaction, store.Interaction]
}

// NewInteractions returns the states of interactions in a cache.
func NewInteractions(c *cache.Cache) *Interactions {
	return &Interactions{cache.Kind[snowflake.Interaction, store.Interaction]{
		Cache: c, Subject: store.InteractionSubject, Read: readInteraction, Size: sizeOf,
	}}
}

func readInteraction(r store.Reader, id snowflake.Interaction) (*store.Interaction, error) {
	i, err := r.Interactions.Interaction(id)
	return &i, err
}

// Recall returns an interaction. One that is not kept has the id 0: messages outlive the interaction that made them, and a
// decision that changes one still depends on its subject.
func (k *Interactions) Recall(ctx context.Context, id snowflake.Interaction) (*store.Interaction, error) {
	i, err := k.Load(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return &store.Interaction{}, nil
	}
	return i, err
}

// sizeOf returns roughly how many bytes an interaction takes.
func sizeOf(i *store.Interaction) int {
	const fixed, metadata = 400, 150
	size := fixed + len(i.Modal) + len(i.Origin.Session) + len(i.Origin.Nonce) + len(i.Origin.Path)
	for m := i.Origin.Triggering; m != nil; m = m.Triggering {
		size += metadata
	}
	return size
}
