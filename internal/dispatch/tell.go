package dispatch

import (
	"context"
	"strconv"

	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/events"
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

// Posted tells of a message that a person wrote in a lobby and that stands in the linked channel too. It is durable.
func (d *Dispatch) Posted(ctx context.Context, m *store.Message) {
	p, err := d.messages.Post(ctx, m)
	if err == nil {
		err = d.messages.Publish(ctx, messages.Created, m, p, "")
	}
	if err != nil {
		d.Log.ErrorContext(ctx, "a message of a lobby was not announced in its channel", "message", m.ID, "err", err)
	}
}

// appendText appends a string as JSON. What is no UTF-8 never gets this far.
func appendText(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return append(dst, `""`...)
	}
	return out
}
