package dispatch

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// interactions reads the states of interactions through the cache.
type interactions struct {
	cache.Kind[snowflake.Interaction, store.Interaction]
}

func newInteractions(c *cache.Cache) *interactions {
	return &interactions{cache.Kind[snowflake.Interaction, store.Interaction]{
		Cache: c, Subject: store.InteractionSubject, Read: readInteraction, Size: sizeOf,
	}}
}

func readInteraction(r store.Reader, id snowflake.Interaction) (*store.Interaction, error) {
	i, err := r.Interactions.Interaction(id)
	return &i, err
}

// find returns an interaction. An interaction that does not exist has the id 0; a decision that calls find still
// depends on it. Messages outlive their interaction.
func (k *interactions) find(ctx context.Context, id snowflake.Interaction) (*store.Interaction, error) {
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
