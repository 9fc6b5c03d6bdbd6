package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepAtOnce is how many interactions a sweep asks for and looks at together.
	sweepAtOnce = 256
	// retryAfter is how long the sweep waits after the store has failed.
	retryAfter = time.Second
	// cleanEvery is how often what nobody can ask for any more is removed, so much in a unit of work, so many units at once.
	cleanEvery  = 10 * time.Minute
	cleanAtOnce = 1024
	cleanRounds = 64
	// retention is how long an interaction is remembered, so that a late token gets the right answer. Ephemeral messages
	// are kept as long as clients may still show them, and activity instances likewise.
	retention          = time.Hour
	ephemeralRetention = 24 * time.Hour
)

// errStuck says that an interaction is still due after it was looked at.
var errStuck = errors.New("an interaction stays due")

// sweep looks at every interaction that is due and sets the alarm for the next.
func (d *Dispatch) sweep(ctx context.Context) {
	var last store.DueInteraction // that was due first
	for ctx.Err() == nil {
		due, next, err := d.due(ctx)
		switch {
		case err != nil:
		case len(due) == 0:
			d.flights.land(d.now().Add(-interaction.Deadline - interaction.Grace))
			d.alarm.Set(d.Clock, d.cleanUp(ctx, next))
			return
		case due[0] == last:
			err = errStuck
		default:
			last = due[0]
			err = d.lookAt(ctx, due)
		}
		if err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "sweep of interactions failed", "err", err)
			d.alarm.Set(d.Clock, d.now().Add(retryAfter))
			return
		}
	}
}

// due returns interactions that are due, and when the next one is; zero: never.
func (d *Dispatch) due(ctx context.Context) (due []store.DueInteraction, next time.Time, err error) {
	err = d.Store.View(ctx, func(r store.Reader) (err error) {
		due, err = r.DueInteractions(sweepAtOnce)
		return err
	})
	now := d.now()
	if i := slices.IndexFunc(due, func(x store.DueInteraction) bool { return x.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// lookAt decides on interactions that are due. They are looked at together, so that they share commits.
func (d *Dispatch) lookAt(ctx context.Context, due []store.DueInteraction) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, x := range due {
		g.Go(func() error { return d.expire(ctx, x.ID) })
	}
	return g.Wait()
}

// expire ends what time has ended: an interaction that nobody answered, or a promise that was not kept. An answer that is
// just being read gets its grace, and so does one that another node may be reading.
func (d *Dispatch) expire(ctx context.Context, id snowflake.Interaction) error {
	f := d.flights.get(id)
	if f != nil {
		select {
		case <-f.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	busy := f == nil || f.arriving.Load() > 0
	var before, after store.Interaction
	err := d.Store.Update(ctx, func(tx store.Tx) (err error) {
		if before, err = tx.Interaction(id); err != nil {
			return err
		}
		after, err = move(tx, &before, func(cur *store.Interaction) (store.Interaction, error) {
			next := *cur
			next.State = cur.State.At(d.now(), busy)
			next.Due = dueOf(next.State, busy)
			return next, nil
		})
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case after.State.Status == interaction.Failed && before.State.Status == interaction.Pending:
		d.failed(&after, interaction.ReasonTimeout, "the app did not answer in time")
	case after.State.Status == interaction.Expired && before.State.Status == interaction.Deferred:
		d.numbers.note(after.Origin.Type, outcomeUnfilled)
		d.watches.finish(id, func(o *Outcome) {
			o.Result, o.Reason, o.Detail = Failed, interaction.ReasonTimeout, "the answer was promised and never came"
		})
	}
	return nil
}

// cleanUp removes what nobody can ask for any more when it is time for that, and returns when to look again: at next, or
// when it is time for the next clean-up.
func (d *Dispatch) cleanUp(ctx context.Context, next time.Time) time.Time {
	if now := d.now(); !now.Before(d.nextClean) {
		d.nextClean = now.Add(cleanEvery)
		var full bool
		var err error
		for range cleanRounds {
			if full, err = d.clean(ctx, now); err != nil || !full {
				break
			}
		}
		if err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "clean-up of interactions failed", "err", err)
		}
		if full {
			d.nextClean = now.Add(retryAfter)
		}
	}
	if next.IsZero() || d.nextClean.Before(next) {
		return d.nextClean
	}
	return next
}

// clean removes a part of what is old, and reports whether there may be more.
func (d *Dispatch) clean(ctx context.Context, now time.Time) (full bool, err error) {
	var stale []store.Message
	err = d.Store.View(ctx, func(r store.Reader) (err error) {
		stale, err = r.EphemeralMessages(idAt[snowflake.Message](now.Add(-ephemeralRetention)), cleanAtOnce)
		return err
	})
	if err != nil {
		return false, err
	}
	var ids []snowflake.Message
	var files []snowflake.Attachment
	for i := range stale {
		ids = append(ids, stale[i].ID)
		if c, err := message.ParseContent(stale[i].Content); err == nil {
			files = append(files, lost(c.Attachments, nil)...)
		}
	}
	err = d.Store.Update(ctx, func(tx store.Tx) error {
		n, err := tx.DeleteInteractions(idAt[snowflake.Interaction](now.Add(-retention)), cleanAtOnce)
		if err != nil {
			return err
		}
		m, err := tx.DeleteActivities(idAt[snowflake.Interaction](now.Add(-ephemeralRetention)), cleanAtOnce)
		if err != nil {
			return err
		}
		full = n == cleanAtOnce || m == cleanAtOnce || len(ids) == cleanAtOnce
		return tx.DeleteMessages(ids...)
	})
	if err == nil {
		d.discard(ctx, files)
	}
	return full, err
}

// idAt returns the first id that can be made at a moment.
func idAt[T ~uint64](t time.Time) T { return T(max(t.UnixMilli()-snowflake.Epoch, 0) << 22) }
