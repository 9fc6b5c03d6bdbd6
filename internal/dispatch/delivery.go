package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// failure says why an interaction failed.
type failure struct {
	reason interaction.Reason
	detail string // a sentence for the developer of the app
}

// noLaunchDetail is the detail of a failed launch.
const noLaunchDetail = "the activity cannot be launched here"

// deliver posts a stored interaction to the endpoint of its app and accepts the answer in the response. It runs on its
// own goroutine; pendingSet.close waits for it.
func (s *invocations) deliver(ctx context.Context, n *preparedInvocation, made *createdInteraction) {
	defer s.pending.running.Done()
	defer n.cancel(nil)
	sent, reading := s.Wall.Now(), false
	a, err := s.post(ctx, made, func() { reading = true; n.pending.arriving.Add(1) })
	n.pending.delivering.Store(false)
	if reading {
		defer n.pending.arriving.Add(-1)
	}
	if err != nil {
		s.fail(ctx, n.id, deliveryFailure(made.app.Name, err))
		return
	}
	n.request.Watch.delivered(a.Arrived.Sub(n.began))
	if a.Deferred {
		return // the app uses the callback route, or the deadline passes
	}
	r := Response{Body: a.Form}
	if a.Form.Kind() == 0 {
		r, err = readMultipart(a.ContentType, a.Body)
	}
	if err == nil {
		r.Arrived = s.Clock.Now().Add(-s.Wall.Now().Sub(a.Arrived))
		_, err = s.answers.Callback(ctx, n.id, n.token, r, false)
	} else {
		err = errUnreadable
	}
	when := webhook.After(a.Arrived.Sub(sent)) + webhook.Logged(a.Request)
	s.answerRefused(ctx, n.id, made.app.Name, when, err)
}

// errUnreadable means that an answer is no readable form.
var errUnreadable = errors.New("the form cannot be read")

// post signs an interaction and posts it to the endpoint of its app. It calls arriving when a response begins to arrive.
func (s *invocations) post(ctx context.Context, made *createdInteraction, arriving func()) (webhook.Answer, error) {
	key, err := s.Sealer.ApplicationKey(made.app)
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot sign a delivery", "application", made.app.ID, "err", err)
		return webhook.Answer{}, err
	}
	left := made.record.State.Created.Add(interaction.Deadline).Sub(s.Clock.Now())
	return s.Webhooks.Deliver(ctx, webhook.Delivery{
		Application: made.app.ID, Interaction: made.record.ID, URL: made.app.InteractionsEndpointURL, Key: key, Body: made.body,
		Deadline: s.Wall.Now().Add(left), Grace: interaction.Grace, Arriving: arriving,
	})
}

// deliveryFailure returns why the delivery to an app failed.
func deliveryFailure(app string, err error) failure {
	e, ok := errors.AsType[*webhook.Error](err)
	switch {
	case ok && e.Kind == webhook.Timeout:
		return failure{interaction.ReasonTimeout, app + " " + e.Explain()}
	case ok:
		return failure{interaction.ReasonUnknown, app + " " + e.Explain()}
	case errors.Is(err, auth.ErrSealed):
		return failure{interaction.ReasonUnknown, "the delivery to " + app + " could not be signed"}
	default:
		return failure{interaction.ReasonUnknown, "the delivery to " + app + " was canceled"}
	}
}

// answerRefused fails an interaction when the answer in the response to its delivery was refused, unless the app has
// answered by callback. when says when the answer arrived. A nil err does nothing.
func (s *invocations) answerRefused(ctx context.Context, id snowflake.Interaction, app, when string, err error) {
	why, known := invalid(err)
	switch {
	case err == nil, errors.Is(err, interaction.ErrAcknowledged):
		return
	case errors.Is(err, interaction.ErrUnknownInteraction):
		late := app + " did not answer: timeout " + when + ": the answer came after the deadline"
		s.fail(ctx, id, failure{interaction.ReasonTimeout, late})
		return
	case !known:
		s.Log.ErrorContext(ctx, "answer not stored", "interaction", id, "err", err)
		s.fail(ctx, id, failure{interaction.ReasonUnknown, "the answer of " + app + " could not be stored"})
		return
	}
	s.fail(ctx, id, failure{interaction.ReasonUnknown, app + " answered 200 with an invalid answer " + when + ": " + why})
}

// maxInvalid bounds the text about an invalid answer, in bytes.
const maxInvalid = 1000

// invalid returns what is wrong with an answer, with the path of each invalid field. It reports false if the error is
// not about the answer.
func invalid(err error) (why string, known bool) {
	tree, isTree := errors.AsType[*jsonbody.Tree](err)
	switch {
	case isTree:
		why = strings.TrimPrefix(tree.Error(), "invalid form body: ")
		return strings.ToValidUTF8(why[:min(len(why), maxInvalid)], ""), true
	case errors.Is(err, message.ErrEmpty), errors.Is(err, interaction.ErrUnknownMessage), errors.Is(err, attachments.ErrFileTooLarge),
		errors.Is(err, messages.ErrQuota), errors.Is(err, errUnreadable):
		return err.Error(), true
	}
	return "", false
}

// unanswered returns why an interaction without an answer failed at its deadline.
func (s *service) unanswered(ctx context.Context, i *store.Interaction) failure {
	app := "the app"
	if s.Explain {
		if a, err := s.Directory.Applications.Application(ctx, i.Application); err == nil {
			app = a.Name
		}
	}
	detail := app + " did not answer: timeout " + webhook.After(s.Clock.Now().Sub(i.State.Created))
	if p := s.pending.get(i.ID); p != nil {
		if refused := p.refused.Load(); refused != nil {
			detail += ": its last callback was refused: " + *refused
		}
	}
	return failure{interaction.ReasonTimeout, detail}
}

// shown returns the text about a failure for the event of the invoking user.
func (s *service) shown(f failure) string {
	if s.Explain {
		return f.detail
	}
	return ""
}

// fail fails an interaction, unless it has an answer.
func (s *service) fail(ctx context.Context, id snowflake.Interaction, why failure) {
	var next *store.Interaction
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		next = nil
		i, err := s.interactions.find(ctx, id)
		if err != nil || i.ID == 0 || i.State.Status != interaction.Pending {
			return store.Change{}, err
		}
		to := failed(i)
		next = &to
		c.Events = []store.Event{failureEvent(&to, why.reason, s.shown(why))}
		s.put(&c, to)
		return c, nil
	})
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "interaction not failed", slog.Any("interaction", id), slog.Any("err", err))
		return // the sweep fails it at its deadline
	}
	if next != nil {
		s.recordFailure(next, why)
	}
}

// recordFailure updates the metrics, the watch and the pending interaction after the commit of a failure.
func (s *service) recordFailure(i *store.Interaction, why failure) {
	outcome := outcomeFailed
	if why.reason == interaction.ReasonTimeout {
		outcome = outcomeTimeout
	}
	s.metrics.count(i.Origin.Type, outcome)
	s.ended(i, Failed, why.detail)
	s.watches.failed(i.ID, why.reason, why.detail, s.Wall.Now())
	if p := s.pending.remove(i.ID); p != nil {
		p.cancel(nil)
	}
}
