package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// InvokeRequest is a request of a user to use a command, a component or a modal: the body of POST /interactions and its
// sender.
type InvokeRequest struct {
	User   snowflake.User
	Locale locale.Code // of the user's client; empty: from the user's settings
	Body   jsonbody.Value
	Files  []Upload
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

// creation is an invocation that is becoming an interaction.
type creation struct {
	request InvokeRequest
	in      interaction.Invoke
	began   time.Time
	files   *uploads

	// The first run of the decision sets these, and later runs reuse them. abandon gives them back.
	id      snowflake.Interaction
	token   string
	pending *pendingInteraction     // nil: the app is not asked
	cancel  context.CancelCauseFunc // ends the delivery

	// Every run of the decision sets these.
	first  snowflake.Interaction // the interaction that already owns the nonce; 0: none
	app    *store.Application
	record store.Interaction
	body   []byte  // for the app; nil: the app is not asked
	answer *answer // given by the service itself; nil: none
	failed failure // of an interaction that fails before the app is asked
}

// Invoke checks an invocation and creates the interaction. It returns when the interaction is durable; the delivery
// begins then.
func (s *invocations) Invoke(ctx context.Context, r InvokeRequest) (Invocation, error) {
	n := &creation{request: r, began: s.Wall.Now()}
	var err error
	if n.in, err = interaction.ReadInvoke(r.Body); err != nil {
		return Invocation{}, err
	}
	if n.in.Session != "" && s.HasSession != nil && !s.HasSession(ctx, n.in.Session) {
		n.in.Session = ""
	}
	n.files = s.receive(r.Files, true)
	// The delivery outlives the request. Its deadline or the end of the service ends it.
	delivery, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	n.cancel = cancel
	err = s.decide(ctx, func(ctx context.Context) (store.Change, error) {
		c, err := s.create(ctx, n)
		if err == nil && n.first == 0 {
			s.addCharge(&c, n.files.charge)
			if n.in.Nonce != "" {
				c.Put = append(c.Put, store.Nonce{Hash: nonceHash(r.User, n.in.Nonce), Interaction: n.id})
			}
		}
		return c, err
	})
	if err != nil || n.first != 0 {
		s.abandon(ctx, n)
		return Invocation{ID: n.first, Duplicate: n.first != 0}, err
	}
	n.files.release(ctx)
	if n.body == nil {
		s.finishWithoutApp(ctx, n)
		return Invocation{ID: n.id}, nil
	}
	s.alarm.Set(s.Clock, n.record.Due)
	if n.record.Origin.Posted {
		go s.deliver(delivery, n)
		return Invocation{ID: n.id}, nil
	}
	cancel(nil) // an event of the change delivers the interaction
	s.pending.running.Done()
	n.request.Watch.delivered(s.Wall.Now().Sub(n.began))
	return Invocation{ID: n.id}, nil
}

// create decides whether an invocation becomes an interaction.
func (s *invocations) create(ctx context.Context, n *creation) (store.Change, error) {
	v, err := s.checker.check(ctx, n.request.User, n.request.Locale, n.in, n.files.files)
	if err != nil {
		return store.Change{}, err
	}
	n.first, n.body, n.answer, n.failed = 0, nil, nil, failure{}
	if n.id == 0 {
		n.id = snowflake.Interaction(s.IDs.Next())
		n.token = newToken(n.id)
	} else if n.in.Nonce != "" {
		// The first run does not ask for the nonce: its commit fails if the nonce exists. That saves a query.
		if n.first, err = s.nonces.find(ctx, n.request.User, n.in.Nonce, s.now()); err != nil || n.first != 0 {
			return store.Change{}, err
		}
	}
	if err := n.files.store(ctx, owner{v.app.ID, v.origin.Guild}, v.attachments); err != nil {
		return store.Change{}, err
	}
	n.app = v.app
	n.record = store.Interaction{
		ID: n.id, Application: v.app.ID, User: n.request.User, Hash: tokenHash(n.token), Origin: v.origin,
		State: interaction.NewState(n.id, messages.OwnersOf(v.origin.Owners)),
	}
	if v.handler == command.LaunchActivity && v.in.Type == interaction.ApplicationCommand {
		return s.launch(ctx, n)
	}
	if !n.record.Origin.Posted && !s.isOnline(ctx, v.app) {
		s.attachWatch(n)
		offline := failure{interaction.ReasonUnknown, v.app.Name + " is offline: " + offlineDetail}
		return s.failEarly(n, offline), nil
	}
	return s.askApp(ctx, n, v)
}

// failEarly returns the change of an interaction that fails before the app is asked.
func (s *invocations) failEarly(n *creation, why failure) store.Change {
	i := &n.record
	i.State, n.failed = i.State.Fail(), why
	c := store.Change{Events: []store.Event{statusEvent(eventCreate, i), failureEvent(i, why.reason, why.detail)}}
	s.put(&c, *i)
	return c
}

// askApp decides about an interaction that goes to the app.
func (s *invocations) askApp(ctx context.Context, n *creation, v *checkedInvocation) (store.Change, error) {
	payload, err := s.checker.payload(ctx, v, n.id, n.token)
	if err != nil {
		return store.Change{}, err
	}
	n.body = payload.AppendJSON(make([]byte, 0, 2048))
	if n.pending == nil {
		p := &pendingInteraction{id: n.id, app: n.record.Application, cancel: n.cancel, done: make(chan struct{})}
		if err := s.pending.add(p); err != nil {
			return store.Change{}, err
		}
		n.pending = p
		p.delivering.Store(n.record.Origin.Posted)
	}
	s.attachWatch(n)
	n.record.Due = dueOf(n.record.State, s.store.Shared())
	c := store.Change{Events: []store.Event{statusEvent(eventCreate, &n.record)}}
	if !n.record.Origin.Posted {
		c.Events = append(c.Events, appEvent(&n.record, n.body))
	}
	s.put(&c, n.record)
	return c, nil
}

// attachWatch attaches the watch of an invocation before the interaction can be answered.
func (s *invocations) attachWatch(n *creation) {
	s.watches.add(n.request.Watch, n.id, n.began)
	n.request.Watch.checked(s.Wall.Now().Sub(n.began), n.body)
}

// launch decides about an entry point that launches the activity without asking the app. The checks of the invocation
// include the permission to launch.
func (s *invocations) launch(ctx context.Context, n *creation) (store.Change, error) {
	now := s.now()
	i := &n.record
	s.attachWatch(n)
	c := store.Change{Events: []store.Event{statusEvent(eventCreate, i)}}
	state, err := i.State.Acknowledge(interaction.LaunchActivity, now, now)
	if err != nil {
		return store.Change{}, err
	}
	i.State = state
	a := &answer{Callback: interaction.Callback{Type: interaction.LaunchActivity}, activity: s.newActivity(i)}
	flags := message.Flags(0)
	if i.Origin.Private {
		flags = message.Ephemeral
	}
	a.content = message.Content{Text: "launched an activity", Flags: flags}
	m := messages.Compose(i, snowflake.Message(s.IDs.Next()), 0, a.content)
	a.message, a.owner, a.created = &m, i, true
	n.answer = a
	list, err := s.answers.events(ctx, i, a)
	if err != nil {
		return store.Change{}, err
	}
	c.Events = append(c.Events, list...)
	c.Put = append(c.Put, *a.activity, m)
	s.put(&c, *i)
	return c, nil
}

// finishWithoutApp records, after the commit, the answer that the service gave itself, or an early failure.
func (s *invocations) finishWithoutApp(ctx context.Context, n *creation) {
	s.endDelivery(n)
	if n.answer != nil {
		s.answers.record(ctx, &n.record, n.answer)
		return
	}
	s.recordFailure(&n.record, n.failed)
}

// abandon gives back the files and the watch of an invocation that was refused, was a duplicate or could not
// be stored.
func (s *invocations) abandon(ctx context.Context, n *creation) {
	n.files.discard(ctx)
	s.endDelivery(n)
	if n.id != 0 {
		s.watches.remove(n.id)
	}
}

// endDelivery ends the pending interaction of an invocation that is not delivered.
func (s *invocations) endDelivery(n *creation) {
	n.cancel(nil)
	if n.pending != nil {
		s.pending.remove(n.id)
		s.pending.running.Done()
	}
}
