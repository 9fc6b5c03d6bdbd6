package lobbies

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

const (
	// cleanEvery is how often what has been kept for long enough is removed. Nobody sees it in the meantime.
	cleanEvery = 10 * time.Minute
	// cleanAtOnce is how many records one unit of work removes, so that nobody waits for long.
	cleanAtOnce = 256
)

// clean removes old messages and invites, and sets the alarm for the next time.
func (s *Lobbies) clean(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		err := s.Store.Update(ctx, func(tx store.Tx) error {
			messages, err := tx.DeleteLobbyMessages(s.oldest(), cleanAtOnce)
			if err != nil {
				return err
			}
			invites, err := tx.ExpireInvites(s.now(), cleanAtOnce)
			more = max(messages, invites) == cleanAtOnce
			return err
		})
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "old messages and invites were not removed", "err", err)
			break
		}
	}
	s.cleaning.set(s.Clock, s.now().Add(cleanEvery))
}
