package dispatch

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepAtOnce is how many interactions a sweep reads at once.
	sweepAtOnce = 256
	// sweepTogether is how many of them are decided on at the same time.
	sweepTogether = 64
	// retryAfter is how long the sweep waits after the store has failed.
	retryAfter = time.Second
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
	err = d.store.Read(ctx, func(r store.Reader) (err error) {
		due, err = r.Interactions.Due(sweepAtOnce)
		return err
	})
	now := d.now()
	if i := slices.IndexFunc(due, func(x store.DueInteraction) bool { return x.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// lookAt decides on interactions that are due. They are looked at together, so that they share commits. Nodes that share
// the store look at them in different orders, so that few of their commits meet.
func (d *Dispatch) lookAt(ctx context.Context, due []store.DueInteraction) error {
	if d.store.Shared() {
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sweepTogether)
	for _, x := range due {
		g.Go(func() error { return d.expire(ctx, x.ID) })
	}
	return g.Wait()
}

// expire ends what time has ended: an interaction that nobody answered, or a promise that was not kept. An answer that is
// just being read gets its grace, and so does one that another node may be reading.
func (d *Dispatch) expire(ctx context.Context, id snowflake.Interaction) error {
	f := d.flights.get(id)
	busy := f == nil || f.arriving.Load() > 0 || d.store.Shared()
	var failed, broken *store.Interaction
	err := d.Cache.Decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		failed, broken = nil, nil
		i, err := d.interactions.Recall(ctx, id)
		if err != nil || i.ID == 0 {
			return c, err
		}
		next := at(i, d.now(), busy)
		if next.State == i.State && next.Due.Equal(i.Due) {
			return c, nil
		}
		switch {
		case next.State.Status == i.State.Status:
		case next.State.Status == interaction.Failed:
			failed = &next
			c.Events = []store.Event{failureEvent(&next, interaction.ReasonTimeout)}
		case i.State.Status == interaction.Deferred:
			broken = &next
		}
		d.put(&c, next)
		return c, nil
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		d.failed(failed, interaction.ReasonTimeout, "the app did not answer in time")
	case broken != nil:
		d.numbers.note(broken.Origin.Type, outcomeUnfilled)
		d.watches.finish(id, func(o *Outcome) {
			o.Result, o.Reason, o.Detail = Failed, interaction.ReasonTimeout, "the answer was promised and never came"
		})
	}
	return nil
}
