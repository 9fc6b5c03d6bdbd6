package dispatch

import (
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Names of the events of interactions.
const (
	eventCreate  = "INTERACTION_CREATE"
	eventSuccess = "INTERACTION_SUCCESS"
	eventFailure = "INTERACTION_FAILURE"
	eventModal   = "INTERACTION_MODAL_CREATE"
	eventChoices = "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE"
	eventLaunch  = "EMBEDDED_ACTIVITY_UPDATE_V2"
)

// invokerEvent returns an event for the client that invoked an interaction.
func invokerEvent(name string, i *store.Interaction, data []byte) store.Event {
	to := events.Audience{Users: []snowflake.User{i.User}, Session: i.Origin.Session}
	return store.Event{Subject: store.InteractionSubject(i.ID), Event: events.Event{Name: name, Data: data, To: to}}
}

// appendStatus appends the id and nonce of an interaction, as an object without its closing brace.
func appendStatus(b []byte, i *store.Interaction) []byte {
	b = append(b, `{"id":"`...)
	return appendNonce(append(i.ID.Append(b), '"'), i)
}

// appendNonce appends the nonce of an interaction as a member, if it has one.
func appendNonce(b []byte, i *store.Interaction) []byte {
	if i.Origin.Nonce == "" {
		return b
	}
	return jsonbody.AppendString(append(b, `,"nonce":`...), i.Origin.Nonce)
}

// statusEvent tells the invoking client about the progress of an interaction.
func statusEvent(name string, i *store.Interaction) store.Event {
	return invokerEvent(name, i, append(appendStatus(make([]byte, 0, 96), i), '}'))
}

// failureEvent tells the invoking client that an interaction failed. text is the reason for humans; empty: none.
func failureEvent(i *store.Interaction, reason interaction.Reason, text string) store.Event {
	b := append(appendStatus(nil, i), `,"reason_code":`...)
	b = strconv.AppendUint(b, uint64(reason), 10)
	if text != "" {
		b = jsonbody.AppendString(append(b, `,"reason":`...), text)
	}
	return invokerEvent(eventFailure, i, append(b, '}'))
}

// appEvent delivers an interaction to the bot of the app.
func appEvent(i *store.Interaction, body []byte) store.Event {
	to := events.Audience{Application: i.Application, Guild: i.Origin.Guild}
	return store.Event{
		Subject: store.InteractionSubject(i.ID), Event: events.Event{Name: eventCreate, Data: body, To: to},
	}
}

func choicesEvent(i *store.Interaction, choices []byte) store.Event {
	b := append(append([]byte(`{"choices":`), choices...), `,"nonce":`...)
	return invokerEvent(eventChoices, i, append(jsonbody.AppendString(b, i.Origin.Nonce), '}'))
}

// modalEvent sends a modal to the invoking client.
func modalEvent(i *store.Interaction, app *store.Application, modal []byte) store.Event {
	b := append(appendStatus(nil, i), `,"channel_id":"`...)
	b = append(i.Origin.Channel.Append(b), `","application":{"id":"`...)
	b = append(app.ID.Append(b), `","name":`...)
	b = jsonbody.AppendString(b, app.Name)
	b = append(b, `,"icon":null,"description":`...)
	b = append(jsonbody.AppendString(b, app.Description), `},`...)
	b = append(b, modal[1:]...) // without its opening brace
	return invokerEvent(eventModal, i, b)
}

// launchEvent sends an activity instance to the client that launched it.
func launchEvent(i *store.Interaction, a *store.Activity, url string) store.Event {
	b := append(appendActivity(nil, a), `,"url":`...)
	b = appendNonce(jsonbody.AppendString(b, url), i)
	return invokerEvent(eventLaunch, i, append(b, '}'))
}
