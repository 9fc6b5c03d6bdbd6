package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Response is what an app sends: the body of a callback, a follow-up or an edit.
type Response struct {
	Body    jsonbody.Value
	Files   []Upload
	Arrived time.Time // when the request's headers were there, on the service's clock; zero: now
	// Unread says that the body was not read, because the token opened nothing when the request came.
	Unread bool
}

// answer is an app's first answer.
type answer struct {
	interaction.Callback

	body     jsonbody.Value
	files    []message.File
	message  *store.Message     // that the answer makes or changes; nil: none
	owner    *store.Interaction // that made message
	content  message.Content    // of message
	fresh    bool               // message is new
	dropped  []snowflake.Attachment
	activity *store.Activity
	modal    []byte
	choices  []byte

	told bulletin // of message
	json []byte   // message as the app gets it; nil: it did not ask
}

// Callback takes an app's answer to an interaction. The receipt holds the message only when it is wanted.
func (d *Dispatch) Callback(
	ctx context.Context, id snowflake.Interaction, token string, r Response, withMessage bool,
) (interaction.Receipt, error) {
	return d.take(ctx, id, token, r, withMessage)
}

// take takes the first answer to an interaction: exactly one of those that come at the same time.
func (d *Dispatch) take(
	ctx context.Context, id snowflake.Interaction, token string, r Response, withMessage bool,
) (interaction.Receipt, error) {
	if r.Arrived.IsZero() {
		r.Arrived = d.now()
	}
	files := d.receive(r.Files, false)
	var a *answer
	var next store.Interaction
	err := d.decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		i, err := d.interactions.Recall(ctx, id)
		if err != nil {
			return c, err
		}
		if i.ID == 0 || !opens(token, i) || r.Unread {
			return c, interaction.ErrUnknownInteraction
		}
		if _, err := i.State.Acknowledge(interaction.ChannelMessage, r.Arrived, d.now()); err != nil {
			return c, err // whatever it says
		}
		if a, err = d.read(ctx, i, r, files); err != nil {
			return c, err
		}
		if next, err = acknowledge(i, a, r.Arrived, d.now()); err != nil {
			return c, err
		}
		return d.accept(ctx, &next, a, withMessage)
	})
	if err != nil {
		files.discard(ctx)
		if e, ok := errors.AsType[*interaction.LaunchError](err); ok {
			d.give(ctx, id, e.Reason, "the activity cannot be launched here")
		}
		return interaction.Receipt{}, err
	}
	files.release(ctx)
	d.discard(ctx, a.dropped)
	if !next.Due.IsZero() {
		d.alarm.Set(d.Clock, next.Due)
	}
	d.answered(ctx, &next, a)
	return receipt(&next, a), nil
}

// read reads an answer and keeps its files.
func (d *Dispatch) read(ctx context.Context, i *store.Interaction, r Response, files *uploads) (*answer, error) {
	if files.tooLarge() {
		return nil, ErrFileTooLarge
	}
	a := &answer{body: r.Body, files: files.files}
	o := a.origin(i)
	if o.FromComponent || o.Type == interaction.MessageComponent {
		m, err := d.messages.Kept(ctx, i.Origin.Component)
		if err != nil {
			return nil, err
		}
		if m != nil {
			if o.Message, err = message.ParseContent(m.Content); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if a.Callback, err = interaction.ReadCallback(r.Body, o); err != nil {
		return nil, err
	}
	switch a.Type {
	case interaction.ChannelMessage, interaction.DeferredChannelMessage:
		a.content = a.Message
		if i.Origin.Private {
			a.content.Flags |= message.Ephemeral
		}
		d.messages.Address(i.Origin.Channel, &a.content)
		m := messages.Compose(i, snowflake.Message(d.IDs.Next()), 0, a.content)
		a.message, a.owner, a.fresh = &m, i, true
	case interaction.UpdateMessage:
		if err := d.amend(ctx, i, a); err != nil {
			return nil, err
		}
	case interaction.OpenModal:
		a.modal = a.Modal.AppendJSON(nil)
	case interaction.LaunchActivity:
		a.activity = d.newActivity(i)
	default:
	}
	return a, files.keep(ctx, a.Message.Attachments)
}

// origin returns what an answer is read against.
func (a *answer) origin(i *store.Interaction) interaction.Origin {
	o := &i.Origin
	return interaction.Origin{
		Type: o.Type, FromComponent: o.Type == interaction.ModalSubmit && o.Component != 0, Focus: o.Focus,
		NoLaunch: o.NoLaunch, Files: a.files,
	}
}

// amend changes the message with the component that was used, as it is now.
func (d *Dispatch) amend(ctx context.Context, i *store.Interaction, a *answer) error {
	m, owner, err := d.load(ctx, i, i.Origin.Component)
	if err != nil {
		return err
	}
	o := a.origin(i)
	if o.Message, err = message.ParseContent(m.Content); err != nil {
		return err
	}
	if a.Callback, err = interaction.ReadCallback(a.body, o); err != nil {
		return err
	}
	a.content = a.Message
	a.dropped = lost(o.Message.Attachments, a.content.Attachments)
	d.messages.Address(m.Channel, &a.content)
	revised := messages.Revise(*m, a.content, d.now())
	a.message, a.owner = &revised, owner
	return nil
}

// load returns a message to change, and the interaction that made it, on which the decision depends from then on. That
// interaction has the id 0 when it is not kept any more. i is the interaction whose token is used.
func (d *Dispatch) load(
	ctx context.Context, i *store.Interaction, id snowflake.Message,
) (m *store.Message, owner *store.Interaction, err error) {
	if m, err = d.messages.Kept(ctx, id); err != nil {
		return nil, nil, err
	}
	if m != nil && m.Interaction != i.ID && m.Interaction != 0 {
		if owner, err = d.interactions.Recall(ctx, m.Interaction); err != nil {
			return nil, nil, err
		}
		// The message may have changed before the decision came to depend on its interaction.
		if m, err = d.messages.Kept(ctx, id); err != nil {
			return nil, nil, err
		}
	} else {
		owner = i
	}
	if m == nil || m.Interaction == 0 {
		return nil, nil, interaction.ErrUnknownMessage
	}
	return m, owner, nil
}

// accept returns the change that makes an answer the first one. next is the interaction after it.
func (d *Dispatch) accept(
	ctx context.Context, next *store.Interaction, a *answer, withMessage bool,
) (c store.Change, err error) {
	if c.Events, err = d.answerEvents(ctx, next, a); err != nil {
		return c, err
	}
	if a.activity != nil {
		c.Put = append(c.Put, *a.activity)
	}
	d.put(&c, *next)
	if a.message == nil {
		return c, nil
	}
	c.Put = append(c.Put, *a.message)
	if a.owner.ID != 0 && a.owner.ID != next.ID {
		d.interactions.Next(&c, a.owner.ID, a.owner)
	}
	if withMessage {
		a.json, err = d.messages.Render(ctx, a.message)
	}
	return c, err
}

// original returns the message that an answer makes or belongs to.
func (a *answer) original(i *store.Interaction) snowflake.Message {
	switch {
	case a.message != nil:
		return a.message.ID
	case a.Type == interaction.DeferredUpdateMessage:
		return i.Origin.Component
	}
	return 0
}

// answerEvents returns the events of a first answer. i is the interaction after it.
func (d *Dispatch) answerEvents(ctx context.Context, i *store.Interaction, a *answer) ([]store.Event, error) {
	var list []store.Event
	if a.Type == interaction.AutocompleteResult {
		a.choices = interaction.AppendChoices(nil, a.Choices, i.Origin.Locale)
		list = append(list, choicesEvent(i, a.choices))
	} else {
		list = append(list, statusEvent(eventSuccess, i))
	}
	if a.modal != nil {
		app, err := d.Directory.Application(ctx, i.Application)
		switch {
		case err == nil:
			list = append(list, modalEvent(i, app, a.modal))
		case !unknown(err):
			return nil, err
		}
	}
	if a.activity != nil {
		list = append(list, d.launchEvent(i, a.activity))
	}
	if a.message == nil {
		return list, nil
	}
	name, nonce := messages.Edited, ""
	if a.fresh {
		name, nonce = messages.Created, i.Origin.Nonce
	}
	var err error
	a.told, err = d.announce(ctx, name, a.message, a.content, nonce)
	return append(list, a.told.events...), err
}

// answered goes on after the commit of a first answer. i is the interaction after it.
func (d *Dispatch) answered(ctx context.Context, i *store.Interaction, a *answer) {
	outcome, result := outcomeAnswered, Answered
	switch a.Type {
	case interaction.DeferredChannelMessage, interaction.DeferredUpdateMessage:
		outcome, result = outcomeDeferred, Deferred
	case interaction.LaunchActivity:
		outcome, result = outcomeLaunched, Launched
	default:
	}
	d.numbers.answered(i.Origin.Type, outcome, d.Clock.Now().Sub(i.State.Created))
	if a.message != nil {
		d.show(ctx, &a.told)
	}
	d.flights.settle(i.ID)
	d.watches.answered(i.ID, func(o *Outcome) {
		o.Result, o.Response, o.Choices, o.Modal = result, a.response(), a.choices, a.modal
		if a.activity != nil {
			o.Instance, o.URL = instanceID(a.activity), d.activityURL(a.activity)
		}
	}, d.Wall.Now())
}

// response returns the answer as the app sent it.
func (a *answer) response() []byte {
	if !a.body.IsSet() {
		return nil
	}
	b := append([]byte(`{"type":`), a.body.Get("type").Text()...)
	if data := a.body.Get("data"); data.IsSet() {
		b = payload.AppendValue(append(b, `,"data":`...), data)
	}
	return append(b, '}')
}

// receipt returns what became of an answer.
func receipt(i *store.Interaction, a *answer) interaction.Receipt {
	r := interaction.Receipt{
		Interaction: i.ID, Type: i.Origin.Type, Channel: i.Origin.Channel, Guild: i.Origin.Guild, Answer: a.Type,
		Message: i.Original, Flags: a.content.Flags, JSON: a.json,
	}
	if a.activity != nil {
		r.Instance = instanceID(a.activity)
	}
	return r
}
