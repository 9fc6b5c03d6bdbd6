package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/scene"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Response is what an app sends: the body of a callback, a follow-up or an edit.
type Response struct {
	Body    form.Value
	Files   []Upload
	Arrived time.Time // when the request's headers were there, on the service's clock; zero: now
}

// answer is an app's first answer.
type answer struct {
	interaction.Callback

	body     form.Value
	files    []message.File
	message  *store.Message  // that the answer makes or changes; nil: none
	content  message.Content // of message
	fresh    bool            // message is new
	dropped  []snowflake.Attachment
	activity *store.Activity
	modal    []byte
}

// Callback takes an app's answer to an interaction. The receipt holds the message only when it is wanted.
func (d *Dispatch) Callback(
	ctx context.Context, id snowflake.Interaction, token string, r Response, withMessage bool,
) (interaction.Receipt, error) {
	i, err := d.pending(ctx, id)
	if err != nil {
		return interaction.Receipt{}, err
	}
	if i == nil || !opens(token, i) {
		return interaction.Receipt{}, interaction.ErrUnknownInteraction
	}
	return d.take(ctx, i, r, withMessage)
}

// pending returns an interaction as it is remembered while it waits for its first answer, else as it is kept; nil: there
// is none.
func (d *Dispatch) pending(ctx context.Context, id snowflake.Interaction) (*store.Interaction, error) {
	if f := d.flights.get(id); f != nil {
		return &f.record, nil
	}
	return scene.Recall(ctx, d.Store, id)
}

// take takes the first answer to an interaction: exactly one of those that come at the same time.
func (d *Dispatch) take(
	ctx context.Context, i *store.Interaction, r Response, withMessage bool,
) (interaction.Receipt, error) {
	if r.Arrived.IsZero() {
		r.Arrived = d.now()
	}
	if _, err := i.State.Acknowledge(interaction.ChannelMessage, r.Arrived, d.now()); err != nil {
		return interaction.Receipt{}, err // known already
	}
	a, err := d.read(ctx, i, r)
	if err != nil {
		if e, ok := errors.AsType[*interaction.LaunchError](err); ok {
			d.give(ctx, i, e.Reason, "the activity cannot be launched here")
		}
		return interaction.Receipt{}, err
	}
	f := d.flights.get(i.ID)
	kept, err := d.keep(ctx, r.Files, a.files, a.Message.Attachments)
	if err == nil {
		i, err = d.settle(ctx, f, i, a, r.Arrived)
	}
	if err != nil {
		d.discard(ctx, kept)
		return interaction.Receipt{}, err
	}
	d.discard(ctx, a.dropped)
	d.announce(ctx, i, a)
	return d.receipt(ctx, i, a, withMessage)
}

// read reads an answer. What it would change is judged again when it is changed.
func (d *Dispatch) read(ctx context.Context, i *store.Interaction, r Response) (*answer, error) {
	if tooLarge(r.Files) {
		return nil, ErrFileTooLarge
	}
	a := &answer{body: r.Body, files: d.receive(r.Files, false)}
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
		a.message, a.fresh = &m, true
	case interaction.OpenModal:
		a.modal = a.Modal.AppendJSON(nil)
	case interaction.LaunchActivity:
		a.activity = d.newActivity(i)
	default:
	}
	return a, nil
}

// origin returns what an answer is read against.
func (a *answer) origin(i *store.Interaction) interaction.Origin {
	o := &i.Origin
	return interaction.Origin{
		Type: o.Type, FromComponent: o.Type == interaction.ModalSubmit && o.Component != 0, Focus: o.Focus,
		NoLaunch: o.NoLaunch, Files: a.files,
	}
}

// settle makes an answer the first one, or finds out that it is not. f is the interaction's flight, nil when there is
// none. The interaction itself may still be on its way to the disk: then both share a commit, if need be in a second try.
// When settle returns, whoever invoked it has heard that the interaction was created.
func (d *Dispatch) settle(
	ctx context.Context, f *flight, i *store.Interaction, a *answer, arrived time.Time,
) (*store.Interaction, error) {
	to, err := d.commit(ctx, i, a, arrived)
	if f != nil {
		<-f.ready // comes: whoever created the interaction sees to it
		if errors.Is(err, interaction.ErrUnknownInteraction) && !f.lost {
			to, err = d.commit(ctx, i, a, arrived)
		}
	}
	return to, err
}

// commit makes an answer the first one in one unit of work.
func (d *Dispatch) commit(
	ctx context.Context, i *store.Interaction, a *answer, arrived time.Time,
) (*store.Interaction, error) {
	var to store.Interaction
	// An answer that has begun to be taken is taken to its end: its sender may have gone, but others wait for it.
	err := d.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		if a.Type == interaction.UpdateMessage {
			if err := d.amend(tx, i, a); err != nil {
				return err
			}
		}
		var err error
		to, err = move(tx, i, func(cur *store.Interaction) (store.Interaction, error) {
			next := *cur
			var err error
			if next.State, err = cur.State.Acknowledge(a.Type, arrived, d.now()); err != nil {
				return next, err
			}
			next.Due, next.Original, next.Modal = dueOf(next.State, false), a.original(cur), a.modal
			return next, nil
		})
		if err != nil {
			return err
		}
		if a.activity != nil {
			if err := tx.PutActivity(*a.activity); err != nil {
				return err
			}
		}
		if a.message != nil {
			return tx.PutMessage(*a.message)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !to.Due.IsZero() {
		d.alarm.Set(d.Clock, to.Due)
	}
	return &to, nil
}

// amend changes the message with the component that was used, as it is now.
func (d *Dispatch) amend(tx store.Tx, i *store.Interaction, a *answer) error {
	m, err := tx.Message(i.Origin.Component)
	if errors.Is(err, store.ErrNotFound) {
		return interaction.ErrUnknownMessage
	}
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
	m = messages.Revise(m, a.content, d.now())
	a.message = &m
	return nil
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

// announce tells everybody concerned of a first answer that is on disk.
func (d *Dispatch) announce(ctx context.Context, i *store.Interaction, a *answer) {
	outcome, result := outcomeAnswered, Answered
	switch a.Type {
	case interaction.DeferredChannelMessage, interaction.DeferredUpdateMessage:
		outcome, result = outcomeDeferred, Deferred
	case interaction.LaunchActivity:
		outcome, result = outcomeLaunched, Launched
	default:
	}
	d.numbers.answered(i.Origin.Type, outcome, d.Clock.Now().Sub(i.State.Created))
	var choices []byte
	if a.Type == interaction.AutocompleteResult {
		choices = interaction.AppendChoices(nil, a.Choices, i.Origin.Locale)
		d.tellChoices(i, choices)
	} else {
		d.tell(eventSuccess, i)
	}
	if err := d.tellAnswer(ctx, i, a); err != nil {
		d.untold(ctx, i.ID, err)
	}
	d.flights.settle(i.ID)
	d.watches.answered(i.ID, func(o *Outcome) {
		o.Result, o.Response, o.Choices, o.Modal = result, a.response(), choices, a.modal
		if a.activity != nil {
			o.Instance, o.URL = instanceID(a.activity), d.activityURL(a.activity)
		}
	}, d.Wall.Now())
}

// untold notes that somebody did not hear of what is on disk all the same.
func (d *Dispatch) untold(ctx context.Context, id snowflake.Interaction, err error) {
	d.Log.ErrorContext(ctx, "message not announced", "interaction", id, "err", err)
}

// tellAnswer tells of the message, the modal or the activity of a first answer.
func (d *Dispatch) tellAnswer(ctx context.Context, i *store.Interaction, a *answer) error {
	if a.modal != nil {
		app, err := d.Directory.Application(ctx, i.Application)
		if err != nil {
			return err
		}
		d.tellModal(i, app, a.modal)
	}
	if a.activity != nil {
		d.tellLaunch(i, a.activity)
	}
	if a.message == nil {
		return nil
	}
	name, nonce := messages.Edited, ""
	if a.fresh {
		name, nonce = messages.Created, i.Origin.Nonce
	}
	return d.publish(ctx, name, a.message, a.content, nonce)
}

// publish tells of a message, new or changed, also those who watch the interaction.
func (d *Dispatch) publish(ctx context.Context, name string, m *store.Message, c message.Content, nonce string) error {
	p, err := d.messages.Dress(ctx, m, c)
	if err != nil {
		return err
	}
	d.watches.message(m.Interaction, m.ID, p)
	return d.messages.Publish(ctx, name, m, p, nonce)
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
func (d *Dispatch) receipt(
	ctx context.Context, i *store.Interaction, a *answer, withMessage bool,
) (interaction.Receipt, error) {
	r := interaction.Receipt{
		Interaction: i.ID, Type: i.Origin.Type, Channel: i.Origin.Channel, Guild: i.Origin.Guild, Answer: a.Type,
		Message: i.Original, Flags: a.content.Flags,
	}
	if a.activity != nil {
		r.Instance = instanceID(a.activity)
	}
	if !withMessage || a.message == nil {
		return r, nil
	}
	var err error
	r.JSON, err = d.messages.Render(ctx, a.message)
	return r, err
}
