package dispatch

import (
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
)

// zeroTime is the due time of what time alone does not change.
var zeroTime time.Time

// move lets decide say what becomes of an interaction and makes it so within a unit of work. known is the interaction as
// the caller remembers it. That is a guess, and the store judges it: when somebody else has moved it, the interaction is
// read and decide asked again. Nothing is written when decide refuses.
func move(
	tx store.Tx, known *store.Interaction, decide func(cur *store.Interaction) (store.Interaction, error),
) (store.Interaction, error) {
	cur := *known
	for range 2 {
		next, err := decide(&cur)
		if err != nil {
			return cur, err
		}
		next.Revision = cur.Revision + 1
		moved, err := tx.MoveInteraction(next)
		if err != nil || moved {
			return next, err
		}
		if cur, err = tx.Interaction(known.ID); errors.Is(err, store.ErrNotFound) {
			return cur, interaction.ErrUnknownInteraction
		} else if err != nil {
			return cur, err
		}
	}
	return cur, fmt.Errorf("interaction %v moved within a unit of work", known.ID)
}

// dueOf returns when time alone changes something about an interaction that is due to be looked at: the first answer
// that is missing, or the promise of one.
func dueOf(s interaction.State, busy bool) time.Time {
	switch s.Status {
	case interaction.Pending, interaction.Deferred:
		due, _ := s.Due(busy)
		return due
	default:
		return zeroTime
	}
}
