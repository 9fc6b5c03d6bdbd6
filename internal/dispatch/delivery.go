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

// noLaunchDetail is the detail of a failed launch.
const noLaunchDetail = "the activity cannot be launched here"

// deliver posts a stored interaction to the endpoint of its app and accepts the answer in the response. It runs on its
// own goroutine; pendingSet.close waits for it.
func (s *invocations) deliver(ctx context.Context, n *creation) {
	defer s.pending.running.Done()
	defer n.cancel()
	left := n.record.State.Created.Add(interaction.Deadline).Sub(s.Clock.Now())
	reading := false
	a, err := s.Webhooks.Deliver(ctx, webhook.Delivery{
		Application: n.app.ID, URL: n.app.InteractionsEndpointURL, Key: n.app.SigningKey, Body: n.body,
		Deadline: s.Wall.Now().Add(left), Grace: interaction.Grace,
		Arriving: func() { reading = true; n.pending.arriving.Add(1) },
	})
	if reading {
		defer n.pending.arriving.Add(-1)
	}
	if err != nil {
		s.deliveryFailed(ctx, n.id, err)
		return
	}
	n.request.Watch.delivered(a.Arrived.Sub(n.began))
	if a.Deferred {
		return // the app uses the callback route, or the deadline passes
	}
	r := Response{Body: a.Form}
	if a.Form.Kind() == 0 {
		if r, err = readMultipart(a.ContentType, a.Body); err != nil {
			s.fail(ctx, n.id, interaction.ReasonUnknown, "the answer is not a readable form")
			return
		}
	}
	r.Arrived = s.Clock.Now().Add(-s.Wall.Now().Sub(a.Arrived))
	_, err = s.answers.Callback(ctx, n.id, n.token, r, false)
	s.answerRefused(ctx, n.id, err)
}

// deliveryFailed fails an interaction after its delivery failed, unless the app has answered by callback.
func (s *invocations) deliveryFailed(ctx context.Context, id snowflake.Interaction, err error) {
	e, ok := errors.AsType[*webhook.Error](err)
	switch {
	case ok && e.Kind == webhook.Timeout:
		s.fail(ctx, id, interaction.ReasonTimeout, e.Error())
	case ok:
		s.fail(ctx, id, interaction.ReasonUnknown, e.Error())
	default:
		s.fail(ctx, id, interaction.ReasonUnknown, "the delivery was canceled")
	}
}

// answerRefused fails an interaction when the answer in the response to its delivery was refused. A nil err does
// nothing.
func (s *invocations) answerRefused(ctx context.Context, id snowflake.Interaction, err error) {
	tree, isTree := errors.AsType[*jsonbody.Tree](err)
	switch {
	case err == nil, errors.Is(err, interaction.ErrAcknowledged), errors.Is(err, interaction.ErrUnknownInteraction):
	case isTree:
		s.fail(ctx, id, interaction.ReasonUnknown, "the answer is invalid: "+tree.Error())
	case errors.Is(err, message.ErrEmpty), errors.Is(err, interaction.ErrUnknownMessage), errors.Is(err, ErrFileTooLarge):
		s.fail(ctx, id, interaction.ReasonUnknown, "the answer is invalid: "+err.Error())
	default:
		s.Log.ErrorContext(ctx, "answer not stored", "interaction", id, "err", err)
		s.fail(ctx, id, interaction.ReasonUnknown, "the answer could not be stored")
	}
}

// fail fails an interaction, unless it has an answer.
func (s *service) fail(ctx context.Context, id snowflake.Interaction, reason interaction.Reason, detail string) {
	var next *store.Interaction
	err := s.decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		next = nil
		i, err := s.interactions.find(ctx, id)
		if err != nil || i.ID == 0 || i.State.Status != interaction.Pending {
			return store.Change{}, err
		}
		to := failed(i)
		next = &to
		c.Events = []store.Event{failureEvent(&to, reason)}
		s.put(&c, to)
		return c, nil
	})
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "interaction not failed", slog.Any("interaction", id), slog.Any("err", err))
		return // the sweep fails it at its deadline
	}
	if next != nil {
		s.recordFailure(next, reason, detail)
	}
}

// recordFailure updates the metrics, the watch and the pending interaction after the commit of a failure.
func (s *service) recordFailure(i *store.Interaction, reason interaction.Reason, detail string) {
	outcome := outcomeFailed
	if reason == interaction.ReasonTimeout {
		outcome = outcomeTimeout
	}
	s.metrics.count(i.Origin.Type, outcome)
	s.ended(i, Failed, detail)
	s.watches.failed(i.ID, reason, detail, s.Wall.Now())
	if p := s.pending.remove(i.ID); p != nil {
		p.cancel()
	}
}
