package dispatch

import (
	"context"
	"strconv"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// The events that are told.
const (
	eventCreate  = "INTERACTION_CREATE"
	eventSuccess = "INTERACTION_SUCCESS"
	eventFailure = "INTERACTION_FAILURE"
	eventModal   = "INTERACTION_MODAL_CREATE"
	eventChoices = "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE"
	eventLaunch  = "EMBEDDED_ACTIVITY_UPDATE_V2"
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

// toInvoker returns an event of an interaction for the client that invoked it.
func toInvoker(name string, i *store.Interaction, data []byte) store.Event {
	return store.Event{
		Subject: store.InteractionSubject(i.ID), Event: events.Event{Name: name, Data: data, To: invoker(i)},
	}
}

// statusEvent tells the invoking client how far an interaction has come.
func statusEvent(name string, i *store.Interaction) store.Event {
	return toInvoker(name, i, append(status(i), '}'))
}

func failureEvent(i *store.Interaction, reason interaction.Reason) store.Event {
	b := append(status(i), `,"reason_code":`...)
	return toInvoker(eventFailure, i, append(strconv.AppendUint(b, uint64(reason), 10), '}'))
}

// appEvent delivers an interaction to the app's bot.
func appEvent(i *store.Interaction, body []byte) store.Event {
	to := events.Audience{Application: i.Application, Guild: i.Origin.Guild}
	return store.Event{
		Subject: store.InteractionSubject(i.ID), Event: events.Event{Name: eventCreate, Data: body, To: to},
	}
}

func choicesEvent(i *store.Interaction, choices []byte) store.Event {
	b := append(append([]byte(`{"choices":`), choices...), `,"nonce":`...)
	return toInvoker(eventChoices, i, append(appendText(b, i.Origin.Nonce), '}'))
}

// modalEvent shows a modal to the invoking client.
func modalEvent(i *store.Interaction, app *store.Application, modal []byte) store.Event {
	b := append(status(i), `,"channel_id":"`...)
	b = append(i.Origin.Channel.Append(b), `","application":{"id":"`...)
	b = append(app.ID.Append(b), `","name":`...)
	b = appendText(b, app.Name)
	b = append(b, `,"icon":null,"description":`...)
	b = append(appendText(b, app.Description), `},`...)
	b = append(b, modal[1:]...) // what follows the opening brace
	return toInvoker(eventModal, i, b)
}

// launchEvent hands an activity instance to the client that launched it.
func (d *Dispatch) launchEvent(i *store.Interaction, a *store.Activity) store.Event {
	b := append(activityJSON(nil, a), `,"url":`...)
	b = appendText(b, d.activityURL(a))
	if i.Origin.Nonce != "" {
		b = append(b, `,"nonce":`...)
		b = appendText(b, i.Origin.Nonce)
	}
	return toInvoker(eventLaunch, i, append(b, '}'))
}

// Posted publishes a message that a person wrote in a lobby and that is in the linked channel too. It is durable.
func (d *Dispatch) Posted(ctx context.Context, m *store.Message) {
	p, err := d.messages.Post(ctx, m)
	var list []store.Event
	if err == nil {
		list, err = d.messages.Events(ctx, messages.Created, m, p, "")
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "a message of a lobby was not announced in its channel", "message", m.ID, "err", err)
		return
	}
	for _, e := range list {
		d.Events.Publish(e.Event)
	}
	d.messages.TellLinked(ctx, messages.Created, m)
}

// appendText appends a string as JSON. What is no UTF-8 never gets this far.
func appendText(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return append(dst, `""`...)
	}
	return out
}
