package outbox

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// ErrDrop says that a delivery will never succeed.
var ErrDrop = errors.New("the delivery is dropped")

// Later is an error of Settings.Send: the delivery was not attempted, and is due again after a time.
type Later struct{ After time.Duration }

// Error returns a text for logs.
func (l *Later) Error() string { return "the delivery is due later" }

// Growing returns a Settings.Pause that starts with first, doubles up to longest, and never drops a delivery.
func Growing(first, longest time.Duration) func(attempts int) (time.Duration, bool) {
	return func(attempts int) (time.Duration, bool) {
		pause := first
		for n := 1; n < attempts && pause < longest; n++ {
			pause *= 2
		}
		return min(pause, longest), true
	}
}

// lane returns the lane of a subject in a queue. Two subjects that share a lane by chance are sent one after another.
func lane(queue string, s store.Subject) uint64 {
	if s == (store.Subject{}) {
		return 0
	}
	h := fnv.New64a()
	text := binary.BigEndian.AppendUint64([]byte(queue+"\x00"), uint64(s.Kind))
	_, _ = h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(text, s.A), s.B)) // never fails
	return max(h.Sum64()>>1, 1)                                                                  // a number of the engines
}

// handle sends a delivery that is due, unless another node does or another delivery of the lane comes first.
func (q *Queue) handle(ctx context.Context, id store.OutgoingID) error {
	if c, shared := q.outbox.Store.(store.Claimer); shared { // the claim of the sweep may have ended meanwhile
		if granted, err := c.Claim(ctx, store.OutboxWork, []uint64{uint64(id)}); err != nil || len(granted) == 0 {
			return err
		}
	}
	for {
		row, first, err := q.load(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		case first:
			return q.send(ctx, row)
		}
		if waits, err := q.wait(ctx, id); err != nil || waits {
			return err
		}
	}
}

// load returns a delivery, and whether it is the first of its lane.
func (q *Queue) load(ctx context.Context, id store.OutgoingID) (row store.Outgoing, first bool, err error) {
	err = q.outbox.Store.Read(ctx, func(r store.Reader) error {
		if row, err = r.Outbox.Outgoing(id); err != nil || row.Lane == 0 {
			first = true
			return err
		}
		lane, err := r.Outbox.Lane(row.Lane, 1)
		first = len(lane) == 0 || lane[0] == id
		return err
	})
	return row, first, err
}

// wait makes a delivery wait for the first one of its lane. It returns false if it is the first one itself.
func (q *Queue) wait(ctx context.Context, id store.OutgoingID) (waits bool, err error) {
	err = store.Decide(ctx, q.outbox.Store, func(tx *store.Tx) error {
		row, err := tx.Outbox.Outgoing(id)
		if err != nil {
			waits = true
			return except(err, store.ErrNotFound)
		}
		lane, err := tx.Outbox.Lane(row.Lane, 1)
		if waits = len(lane) > 0 && lane[0] != id; err != nil || !waits {
			return err
		}
		row.Waiting = true
		tx.Touch(store.OutgoingSubject(lane[0])) // so that its end, which makes this one due, does not miss it
		return tx.Put(row)
	})
	return waits, err
}

// send sends a delivery and stores the outcome.
func (q *Queue) send(ctx context.Context, row store.Outgoing) error {
	sending, cancel := context.WithTimeout(ctx, q.Timeout)
	err := q.Send(sending, Delivery{ID: row.ID, Attempt: row.Attempts + 1, Payload: row.Payload})
	cancel()
	if ctx.Err() != nil && err != nil {
		return ctx.Err() // the service stops: the next start sends it again
	}
	storing := context.WithoutCancel(ctx) // the store bounds each call
	if err == nil {
		q.outbox.sent.WithLabelValues(q.Name, "sent").Inc()
		return q.outbox.remove(storing, row.ID)
	}
	if later, ok := errors.AsType[*Later](err); ok {
		return q.postpone(storing, row, row.Attempts, later.After)
	}
	pause, again := q.Pause(row.Attempts + 1)
	if !again || errors.Is(err, ErrDrop) {
		q.outbox.sent.WithLabelValues(q.Name, "dropped").Inc()
		q.outbox.Log.WarnContext(ctx, "delivery dropped", "queue", q.Name, "delivery", row.ID, "attempts", row.Attempts+1, "err", err)
		return q.outbox.remove(storing, row.ID)
	}
	q.outbox.sent.WithLabelValues(q.Name, "failed").Inc()
	q.outbox.Log.InfoContext(ctx, "delivery failed", "queue", q.Name, "delivery", row.ID, "attempts", row.Attempts+1, "pause", pause, "err", err)
	return q.postpone(storing, row, row.Attempts+1, pause)
}

// postpone stores the number of attempts of a delivery, and that it is due after a pause.
func (q *Queue) postpone(ctx context.Context, row store.Outgoing, attempts int, pause time.Duration) error {
	return store.Decide(ctx, q.outbox.Store, func(tx *store.Tx) error {
		now, err := tx.Outbox.Outgoing(row.ID)
		if err != nil || now.Attempts != row.Attempts { // another node sent it too
			return except(err, store.ErrNotFound)
		}
		now.Attempts, now.Due = attempts, q.outbox.Clock.Now().Add(pause)
		return tx.Put(now)
	})
}

// maxDamaged bounds the damaged deliveries that one change removes.
const maxDamaged = 16

// remove removes a delivery, and makes the next one of its lane due. It removes damaged deliveries that come next.
func (o *Outbox) remove(ctx context.Context, id store.OutgoingID) error {
	return store.Decide(ctx, o.Store, func(tx *store.Tx) error {
		row, err := tx.Outbox.Outgoing(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		tx.Delete(store.OutgoingKey(id))
		if err != nil || row.Lane == 0 {
			return except(err, store.ErrDamaged)
		}
		lane, err := tx.Outbox.Lane(row.Lane, maxDamaged)
		if err != nil {
			return err
		}
		for _, next := range lane {
			if next == id {
				continue
			}
			after, err := tx.Outbox.Outgoing(next)
			if errors.Is(err, store.ErrDamaged) {
				tx.Delete(store.OutgoingKey(next))
				continue
			}
			if err != nil || !after.Waiting {
				return except(err, store.ErrNotFound)
			}
			after.Waiting, after.Due = false, o.Clock.Now()
			return tx.Put(after)
		}
		return nil
	})
}

// except returns nil for one error, and other errors unchanged.
func except(err, accepted error) error {
	if errors.Is(err, accepted) {
		return nil
	}
	return err
}
