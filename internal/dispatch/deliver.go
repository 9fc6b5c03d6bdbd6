package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// deliver posts an interaction that is on disk to its app's endpoint and takes the answer that comes back. It runs on a
// goroutine of its own, which flights waits for.
func (d *Dispatch) deliver(ctx context.Context, n *creation) {
	defer d.flights.under.Done()
	defer n.cancel()
	left := n.record.State.Created.Add(interaction.Deadline).Sub(d.Clock.Now())
	reading := false
	a, err := d.Webhooks.Deliver(ctx, webhook.Delivery{
		Application: n.app.ID, URL: n.app.InteractionsEndpointURL, Key: n.app.SigningKey, Body: n.body,
		Deadline: d.Wall.Now().Add(left), Grace: interaction.Grace,
		Arriving: func() { reading = true; n.flight.arriving.Add(1) },
	})
	if reading {
		defer n.flight.arriving.Add(-1)
	}
	if err != nil {
		d.undelivered(ctx, n.id, err)
		return
	}
	n.call.Watch.delivered(a.Arrived.Sub(n.began))
	if a.Deferred {
		return // the app uses the callback route, or the deadline comes
	}
	r := Response{Body: a.Form}
	if a.Form.Kind() == 0 {
		if r, err = readParts(a.ContentType, a.Body); err != nil {
			d.give(ctx, n.id, interaction.ReasonUnknown, "the answer is no form that can be read")
			return
		}
	}
	r.Arrived = d.Clock.Now().Add(-d.Wall.Now().Sub(a.Arrived))
	_, err = d.take(ctx, n.id, n.token, r, false)
	d.refused(ctx, n.id, err)
}

// undelivered fails an interaction whose delivery failed, unless the app has answered it by callback.
func (d *Dispatch) undelivered(ctx context.Context, id snowflake.Interaction, err error) {
	e, ok := errors.AsType[*webhook.Error](err)
	switch {
	case ok && e.Kind == webhook.Timeout:
		d.give(ctx, id, interaction.ReasonTimeout, e.Error())
	case ok:
		d.give(ctx, id, interaction.ReasonUnknown, e.Error())
	default:
		d.give(ctx, id, interaction.ReasonUnknown, "the delivery was called off")
	}
}

// refused fails an interaction whose inline answer was of no use.
func (d *Dispatch) refused(ctx context.Context, id snowflake.Interaction, err error) {
	tree, isTree := errors.AsType[*jsonbody.Tree](err)
	switch {
	case err == nil, errors.Is(err, interaction.ErrAcknowledged), errors.Is(err, interaction.ErrUnknownInteraction):
	case isTree:
		d.give(ctx, id, interaction.ReasonUnknown, "the answer is invalid: "+tree.Error())
	case errors.Is(err, message.ErrEmpty), errors.Is(err, interaction.ErrUnknownMessage), errors.Is(err, ErrFileTooLarge):
		d.give(ctx, id, interaction.ReasonUnknown, "the answer is invalid: "+err.Error())
	default:
		d.Log.ErrorContext(ctx, "answer not taken", "interaction", id, "err", err)
		d.give(ctx, id, interaction.ReasonUnknown, "the answer could not be kept")
	}
}

// give fails an interaction that has no answer, so that the invoker learns how it ended.
func (d *Dispatch) give(ctx context.Context, id snowflake.Interaction, reason interaction.Reason, detail string) {
	var next *store.Interaction
	err := d.decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		next = nil
		i, err := d.interactions.Recall(ctx, id)
		if err != nil || i.ID == 0 || i.State.Status != interaction.Pending {
			return store.Change{}, err
		}
		to := fail(i)
		next = &to
		c.Events = []store.Event{failureEvent(&to, reason)}
		d.put(&c, to)
		return c, nil
	})
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "interaction not failed", slog.Any("interaction", id), slog.Any("err", err))
		return // the sweep does it
	}
	if next != nil {
		d.failed(next, reason, detail)
	}
}

// failed goes on after the commit of a failure.
func (d *Dispatch) failed(i *store.Interaction, reason interaction.Reason, detail string) {
	outcome := outcomeFailed
	if reason == interaction.ReasonTimeout {
		outcome = outcomeTimeout
	}
	d.numbers.note(i.Origin.Type, outcome)
	if f := d.flights.settle(i.ID); f != nil {
		f.cancel()
	}
	d.watches.failed(i.ID, reason, detail, d.Wall.Now())
}
