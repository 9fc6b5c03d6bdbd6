package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// InvokeRequest is a request of a user to use a command, a component or a modal: the body of POST /interactions and its
// sender.
type InvokeRequest struct {
	User   snowflake.User
	Locale locale.Code // of the user's client; empty: from the user's settings
	Body   jsonbody.Value
	Files  []attachments.Upload
	Watch  *Watch // observes the invocation; may be nil
}

// Invocation is an accepted invocation.
type Invocation struct {
	ID snowflake.Interaction
	// Duplicate means that the user has used the nonce before. Nothing was created, and ID is the earlier interaction.
	Duplicate bool
}

// invocations create interactions and deliver them to apps.
type invocations struct {
	*service

	answers *answers
	checker *checker
	nonces  nonces
}

// preparedInvocation is an invocation whose files are stored and whose interaction is registered under its id. The
// decision reads it and does not modify it. abandon gives back what it holds.
type preparedInvocation struct {
	request InvokeRequest
	in      interaction.Invoke
	began   time.Time
	files   *messages.Uploads
	id      snowflake.Interaction
	token   string
	new     newIDs
	cancel  context.CancelCauseFunc // ends the delivery
	pending *pendingInteraction     // nil: the app cannot be asked now
	refusal error                   // why the app cannot be asked now
}

// createdInteraction is the result of the decision about an invocation.
type createdInteraction struct {
	duplicate snowflake.Interaction // the interaction that already owns the nonce; 0: none
	app       *store.Application
	record    store.Interaction
	files     []wire.Attachment
	body      []byte        // for the app; nil: the app is not asked
	answer    *answer       // given by the service itself; nil: none
	failed    failure       // of an interaction that fails before the app is asked
	checked   time.Duration // until the checks passed
}

// Invoke checks an invocation and creates the interaction. It returns when the interaction is durable; the delivery
// begins then.
func (s *invocations) Invoke(ctx context.Context, r InvokeRequest) (Invocation, error) {
	// The delivery outlives the request. Its deadline or the end of the service ends it.
	delivery, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	n, err := s.prepare(ctx, r, cancel)
	if err != nil {
		cancel(nil)
		return Invocation{}, err
	}
	var made createdInteraction
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		made, c, err = s.create(ctx, n)
		return c, err
	})
	if err != nil || made.duplicate != 0 {
		s.abandon(ctx, n)
		return Invocation{ID: made.duplicate, Duplicate: made.duplicate != 0}, err
	}
	n.files.Keep(ctx, made.files)
	n.request.Watch.checked(made.checked, made.body)
	if made.body == nil {
		s.finishWithoutApp(ctx, n, &made)
	} else {
		s.begin(delivery, n, &made)
	}
	return Invocation{ID: n.id}, nil
}

// maxIDAge bounds the age of a new id. The deadline of an interaction counts from the time of its id, and ids fall behind the clock while
// the node cannot extend its lease: the app would have no time to answer.
const maxIDAge = time.Second

// prepare reads an invocation, stores its files, and registers its interaction and its watch: the app may answer
// before the commit returns.
func (s *invocations) prepare(
	ctx context.Context, r InvokeRequest, cancel context.CancelCauseFunc,
) (*preparedInvocation, error) {
	n := &preparedInvocation{request: r, began: s.Wall.Now(), cancel: cancel}
	var err error
	if n.in, err = interaction.ReadInvoke(r.Body); err != nil {
		return nil, err
	}
	if n.in.Type != interaction.Autocomplete {
		if _, err := s.Hooks.Before(ctx, hooks.Invocation, hookData(0, &n.in, r.User)); err != nil {
			return nil, err
		}
		n.began = s.Wall.Now()
	}
	if n.in.Session != "" && s.HasSession != nil && !s.HasSession(ctx, n.in.Session) {
		n.in.Session = ""
	}
	n.files = s.Messages.Receive(ctx, r.Files, true)
	n.id, n.new = snowflake.Interaction(s.IDs.Next()), s.newIDs()
	if s.now().Sub(n.id.Time()) > maxIDAge {
		n.files.Discard(ctx)
		return nil, store.ErrUnavailable
	}
	n.token = newToken(n.id)
	n.pending, n.refusal = s.pending.add(n.id, n.in.Application, cancel)
	s.watches.add(r.Watch, n.id, n.began)
	return n, nil
}

// hookData returns the data of an invocation for hooks.
func hookData(id snowflake.Interaction, in *interaction.Invoke, user snowflake.User) hooks.InvocationData {
	d := hooks.InvocationData{
		ID: id, Type: int(in.Type), Application: in.Application, Guild: in.Guild, Channel: in.Channel, User: user, Command: in.Command.Name,
	}
	if in.Type == interaction.MessageComponent {
		d.CustomID = in.Component.CustomID
	}
	if in.Type == interaction.ModalSubmit {
		d.CustomID = in.Modal.CustomID
	}
	return d
}

// create decides whether an invocation becomes an interaction.
func (s *invocations) create(
	ctx context.Context, n *preparedInvocation,
) (made createdInteraction, c store.Change, err error) {
	v, err := s.checker.check(ctx, n.request.User, n.request.Locale, n.in, n.files.Files)
	if err != nil {
		return made, c, err
	}
	if n.in.Nonce != "" {
		if made.duplicate, err = s.nonces.find(ctx, n.request.User, n.in.Nonce, s.now()); err != nil || made.duplicate != 0 {
			return made, c, err
		}
		c.Put = append(c.Put, store.Nonce{Hash: nonceHash(n.request.User, n.in.Nonce), Interaction: n.id})
	}
	made.app, made.files = v.app, v.attachments
	if err := n.files.AddTo(ctx, &c, messages.Owner{Application: v.app.ID, Guild: v.origin.Guild}, made.files); err != nil {
		return made, c, err
	}
	made.record = store.Interaction{
		ID: n.id, Application: v.app.ID, User: n.request.User, Hash: tokenHash(n.token), Origin: v.origin,
		State: interaction.NewState(n.id, messages.OwnersOf(v.origin.Owners)),
	}
	c.Events = append(c.Events, statusEvent(eventCreate, &made.record))
	switch {
	case v.handler == command.LaunchActivity && v.in.Type == interaction.ApplicationCommand:
		err = s.launch(ctx, n, &made, &c)
	case !v.origin.Posted && !s.isOnline(ctx, v.app):
		made.failed = failure{interaction.ReasonUnknown, v.app.Name + " is offline: " + offlineDetail}
		made.record.State = made.record.State.Fail()
		c.Events = append(c.Events, failureEvent(&made.record, made.failed.reason, made.failed.detail))
	default:
		err = s.askApp(ctx, n, v, &made, &c)
	}
	if err == nil && n.in.Type != interaction.Autocomplete {
		err = s.Hooks.After(&c, hooks.Invocation, store.InteractionSubject(n.id), hookData(n.id, &n.in, n.request.User))
	}
	s.put(&c, made.record)
	made.checked = s.Wall.Now().Sub(n.began)
	return made, c, err
}

// askApp adds the event that delivers an interaction to the app, unless the app has an endpoint.
func (s *invocations) askApp(
	ctx context.Context, n *preparedInvocation, v *checkedInvocation, made *createdInteraction, c *store.Change,
) error {
	payload, err := s.checker.payload(ctx, v, n.id, n.token)
	if err != nil {
		return err
	}
	if n.refusal != nil {
		return n.refusal
	}
	made.body = payload.AppendJSON(make([]byte, 0, 2048))
	made.record.Due = dueOf(made.record.State, s.store.Shared())
	if !made.record.Origin.Posted {
		c.Events = append(c.Events, appEvent(&made.record, made.body))
	}
	return nil
}

// launch adds what an entry point does that launches the activity without asking the app. The checks of the invocation
// include the permission to launch.
func (s *invocations) launch(
	ctx context.Context, n *preparedInvocation, made *createdInteraction, c *store.Change,
) (err error) {
	now := s.now()
	i := &made.record
	if i.State, err = i.State.Acknowledge(interaction.LaunchActivity, now, now); err != nil {
		return err
	}
	a := &answer{Callback: interaction.Callback{Type: interaction.LaunchActivity}, activity: newActivity(i, n.new.launch)}
	flags := message.Flags(0)
	if i.Origin.Private {
		flags = message.Ephemeral
	}
	a.content = message.Content{Text: "launched an activity", Flags: flags}
	m := messages.Compose(i, n.new.message, 0, a.content)
	a.message, a.owner, a.created = &m, i, true
	made.answer = a
	return s.answers.add(ctx, c, i, a)
}

// begin delivers a committed interaction to the app.
func (s *invocations) begin(delivery context.Context, n *preparedInvocation, made *createdInteraction) {
	s.alarm.Set(s.Clock, made.record.Due)
	if made.record.Origin.Posted {
		go s.deliver(delivery, n, made)
		return
	}
	n.pending.delivering.Store(false) // an event of the change delivers the interaction
	n.cancel(nil)
	s.pending.running.Done()
	n.request.Watch.delivered(s.Wall.Now().Sub(n.began))
}

// finishWithoutApp records, after the commit, the answer that the service gave itself, or an early failure.
func (s *invocations) finishWithoutApp(ctx context.Context, n *preparedInvocation, made *createdInteraction) {
	s.endDelivery(n)
	if made.answer != nil {
		s.answers.record(ctx, &made.record, made.answer)
		return
	}
	s.recordFailure(&made.record, made.failed)
}

// abandon gives back what an invocation holds that was refused, was a duplicate or could not be stored.
func (s *invocations) abandon(ctx context.Context, n *preparedInvocation) {
	n.files.Discard(ctx)
	s.endDelivery(n)
	s.watches.remove(n.id)
}

// endDelivery ends the pending interaction of an invocation that is not delivered.
func (s *invocations) endDelivery(n *preparedInvocation) {
	n.cancel(nil)
	if n.pending != nil {
		s.pending.remove(n.id)
		s.pending.running.Done()
	}
}
