package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// cleanupInterval is the shortest time between two clean-ups of old records. The next one waits until the oldest interaction is
	// old, at most for retention.
	cleanupInterval = 10 * time.Minute
	// cleanupBatch is the highest number of records that one commit deletes. Deleting a message writes to its
	// interaction too.
	cleanupBatch = 256
	messageBatch = cleanupBatch / 2
	// maxBatches is the highest number of commits of a clean-up per kind of record.
	maxBatches = 256
	// retention is the time for which an interaction is stored, so that an expired token gets the right error.
	retention = time.Hour
	// Ephemeral messages and activity instances are stored for ephemeralRetention. Clients may show them that
	// long.
	ephemeralRetention = 24 * time.Hour
)

// cleanUp deletes old records when it is time for that. It returns when to sweep again: at next or at the next
// clean-up, whichever comes first.
func (s *expiry) cleanUp(ctx context.Context, next time.Time) time.Time {
	if now := s.now(); !now.Before(s.nextCleanup) {
		more, err := s.cleanAll(ctx, now)
		oldest, failed := s.oldest(ctx)
		if err = errors.Join(err, failed); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "clean-up of interactions failed", "err", err)
		}
		switch s.nextCleanup = now.Add(cleanupInterval); {
		case more:
			s.nextCleanup = now.Add(retryAfter)
		case err == nil && oldest.Add(retention).After(s.nextCleanup):
			s.nextCleanup = oldest.Add(retention)
		}
	}
	if next.IsZero() || s.nextCleanup.Before(next) {
		return s.nextCleanup
	}
	return next
}

// cleanAll deletes old records of all kinds, unless another node does that now. It reports whether there may be more.
func (s *expiry) cleanAll(ctx context.Context, now time.Time) (more bool, err error) {
	err = store.Exclusively(ctx, s.store, store.InteractionCleanWork, 0, func(ctx context.Context) (err error) {
		for _, clean := range []func(context.Context, time.Time) (bool, error){
			s.cleanInteractions, s.cleanLeftovers, s.cleanNonces, s.cleanActivities, s.cleanMessages,
		} {
			full, failed := cleanBatches(ctx, now, clean)
			more, err = more || full, errors.Join(err, failed)
		}
		return err
	})
	return more, err
}

// oldest returns the time of the oldest interaction, or the present if there is none.
func (s *expiry) oldest(ctx context.Context) (t time.Time, err error) {
	t = s.now()
	err = s.store.Read(ctx, func(r store.Reader) error {
		ids, err := r.Interactions.Old(snowflake.Max, 1)
		if len(ids) > 0 {
			t = ids[0].Time()
		}
		return err
	})
	return t, err
}

// cleanBatches calls clean until no records are left, at most maxBatches times. It reports whether there may be more.
func cleanBatches(
	ctx context.Context, now time.Time, clean func(context.Context, time.Time) (bool, error),
) (full bool, err error) {
	for range maxBatches {
		if full, err = clean(ctx, now); err != nil || !full {
			return full, err
		}
	}
	return full, nil
}

// cleanInteractions deletes a batch of old interactions and reports whether there may be more.
func (s *expiry) cleanInteractions(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, s.store, func(tx *store.Tx) error {
		ids, err := tx.Interactions.Old(firstID[snowflake.Interaction](now.Add(-retention)), cleanupBatch)
		for _, id := range ids {
			tx.Delete(store.InteractionKey(id))
		}
		full = len(ids) == cleanupBatch
		return err
	})
	return full, err
}

// cleanLeftovers ends a batch of subjects that edits of messages have left after their interactions were deleted. It reports
// whether there may be more.
func (s *expiry) cleanLeftovers(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, s.store, func(tx *store.Tx) error {
		ids, err := tx.Interactions.Leftovers(firstID[snowflake.Interaction](now.Add(-retention)), now.Add(-cleanupInterval), cleanupBatch)
		for _, id := range ids {
			tx.End(store.InteractionSubject(id))
		}
		full = len(ids) == cleanupBatch
		return err
	})
	return full, err
}

// cleanNonces deletes a batch of old nonces and reports whether there may be more.
func (s *expiry) cleanNonces(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, s.store, func(tx *store.Tx) error {
		old, err := tx.Interactions.OldNonces(firstID[snowflake.Interaction](now.Add(-nonceLifetime)), cleanupBatch)
		for _, hash := range old {
			tx.Delete(store.NonceKey(hash))
		}
		full = len(old) == cleanupBatch
		return err
	})
	return full, err
}

// cleanActivities deletes a batch of old activity instances and reports whether there may be more.
func (s *expiry) cleanActivities(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, s.store, func(tx *store.Tx) error {
		ids, err := tx.Interactions.OldActivities(firstID[snowflake.Interaction](now.Add(-ephemeralRetention)), cleanupBatch)
		for _, id := range ids {
			tx.Delete(store.ActivityKey(id))
		}
		full = len(ids) == cleanupBatch
		return err
	})
	return full, err
}

// cleanMessages deletes a batch of old ephemeral messages and their files, and reports whether there may be more.
func (s *expiry) cleanMessages(ctx context.Context, now time.Time) (full bool, err error) {
	var files []snowflake.Attachment
	err = store.Decide(ctx, s.store, func(tx *store.Tx) error {
		files = nil
		old, err := tx.Messages.Ephemeral(firstID[snowflake.Message](now.Add(-ephemeralRetention)), messageBatch)
		if err != nil {
			return err
		}
		for i := range old {
			if err := messages.RemoveEphemeral(tx, &old[i]); err != nil {
				return err
			}
			if c, err := message.ParseContent(old[i].Content); err == nil {
				files = append(files, messages.RemovedFiles(c.Attachments, nil)...)
			}
		}
		full = len(old) == messageBatch
		return nil
	})
	if err == nil {
		s.Messages.DeleteFiles(ctx, files)
	}
	return full, err
}

// firstID returns the smallest id of a time.
func firstID[T ~uint64](t time.Time) T { return T(max(t.UnixMilli()-snowflake.Epoch, 0) << 22) }
