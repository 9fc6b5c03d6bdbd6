package dispatch

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Response is a request of an app: the body of a callback, a follow-up or an edit.
type Response struct {
	Body    jsonbody.Value
	Files   []attachments.Upload
	Arrived time.Time // when the request headers arrived, on the service's clock; zero: now
	// Unread means that the body was not read because the token was unknown when the request arrived.
	Unread bool
}

// answers accept the first answers of interactions.
type answers struct{ *service }

// answer is a first answer.
type answer struct {
	interaction.Callback

	body     jsonbody.Value
	files    []message.File
	message  *store.Message     // created or edited by the answer; nil: none
	owner    *store.Interaction // that created message
	content  message.Content    // of message
	created  bool               // message is new
	dropped  []snowflake.Attachment
	activity *store.Activity
	modal    []byte
	choices  []byte

	announcement messages.Announcement // of message
	json         []byte                // message as JSON; nil: not requested
}

// Callback accepts the first answer to an interaction. Of several concurrent answers it accepts one. The receipt
// contains the message when withMessage is set.
func (s *answers) Callback(
	ctx context.Context, id snowflake.Interaction, token string, r Response, withMessage bool,
) (interaction.CallbackResponse, error) {
	if r.Arrived.IsZero() {
		r.Arrived = s.now()
	}
	defer s.watches.beginAnswer(id)()
	files, ids := s.Messages.Receive(ctx, r.Files, false), s.newIDs()
	var a *answer
	var next store.Interaction
	err := s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		i, err := s.interactions.find(ctx, id)
		if err != nil {
			return c, err
		}
		if i.ID == 0 || !hasToken(i, token) || r.Unread {
			return c, interaction.ErrUnknownInteraction
		}
		if _, err := i.State.Acknowledge(interaction.ChannelMessage, r.Arrived, s.now()); err != nil {
			return c, err // before the body is validated
		}
		if a, err = s.read(ctx, i, r, files, ids); err != nil {
			return c, err
		}
		if err := files.AddTo(ctx, &c, messages.Owner{Application: i.Application, Guild: i.Origin.Guild}, a.Message.Attachments); err != nil {
			return c, err
		}
		if next, err = acknowledged(i, a, r.Arrived, s.now()); err != nil {
			return c, err
		}
		return c, s.addChange(ctx, &c, &next, a, withMessage)
	})
	if err != nil {
		files.Discard(ctx)
		if e, ok := errors.AsType[*interaction.LaunchError](err); ok {
			s.fail(ctx, id, failure{e.Reason, noLaunchDetail})
		}
		s.noteRefused(id, err)
		return interaction.CallbackResponse{}, err
	}
	files.Keep(ctx, a.Message.Attachments)
	s.Messages.DeleteFiles(ctx, a.dropped)
	if !next.Due.IsZero() {
		s.alarm.Set(s.Clock, next.Due)
	}
	s.record(ctx, &next, a)
	return receipt(&next, a), nil
}

// noteRefused keeps why a callback was refused, for the failure that follows if the app sends no other.
func (s *answers) noteRefused(id snowflake.Interaction, err error) {
	if why, known := invalid(err); known {
		if p := s.pending.get(id); p != nil {
			p.refused.Store(&why)
		}
	}
}

// read parses an answer. ids are those of what it creates.
func (s *answers) read(
	ctx context.Context, i *store.Interaction, r Response, files *messages.Uploads, ids newIDs,
) (*answer, error) {
	if files.TooLarge() {
		return nil, attachments.ErrFileTooLarge
	}
	a := &answer{body: r.Body, files: files.Files}
	o := a.origin(i)
	if o.FromComponent || o.Type == interaction.MessageComponent {
		m, err := s.Messages.Find(ctx, i.Origin.Component)
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
	if r.Body.Get("type").Text() == premiumRequired {
		if o.Sold, err = s.sold(ctx, i.Application); err != nil {
			return nil, err
		}
	}
	if a.Callback, err = interaction.ReadCallback(r.Body, o); err != nil {
		return nil, err
	}
	switch a.Type {
	case interaction.ChannelMessage, interaction.DeferredChannelMessage, interaction.PremiumRequired:
		a.content = a.Message
		if i.Origin.Private {
			a.content.Flags |= message.Ephemeral
		}
		s.Messages.SetFiles(i.Origin.Channel, &a.content)
		m := messages.Compose(i, ids.message, 0, a.content)
		a.message, a.owner, a.created = &m, i, true
	case interaction.UpdateMessage:
		if err := s.editComponentMessage(ctx, i, a); err != nil {
			return nil, err
		}
	case interaction.OpenModal:
		a.modal = a.Modal.AppendJSON(nil)
	case interaction.LaunchActivity:
		a.activity = newActivity(i, ids.launch)
	default:
	}
	return a, nil
}

// premiumRequired is the type of the deprecated answer that shows what the app sells.
var premiumRequired = strconv.Itoa(int(interaction.PremiumRequired))

// sold returns the SKUs of an application that are for sale.
func (s *answers) sold(ctx context.Context, id snowflake.Application) ([]snowflake.SKU, error) {
	app, err := s.Directory.Applications.Application(ctx, id)
	if err != nil {
		return nil, err
	}
	var list []snowflake.SKU
	for _, k := range app.SKUs {
		if premium.SKUType(k.Type).Sold() && k.Flags&premium.Available != 0 {
			list = append(list, k.ID)
		}
	}
	return list, nil
}

// origin returns the facts about the interaction that an answer is validated against.
func (a *answer) origin(i *store.Interaction) interaction.Origin {
	o := &i.Origin
	return interaction.Origin{
		Type: o.Type, FromComponent: o.Type == interaction.ModalSubmit && o.Component != 0, Focus: o.Focus,
		NoLaunch: o.NoLaunch, Files: a.files,
	}
}

// editComponentMessage applies the answer to the message with the component that was used. It parses the answer again,
// against the current content of the message.
func (s *answers) editComponentMessage(ctx context.Context, i *store.Interaction, a *answer) error {
	m, owner, err := s.loadMessage(ctx, i, i.Origin.Component)
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
	a.dropped = messages.RemovedFiles(o.Message.Attachments, a.content.Attachments)
	s.Messages.SetFiles(m.Channel, &a.content)
	revised := messages.Revise(*m, a.content, s.now())
	a.message, a.owner = &revised, owner
	return nil
}

// loadMessage returns a message of the channel of an interaction, to change it, and of an ephemeral message the interaction
// that created it. The decision depends on both from then on. The owner has the id 0 when it no longer exists. i is the
// interaction whose token is used.
func (s *service) loadMessage(
	ctx context.Context, i *store.Interaction, id snowflake.Message,
) (m *store.Message, owner *store.Interaction, err error) {
	m, err = s.Messages.Load(ctx, i.Origin.Channel, id)
	owner = i
	if err == nil && m != nil && m.Ephemeral && m.Interaction != i.ID {
		if owner, err = s.interactions.find(ctx, m.Interaction); err != nil {
			return nil, nil, err
		}
		// The message may have changed before the decision depended on its interaction.
		m, err = s.Messages.Find(ctx, id)
	}
	if err != nil {
		return nil, nil, err
	}
	if m == nil || m.Application != i.Application {
		return nil, nil, interaction.ErrUnknownMessage
	}
	return m, owner, nil
}

// addChange adds a first answer and the next state of its interaction to a change.
func (s *answers) addChange(
	ctx context.Context, c *store.Change, next *store.Interaction, a *answer, withMessage bool,
) (err error) {
	if err := s.add(ctx, c, next, a); err != nil {
		return err
	}
	s.put(c, *next)
	if a.message == nil {
		return nil
	}
	if a.created {
		messages.ShareCommit(c, a.message.Channel)
	}
	if a.message.Ephemeral && a.owner.ID != 0 && a.owner.ID != next.ID {
		s.interactions.Next(c, a.owner.ID, a.owner)
	}
	if withMessage {
		a.json, err = s.Messages.Render(ctx, a.message, a.message.Author())
	}
	return err
}

// original returns the original response: the message that the answer creates or edits, or will edit if it is deferred.
// 0: none.
func (a *answer) original(i *store.Interaction) snowflake.Message {
	switch {
	case a.message != nil:
		return a.message.ID
	case a.Type == interaction.DeferredUpdateMessage:
		return i.Origin.Component
	}
	return 0
}

// add adds a first answer to a change: its events, its activity instance and its message. i is the interaction after
// it.
func (s *answers) add(ctx context.Context, c *store.Change, i *store.Interaction, a *answer) (err error) {
	if a.Type == interaction.AutocompleteResult {
		a.choices = interaction.AppendChoices(nil, a.Choices, i.Origin.Locale)
		c.Events = append(c.Events, choicesEvent(i, a.choices))
	} else {
		c.Events = append(c.Events, statusEvent(eventSuccess, i))
	}
	if a.modal != nil {
		app, err := s.Directory.Applications.Application(ctx, i.Application)
		switch {
		case err == nil:
			c.Events = append(c.Events, modalEvent(i, app, a.modal))
		case !errors.Is(err, directory.ErrUnknownApplication):
			return err
		}
	}
	if a.activity != nil {
		c.Events = append(c.Events, launchEvent(i, a.activity, s.activityURL(a.activity)))
		c.Put = append(c.Put, *a.activity)
	}
	if a.message == nil {
		return nil
	}
	name, nonce := messages.Edited, ""
	if a.created {
		name, nonce = messages.Created, i.Origin.Nonce
	}
	a.announcement, err = s.Messages.Put(ctx, c, name, a.message, a.content, message.TextNonce(nonce))
	return err
}

// record updates the metrics, the watch and the pending interaction after the commit of a first answer. i is the
// interaction after it.
func (s *answers) record(ctx context.Context, i *store.Interaction, a *answer) {
	outcome, result := outcomeAnswered, Answered
	switch a.Type {
	case interaction.DeferredChannelMessage, interaction.DeferredUpdateMessage:
		outcome, result = outcomeDeferred, Deferred
	case interaction.LaunchActivity:
		outcome, result = outcomeLaunched, Launched
	default:
	}
	s.metrics.answered(i.Origin.Type, outcome, s.Clock.Now().Sub(i.State.Created))
	s.ended(i, result, "")
	if a.message != nil {
		s.announced(ctx, i.ID, &a.announcement)
	}
	s.watches.answered(i.ID, func(o *Outcome) {
		o.Result, o.Response, o.Choices, o.Modal = result, a.response(), a.choices, a.modal
		if a.activity != nil {
			o.Instance, o.URL = instanceID(a.activity), s.activityURL(a.activity)
		}
	}, s.Wall.Now())
	s.pending.remove(i.ID) // last: this releases the follow-ups that wait for the answer
}

// response returns the answer as the app sent it.
func (a *answer) response() []byte {
	if !a.body.IsSet() {
		return nil
	}
	b := append([]byte(`{"type":`), a.body.Get("type").Text()...)
	if data := a.body.Get("data"); data.IsSet() {
		b = wire.AppendValue(append(b, `,"data":`...), data)
	}
	return append(b, '}')
}

// receipt returns the response to a callback.
func receipt(i *store.Interaction, a *answer) interaction.CallbackResponse {
	r := interaction.CallbackResponse{
		Interaction: i.ID, Type: i.Origin.Type, Channel: i.Origin.Channel, Guild: i.Origin.Guild, Answer: a.Type,
		Message: i.Original, Flags: a.content.Flags, JSON: a.json,
	}
	if a.activity != nil {
		r.Instance = instanceID(a.activity)
	}
	return r
}
