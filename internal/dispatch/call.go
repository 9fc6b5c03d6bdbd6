package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/messages"

	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Call is a person's wish to use a command, a component or a modal: the body of POST /interactions and who sends it.
type Call struct {
	User   snowflake.User
	Locale locale.Code // of the person's client; empty: the person's own
	Body   jsonbody.Value
	Files  []Upload
	// Watch follows the invocation. It may be nil.
	Watch *Watch
}

// Invocation is an invocation that was accepted.
type Invocation struct {
	ID snowflake.Interaction
	// Duplicate says that the same nonce had been used before: nothing was created, and ID is the one of then.
	Duplicate bool
}

// creation is an invocation on its way to become an interaction.
type creation struct {
	call  Call
	in    interaction.Invoke
	began time.Time
	files *uploads

	// The first run of the decision takes these, and later runs use them again. abandon gives them back.
	id     snowflake.Interaction // that has the nonce
	token  string
	flight *flight            // nil: the app is not asked
	cancel context.CancelFunc // ends the delivery

	// Every run of the decision sets these.
	first  snowflake.Interaction // that had the nonce before; 0: none
	app    *store.Application
	record store.Interaction
	body   []byte  // what the app receives; nil: it is not asked
	answer *answer // that the service gives itself; nil: none
}

// Invoke checks an invocation and, when everything is well, creates the interaction. It returns when the interaction is
// on disk. The delivery begins then.
func (d *Dispatch) Invoke(ctx context.Context, c Call) (Invocation, error) {
	n := &creation{call: c, began: d.Wall.Now()}
	var err error
	if n.in, err = interaction.ReadInvoke(c.Body); err != nil {
		return Invocation{}, err
	}
	if first, used := d.nonces.find(c.User, n.in.Nonce, d.now()); used {
		return Invocation{ID: first, Duplicate: true}, nil
	}
	n.files = d.receive(c.Files, true)
	// The delivery outlives the request; its deadline, or the end of the service, ends it.
	delivery, cancel := context.WithCancel(context.WithoutCancel(ctx))
	n.cancel = cancel
	err = d.decide(ctx, func(ctx context.Context) (store.Change, error) { return d.create(ctx, n) })
	if err != nil || n.first != 0 {
		d.abandon(ctx, n)
		return Invocation{ID: n.first, Duplicate: n.first != 0}, err
	}
	n.files.release(ctx)
	if n.body == nil {
		d.settled(ctx, n)
		return Invocation{ID: n.id}, nil
	}
	d.alarm.Set(d.Clock, n.record.Due)
	if n.record.Origin.Posted {
		go d.deliver(delivery, n)
		return Invocation{ID: n.id}, nil
	}
	cancel() // the event of the change delivers it
	d.flights.under.Done()
	n.call.Watch.delivered(d.Wall.Now().Sub(n.began))
	return Invocation{ID: n.id}, nil
}

// create decides whether an invocation becomes an interaction.
func (d *Dispatch) create(ctx context.Context, n *creation) (store.Change, error) {
	s, err := d.checker.Check(ctx, Ask{User: n.call.User, Locale: n.call.Locale, In: n.in, Files: n.files.files})
	if err != nil {
		return store.Change{}, err
	}
	if n.id == 0 {
		n.id = snowflake.Interaction(d.IDs.Next())
		n.token = newToken(n.id)
	}
	n.first, n.body, n.answer = 0, nil, nil
	if first, taken := d.nonces.claim(n.call.User, n.in.Nonce, n.id, d.now()); taken {
		n.first = first
		return store.Change{}, nil
	}
	if err := n.files.keep(ctx, s.Attachments); err != nil {
		return store.Change{}, err
	}
	n.app = s.App
	n.record = store.Interaction{
		ID: n.id, Application: s.App.ID, User: n.call.User, Hash: tokenHash(n.token), Origin: s.Origin,
		State: interaction.NewState(n.id, messages.OwnersOf(s.Origin.Owners)),
	}
	if s.Handler == command.LaunchActivity && s.In.Type == interaction.ApplicationCommand {
		return d.launch(ctx, n)
	}
	return d.ask(ctx, n, s)
}

// ask decides on an interaction that goes to the app.
func (d *Dispatch) ask(ctx context.Context, n *creation, s *Scene) (store.Change, error) {
	payload, err := d.checker.Payload(ctx, s, n.id, n.token)
	if err != nil {
		return store.Change{}, err
	}
	n.body = payload.AppendJSON(make([]byte, 0, 2048))
	if n.flight == nil {
		f := &flight{id: n.id, app: n.record.Application, cancel: n.cancel, settled: make(chan struct{})}
		if err := d.flights.enter(f); err != nil {
			return store.Change{}, err
		}
		n.flight = f
	}
	d.follow(n)
	n.record.Due = dueOf(n.record.State, d.store.Shared())
	c := store.Change{Events: []store.Event{statusEvent(eventCreate, &n.record)}}
	if !n.record.Origin.Posted {
		c.Events = append(c.Events, appEvent(&n.record, n.body))
	}
	d.put(&c, n.record)
	return c, nil
}

// follow lets the watch of an invocation follow the interaction, from before it can be answered.
func (d *Dispatch) follow(n *creation) {
	d.watches.add(n.call.Watch, n.id, n.began)
	n.call.Watch.checked(d.Wall.Now().Sub(n.began), n.body)
}

// launch decides on an entry point that launches the Activity without asking the app.
func (d *Dispatch) launch(ctx context.Context, n *creation) (store.Change, error) {
	now := d.now()
	i := &n.record
	d.follow(n)
	c := store.Change{Events: []store.Event{statusEvent(eventCreate, i)}}
	if reason := i.Origin.NoLaunch; reason != 0 {
		i.State = i.State.Fail()
		c.Events = append(c.Events, failureEvent(i, reason))
		d.put(&c, *i)
		return c, nil
	}
	state, err := i.State.Acknowledge(interaction.LaunchActivity, now, now)
	if err != nil {
		return store.Change{}, err
	}
	i.State = state
	a := &answer{Callback: interaction.Callback{Type: interaction.LaunchActivity}, activity: d.newActivity(i)}
	flags := message.Flags(0)
	if i.Origin.Private {
		flags = message.Ephemeral
	}
	a.content = message.Content{Text: "launched an activity", Flags: flags}
	m := messages.Compose(i, snowflake.Message(d.IDs.Next()), 0, a.content)
	a.message, a.owner, a.fresh = &m, i, true
	n.answer = a
	told, err := d.answerEvents(ctx, i, a)
	if err != nil {
		return store.Change{}, err
	}
	c.Events = append(c.Events, told...)
	c.Put = append(c.Put, *a.activity, m)
	d.put(&c, *i)
	return c, nil
}

// settled goes on with an interaction that the service has answered itself, or that failed at once.
func (d *Dispatch) settled(ctx context.Context, n *creation) {
	d.ground(n)
	if n.answer != nil {
		d.answered(ctx, &n.record, n.answer)
		return
	}
	d.failed(&n.record, n.record.Origin.NoLaunch, "the activity cannot be launched here")
}

// abandon gives back what an invocation took that was refused, was a duplicate or could not be stored.
func (d *Dispatch) abandon(ctx context.Context, n *creation) {
	n.files.discard(ctx)
	d.ground(n)
	if n.id != 0 {
		d.nonces.release(n.call.User, n.in.Nonce, n.id)
		d.watches.remove(n.id)
	}
}

// ground ends the flight of an interaction that is not delivered.
func (d *Dispatch) ground(n *creation) {
	n.cancel()
	if n.flight != nil {
		d.flights.settle(n.id)
		d.flights.under.Done()
	}
}
