package dispatch

import (
	"context"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// The events that are told.
const (
	eventCreate  = "INTERACTION_CREATE"
	eventSuccess = "INTERACTION_SUCCESS"
	eventFailure = "INTERACTION_FAILURE"
	eventModal   = "INTERACTION_MODAL_CREATE"
	eventChoices = "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE"
	eventLaunch  = "EMBEDDED_ACTIVITY_UPDATE_V2"

	eventMessage = "MESSAGE_CREATE"
	eventEdit    = "MESSAGE_UPDATE"
	eventGone    = "MESSAGE_DELETE"
)

// invoker is the client that invoked an interaction.
func invoker(i *store.Interaction) events.Audience {
	return events.Audience{Users: []snowflake.User{i.User}, Session: i.Origin.Session}
}

// status returns what the invoking client is told of an interaction: an object that is not closed yet.
func status(i *store.Interaction) []byte {
	b := append(make([]byte, 0, 96), `{"id":"`...)
	b = append(i.ID.Append(b), '"')
	if i.Origin.Nonce != "" {
		b = append(b, `,"nonce":`...)
		b = appendText(b, i.Origin.Nonce)
	}
	return b
}

func (d *Dispatch) tell(name string, i *store.Interaction) {
	d.Events.Publish(events.Event{Name: name, Data: append(status(i), '}'), To: invoker(i)})
}

func (d *Dispatch) tellFailure(i *store.Interaction, reason interaction.Reason) {
	b := append(status(i), `,"reason_code":`...)
	b = append(strconv.AppendUint(b, uint64(reason), 10), '}')
	d.Events.Publish(events.Event{Name: eventFailure, Data: b, To: invoker(i)})
}

// tellApp gives an interaction to the app's bot.
func (d *Dispatch) tellApp(i *store.Interaction, body []byte) {
	to := events.Audience{Application: i.Application, Guild: i.Origin.Guild}
	d.Events.Publish(events.Event{Name: eventCreate, Data: body, To: to})
}

func (d *Dispatch) tellChoices(i *store.Interaction, choices []byte) {
	b := append(append([]byte(`{"choices":`), choices...), `,"nonce":`...)
	b = append(appendText(b, i.Origin.Nonce), '}')
	d.Events.Publish(events.Event{Name: eventChoices, Data: b, To: invoker(i)})
}

// tellModal shows a modal to whoever invoked it.
func (d *Dispatch) tellModal(i *store.Interaction, app *store.Application, modal []byte) {
	b := append(status(i), `,"channel_id":"`...)
	b = append(i.Origin.Channel.Append(b), `","application":{"id":"`...)
	b = append(app.ID.Append(b), `","name":`...)
	b = appendText(b, app.Name)
	b = append(b, `,"icon":null,"description":`...)
	b = append(appendText(b, app.Description), `},`...)
	b = append(b, modal[1:]...) // what follows the opening brace
	d.Events.Publish(events.Event{Name: eventModal, Data: b, To: invoker(i)})
}

// tellLaunch hands an activity instance to whoever launched it.
func (d *Dispatch) tellLaunch(i *store.Interaction, a *store.Activity) {
	b := append(activityJSON(nil, a), `,"url":`...)
	b = appendText(b, d.activityURL(a))
	if i.Origin.Nonce != "" {
		b = append(b, `,"nonce":`...)
		b = appendText(b, i.Origin.Nonce)
	}
	d.Events.Publish(events.Event{Name: eventLaunch, Data: append(b, '}'), To: invoker(i)})
}

// tellMessage tells of a message, new or changed. A nonce is for the eyes of whoever invoked it.
func (d *Dispatch) tellMessage(ctx context.Context, name string, m *store.Message, p interaction.Post, nonce string) error {
	if m.Ephemeral {
		d.tellEphemeral(name, m, p, nonce)
		return nil
	}
	if m.Guild == 0 {
		return d.tellConversation(ctx, name, m, p, nonce)
	}
	var err error
	p.Guild = m.Guild
	if p.Member, err = d.author(ctx, m, p.Author); err != nil {
		return err
	}
	e := events.Event{
		Name: name, Data: p.AppendJSON(nil), Reduced: reduced(p).AppendJSON(nil), Full: d.readers(m, &p),
		To: events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages},
	}
	if nonce != "" {
		e.To.Except = []snowflake.User{m.User}
		d.toInvoker(name, m, p, nonce)
	}
	d.Events.Publish(e)
	return nil
}

// Posted tells of a message that a person wrote in a lobby and that stands in the linked channel too. It is durable.
func (d *Dispatch) Posted(ctx context.Context, m *store.Message) {
	p, err := d.post(ctx, m)
	if err == nil {
		err = d.tellMessage(ctx, eventMessage, m, p, "")
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "a message of a lobby was not announced in its channel", "message", m.ID, "err", err)
	}
}

// reduced returns a message as bots see it that may not read what others write.
func reduced(p interaction.Post) interaction.Post {
	p.Content = interaction.Content{TTS: p.Content.TTS, Flags: p.Content.Flags}
	p.Referenced = nil
	return p
}

// readers returns the applications that read the message whatever they asked for: the author's, and those it calls.
func (d *Dispatch) readers(m *store.Message, p *interaction.Post) []snowflake.Application {
	list := []snowflake.Application{m.Application}
	for i := range p.Mentions {
		if u := &p.Mentions[i]; u.Bot && snowflake.Application(u.ID) != m.Application {
			list = append(list, snowflake.Application(u.ID))
		}
	}
	return list
}

func (d *Dispatch) toInvoker(name string, m *store.Message, p interaction.Post, nonce string) {
	p.Nonce = nonce
	d.Events.Publish(events.Event{
		Name: name, Data: p.AppendJSON(nil), To: events.Audience{Users: []snowflake.User{m.User}},
	})
}

// tellEphemeral tells of a message that only the invoker and the app see: it belongs to no guild.
func (d *Dispatch) tellEphemeral(name string, m *store.Message, p interaction.Post, nonce string) {
	d.toInvoker(name, m, p, nonce)
	d.Events.Publish(events.Event{Name: name, Data: p.AppendJSON(nil), To: ephemeralBot(m)})
}

func ephemeralBot(m *store.Message) events.Audience {
	return events.Audience{Application: m.Application, Intents: events.DirectMessages | events.GuildMessages}
}

// tellConversation tells those between whom the channel is.
func (d *Dispatch) tellConversation(ctx context.Context, name string, m *store.Message, p interaction.Post, nonce string) error {
	others, bot, err := d.recipients(ctx, m)
	if err != nil {
		return err
	}
	d.toInvoker(name, m, p, nonce)
	if len(others) == 0 && !bot {
		return nil
	}
	e := events.Event{Name: name, Data: p.AppendJSON(nil)}
	if len(others) > 0 {
		e.To = events.Audience{Users: others}
		d.Events.Publish(e)
	}
	if bot {
		e.To = events.Audience{Application: m.Application, Intents: events.DirectMessages}
		d.Events.Publish(e)
	}
	return nil
}

// recipients returns who else is in a channel between people, and whether the app's bot is.
func (d *Dispatch) recipients(ctx context.Context, m *store.Message) (others []snowflake.User, bot bool, err error) {
	where, err := d.Directory.Where(ctx, m.Channel)
	if err != nil {
		return nil, false, err
	}
	others = slices.DeleteFunc(slices.Clone(where.Recipients), func(id snowflake.User) bool {
		bot = bot || id == snowflake.User(m.Application)
		return id == m.User || id == snowflake.User(m.Application)
	})
	return others, bot, nil
}

// tellGone tells of a message that was deleted.
func (d *Dispatch) tellGone(ctx context.Context, m *store.Message) error {
	b := append([]byte(`{"id":"`), m.ID.String()...)
	b = append(b, `","channel_id":"`...)
	b = append(m.Channel.Append(b), '"')
	e := events.Event{Name: eventGone}
	switch {
	case m.Ephemeral:
		e.Data = append(b, '}')
		e.To = ephemeralBot(m)
		d.Events.Publish(e)
		e.To = events.Audience{Users: []snowflake.User{m.User}}
	case m.Guild != 0:
		b = append(m.Guild.Append(append(b, `,"guild_id":"`...)), '"')
		e.Data = append(b, '}')
		e.To = events.Audience{Guild: m.Guild, Channel: m.Channel, Intents: events.GuildMessages}
	default:
		others, bot, err := d.recipients(ctx, m)
		if err != nil {
			return err
		}
		e.Data = append(b, '}')
		if bot {
			e.To = events.Audience{Application: m.Application, Intents: events.DirectMessages}
			d.Events.Publish(e)
		}
		e.To = events.Audience{Users: append(others, m.User)}
	}
	d.Events.Publish(e)
	return nil
}
