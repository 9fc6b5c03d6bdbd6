package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// cleanEvery is how often records are removed that no request can name any more.
	cleanEvery = 10 * time.Minute
	// cleanPiece is how many records of a kind one commit removes, cleanRounds how many commits there are in a row. Each
	// message writes to its interaction too.
	cleanPiece   = 256
	messagePiece = cleanPiece / 2
	cleanRounds  = 256
	// retention is how long an interaction is kept, so that a late token gets the right answer. Ephemeral messages are kept
	// as long as clients may still show them, and activity instances likewise.
	retention          = time.Hour
	ephemeralRetention = 24 * time.Hour
)

// cleanUp removes what is old when it is time for that, and returns when to look again: at next, or when it is time for the
// next clean-up.
func (d *Dispatch) cleanUp(ctx context.Context, next time.Time) time.Time {
	if now := d.now(); !now.Before(d.nextClean) {
		d.nextClean = now.Add(cleanEvery)
		more := false
		for _, clean := range []func(context.Context, time.Time) (bool, error){
			d.cleanInteractions, d.cleanActivities, d.cleanMessages,
		} {
			full, err := repeat(ctx, now, clean)
			more = more || full
			if err != nil && ctx.Err() == nil {
				d.Log.ErrorContext(ctx, "clean-up of interactions failed", "err", err)
			}
		}
		if more {
			d.nextClean = now.Add(retryAfter)
		}
	}
	if next.IsZero() || d.nextClean.Before(next) {
		return d.nextClean
	}
	return next
}

// repeat removes pieces of what is old until there is none left, and reports whether there may be more.
func repeat(ctx context.Context, now time.Time, clean func(context.Context, time.Time) (bool, error)) (full bool, err error) {
	for range cleanRounds {
		if full, err = clean(ctx, now); err != nil || !full {
			return full, err
		}
	}
	return full, nil
}

// cleanInteractions removes a piece of the old interactions, and reports whether there may be more.
func (d *Dispatch) cleanInteractions(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, d.store, func(tx *store.Tx) error {
		ids, err := tx.Interactions.Old(idAt[snowflake.Interaction](now.Add(-retention)), cleanPiece)
		for _, id := range ids {
			tx.Delete(store.InteractionKey(id))
		}
		full = len(ids) == cleanPiece
		return err
	})
	return full, err
}

// cleanActivities removes a piece of the old activity instances, and reports whether there may be more.
func (d *Dispatch) cleanActivities(ctx context.Context, now time.Time) (full bool, err error) {
	err = store.Decide(ctx, d.store, func(tx *store.Tx) error {
		ids, err := tx.Interactions.OldActivities(idAt[snowflake.Interaction](now.Add(-ephemeralRetention)), cleanPiece)
		for _, id := range ids {
			tx.Delete(store.ActivityKey(id))
		}
		full = len(ids) == cleanPiece
		return err
	})
	return full, err
}

// cleanMessages removes a piece of the old ephemeral messages with their files, and reports whether there may be more.
func (d *Dispatch) cleanMessages(ctx context.Context, now time.Time) (full bool, err error) {
	var files []snowflake.Attachment
	err = store.Decide(ctx, d.store, func(tx *store.Tx) error {
		files = nil
		stale, err := tx.Messages.Ephemeral(idAt[snowflake.Message](now.Add(-ephemeralRetention)), messagePiece)
		if err != nil {
			return err
		}
		for i := range stale {
			if err := messages.Remove(tx, &stale[i]); err != nil {
				return err
			}
			if c, err := message.ParseContent(stale[i].Content); err == nil {
				files = append(files, lost(c.Attachments, nil)...)
			}
		}
		full = len(stale) == messagePiece
		return nil
	})
	if err == nil {
		d.discard(ctx, files)
	}
	return full, err
}

// idAt returns the first id that can be made at a moment.
func idAt[T ~uint64](t time.Time) T { return T(max(t.UnixMilli()-snowflake.Epoch, 0) << 22) }
