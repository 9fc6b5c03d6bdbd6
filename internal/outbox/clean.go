package outbox

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	cleanInterval = 10 * time.Minute
	cleanBatch    = 256
)

// clean drops the deliveries that are too old or too many. It includes those of queues that the service no longer has.
func (o *Outbox) clean(ctx context.Context) (next time.Time, err error) {
	err = store.Exclusively(ctx, o.Store, store.OutboxCleanWork, 0, o.dropOld)
	return o.Clock.Now().Add(cleanInterval), err
}

// dropOld drops deliveries until none is too old and there are not too many.
func (o *Outbox) dropOld(ctx context.Context) error {
	for ctx.Err() == nil {
		var old []store.OutgoingID
		err := o.Store.Read(ctx, func(r store.Reader) error {
			beyond, err := r.Outbox.Beyond(o.MaxWaiting)
			if err != nil {
				return err
			}
			old, err = r.Outbox.Oldest(max(beyond+1, idAt(o.Clock.Now().Add(-Keep))), cleanBatch)
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}
		o.Log.WarnContext(ctx, "deliveries dropped: they are too old, or too many wait", "count", len(old), "kept_for", Keep, "max", o.MaxWaiting)
		for _, id := range old {
			if err := o.remove(ctx, id); err != nil {
				return err
			}
			o.sent.WithLabelValues("any", "dropped").Inc()
		}
	}
	return nil
}

// idAt returns the smallest id of a time.
func idAt(t time.Time) store.OutgoingID {
	return store.OutgoingID(max(t.UnixMilli()-snowflake.Epoch, 0) << 22)
}
