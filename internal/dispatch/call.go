package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/scene"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
)

// Call is a person's wish to use a command, a component or a modal: the body of POST /interactions and who sends it.
type Call struct {
	User   snowflake.User
	Locale locale.Code // of the person's client; empty: the person's own
	Body   form.Value
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

// Invoke checks an invocation and, when everything is well, creates the interaction. It returns when the interaction is
// on disk; the delivery goes on.
func (d *Dispatch) Invoke(ctx context.Context, c Call) (Invocation, error) {
	began := d.Wall.Now()
	in, err := interaction.ReadInvoke(c.Body)
	if err != nil {
		return Invocation{}, err
	}
	if first, used := d.nonces.find(c.User, in.Nonce, d.now()); used {
		return Invocation{ID: first, Duplicate: true}, nil
	}
	s, err := d.checker.Check(ctx, scene.Ask{User: c.User, Locale: c.Locale, In: in, Files: d.receive(c.Files, true)})
	if err != nil {
		return Invocation{}, err
	}
	id := snowflake.Interaction(d.IDs.Next())
	if first, taken := d.nonces.claim(c.User, in.Nonce, id, d.now()); taken {
		return Invocation{ID: first, Duplicate: true}, nil
	}
	if err := d.create(ctx, &c, s, id, began); err != nil {
		d.nonces.release(c.User, in.Nonce, id)
		return Invocation{}, err
	}
	return Invocation{ID: id}, nil
}

// create makes the interaction and sends it on its way.
func (d *Dispatch) create(ctx context.Context, c *Call, s *scene.Scene, id snowflake.Interaction, began time.Time) error {
	token := newToken(id)
	record := store.Interaction{
		ID: id, Application: s.App.ID, User: c.User, Hash: tokenHash(token), Origin: s.Origin, Revision: 1,
		State: interaction.NewState(id, messages.OwnersOf(s.Origin.Owners)),
	}
	kept, err := d.keep(ctx, c.Files, s.Files, s.Attachments)
	if err != nil {
		d.discard(ctx, kept)
		return err
	}
	f := &flight{
		record: record, app: s.App, watch: c.Watch, began: began, ready: make(chan struct{}), settled: make(chan struct{}),
	}
	if s.Handler == command.LaunchActivity && s.In.Type == interaction.ApplicationCommand {
		err = d.launch(ctx, f)
	} else {
		f.record.Due, _ = record.State.Due(false)
		err = d.send(ctx, s, f, token)
	}
	if err != nil {
		d.discard(ctx, kept)
	}
	return err
}

// send writes the interaction down and delivers it. Both happen at the same time: an app that answers before the
// interaction is on disk waits for that.
func (d *Dispatch) send(ctx context.Context, s *scene.Scene, f *flight, token string) error {
	payload, err := d.checker.Payload(ctx, s, f.record.ID, token)
	if err != nil {
		return err
	}
	body := payload.AppendJSON(make([]byte, 0, 2048))
	posted := f.record.Origin.Posted
	// The delivery outlives the request; its deadline, or the end of the service, ends it.
	delivery, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f.cancel = cancel
	if err := d.flights.enter(f, posted); err != nil {
		cancel()
		return err
	}
	d.watches.add(f.watch, f.record.ID, f.began)
	f.watch.checked(d.Wall.Now().Sub(f.began), body)
	if posted {
		go d.deliver(delivery, f, body)
	}
	err = d.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error { return tx.PutInteraction(f.record) })
	if err != nil {
		d.flights.settle(f.record.ID)
		f.lost = true
		close(f.ready)
		cancel()
		d.watches.remove(f.record.ID)
		return err
	}
	d.tell(eventCreate, &f.record)
	if !posted {
		d.tellApp(&f.record, body)
		f.watch.delivered(d.Wall.Now().Sub(f.began))
	}
	close(f.ready)
	d.alarm.Set(d.Clock, f.record.Due)
	return nil
}

// launch carries out an entry point that launches the Activity without asking the app.
func (d *Dispatch) launch(ctx context.Context, f *flight) error {
	now := d.now()
	i := &f.record
	d.watches.add(f.watch, i.ID, f.began)
	f.watch.checked(d.Wall.Now().Sub(f.began), nil)
	if reason := i.Origin.NoLaunch; reason != 0 {
		i.State = i.State.Fail()
		if err := d.record(ctx, f, nil, nil); err != nil {
			return err
		}
		d.tell(eventCreate, i)
		d.failed(i, reason, "the activity cannot be launched here")
		return nil
	}
	state, err := i.State.Acknowledge(interaction.LaunchActivity, now, now)
	if err != nil {
		return err
	}
	i.State = state
	a := &answer{Callback: interaction.Callback{Type: interaction.LaunchActivity}, activity: d.newActivity(i)}
	flags := message.Flags(0)
	if i.Origin.Private {
		flags = message.Ephemeral
	}
	a.content = message.Content{Text: "launched an activity", Flags: flags}
	m := messages.Compose(i, snowflake.Message(d.IDs.Next()), 0, a.content)
	a.message, a.fresh = &m, true
	if err := d.record(ctx, f, &m, a.activity); err != nil {
		return err
	}
	d.tell(eventCreate, i)
	d.announce(ctx, i, a)
	return nil
}

// record writes down an interaction whose outcome is clear from the start.
func (d *Dispatch) record(ctx context.Context, f *flight, m *store.Message, a *store.Activity) error {
	err := d.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		if m != nil {
			if err := tx.PutMessage(*m); err != nil {
				return err
			}
		}
		if a != nil {
			if err := tx.PutActivity(*a); err != nil {
				return err
			}
		}
		return tx.PutInteraction(f.record)
	})
	if err != nil {
		d.watches.remove(f.record.ID)
	}
	return err
}
