package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/problem"
)

// deliver posts an interaction to its app's endpoint and takes the answer that comes back. It runs on a goroutine of its
// own, which flights waits for.
func (d *Dispatch) deliver(ctx context.Context, f *flight, body []byte) {
	defer d.flights.under.Done()
	defer f.cancel()
	left := f.record.State.Created.Add(interaction.Deadline).Sub(d.Clock.Now())
	reading := false
	a, err := d.Webhooks.Deliver(ctx, webhook.Delivery{
		Application: f.app.ID, URL: f.app.InteractionsEndpointURL, Key: f.app.SigningKey, Body: body,
		Deadline: d.Wall.Now().Add(left), Grace: interaction.Grace,
		Arriving: func() { reading = true; f.arriving.Add(1) },
	})
	if reading {
		defer f.arriving.Add(-1)
	}
	if err != nil {
		d.undelivered(ctx, f, err)
		return
	}
	f.watch.delivered(a.Arrived.Sub(f.began))
	if a.Deferred {
		return // the app uses the callback route, or the deadline comes
	}
	r := Response{Body: a.Form}
	if a.Form.Kind() == 0 {
		if r, err = readParts(a.ContentType, a.Body); err != nil {
			d.give(ctx, &f.record, interaction.ReasonUnknown, "the answer is no form that can be read")
			return
		}
	}
	r.Arrived = d.Clock.Now().Add(-d.Wall.Now().Sub(a.Arrived))
	_, err = d.take(ctx, &f.record, r, false)
	d.refused(ctx, f, err)
}

// undelivered fails an interaction whose delivery failed, unless the app has answered it by callback.
func (d *Dispatch) undelivered(ctx context.Context, f *flight, err error) {
	e, ok := errors.AsType[*webhook.Error](err)
	switch {
	case ok && e.Kind == webhook.Timeout:
		d.give(ctx, &f.record, interaction.ReasonTimeout, e.Error())
	case ok:
		d.give(ctx, &f.record, interaction.ReasonUnknown, e.Error())
	default:
		d.give(ctx, &f.record, interaction.ReasonUnknown, "the delivery was called off")
	}
}

// refused fails an interaction whose inline answer was of no use.
func (d *Dispatch) refused(ctx context.Context, f *flight, err error) {
	tree, isTree := errors.AsType[*problem.Tree](err)
	switch {
	case err == nil, errors.Is(err, interaction.ErrAcknowledged), errors.Is(err, interaction.ErrUnknownInteraction):
	case isTree:
		d.give(ctx, &f.record, interaction.ReasonUnknown, "the answer is invalid: "+tree.Error())
	case errors.Is(err, message.ErrEmpty), errors.Is(err, interaction.ErrUnknownMessage), errors.Is(err, ErrFileTooLarge):
		d.give(ctx, &f.record, interaction.ReasonUnknown, "the answer is invalid: "+err.Error())
	default:
		d.Log.ErrorContext(ctx, "answer not taken", "interaction", f.record.ID, "err", err)
		d.give(ctx, &f.record, interaction.ReasonUnknown, "the answer could not be kept")
	}
}

// give gives up on an interaction that nobody has answered.
func (d *Dispatch) give(ctx context.Context, i *store.Interaction, reason interaction.Reason, detail string) {
	ctx = context.WithoutCancel(ctx) // whoever invoked it has to learn how it ended
	if f := d.flights.get(i.ID); f != nil {
		<-f.ready // comes: whoever created the interaction sees to it
	}
	var failed *store.Interaction
	err := d.Store.Update(ctx, func(tx store.Tx) error {
		failed = nil
		to, err := move(tx, i, func(cur *store.Interaction) (store.Interaction, error) {
			next := *cur
			if cur.State.Status != interaction.Pending {
				return next, interaction.ErrAcknowledged
			}
			next.State, next.Due = cur.State.Fail(), zeroTime
			return next, nil
		})
		if errors.Is(err, interaction.ErrAcknowledged) || errors.Is(err, interaction.ErrUnknownInteraction) {
			return nil
		}
		failed = &to
		return err
	})
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "interaction not failed", slog.Any("interaction", i.ID), slog.Any("err", err))
		return // the sweep does it
	}
	if failed != nil {
		d.failed(failed, reason, detail)
	}
}

// failed tells that nobody answered.
func (d *Dispatch) failed(i *store.Interaction, reason interaction.Reason, detail string) {
	d.tellFailure(i, reason)
	outcome := outcomeFailed
	if reason == interaction.ReasonTimeout {
		outcome = outcomeTimeout
	}
	d.numbers.note(i.Origin.Type, outcome)
	if f := d.flights.settle(i.ID); f != nil && f.cancel != nil {
		f.cancel()
	}
	d.watches.failed(i.ID, reason, detail, d.Wall.Now())
}
