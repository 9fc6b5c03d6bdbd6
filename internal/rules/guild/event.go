package guild

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// EntityType is the kind of place of a scheduled event, by its number in the API.
type EntityType int

// The places of events.
const (
	OnStage   EntityType = 1
	InVoice   EntityType = 2
	Elsewhere EntityType = 3
)

// Status is the state of a scheduled event, by its number in the API.
type Status int

// The states of events.
const (
	Scheduled Status = 1
	Active    Status = 2
	Completed Status = 3
	Canceled  Status = 4
)

// transitions lists the states that follow a state.
var transitions = map[Status][]Status{Scheduled: {Active, Canceled}, Active: {Completed}}

// Limits of scheduled events.
const (
	MaxEvents           = 100 // that are neither completed nor canceled
	GuildOnly           = 2   // the only privacy level
	MaxEndedEvents      = 100 // that the service keeps of a guild
	maxEventDescription = 1000
	maxLocation         = 100
)

// Findings about scheduled events.
const (
	StartInPast   jsonbody.Code = "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST"
	EndTooEarly   jsonbody.Code = "GUILD_SCHEDULED_EVENT_END_BEFORE_START"
	NotForThisOne jsonbody.Code = "GUILD_SCHEDULED_EVENT_ENTITY_TYPE_INVALID"
)

// Event holds the members of a scheduled event that requests set.
type Event struct {
	Name        string
	Description string
	Start, End  time.Time // End is zero if the event has no end
	Entity      EntityType
	Channel     snowflake.Channel // of a stage or voice event
	Location    string            // of an event elsewhere
	Status      Status
	Image       string         // the hash of the image; empty: none
	Recurrence  jsontext.Value // as the API shows it; nil: none
}

// ReadEvent reads a request to create a scheduled event. The error is a *jsonbody.Tree or an *apierror.Error.
func ReadEvent(body jsonbody.Value, now time.Time) (Event, imagedata.Image, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Event{}, imagedata.Image{}, t.Err()
	}
	for _, key := range []string{"name", "privacy_level", "scheduled_start_time", "entity_type"} {
		if !body.Get(key).IsSet() {
			t.At(key).Required()
		}
	}
	return readEvent(&t, without(body, "status"), Event{Status: Scheduled}, now)
}

// ReadEventPatch reads a request to edit a scheduled event, and returns the event after the edit. The error is a
// *jsonbody.Tree or an *apierror.Error.
func ReadEventPatch(body jsonbody.Value, old Event, now time.Time) (Event, imagedata.Image, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return Event{}, imagedata.Image{}, t.Err()
	}
	return readEvent(&t, body, old, now)
}

func readEvent(t *jsonbody.Tree, body jsonbody.Value, old Event, now time.Time) (Event, imagedata.Image, error) {
	e := old
	var unusable error
	jsonbody.ReadGiven(t, body, "privacy_level", jsonbody.OneOf(GuildOnly))
	e.Name = jsonbody.ReadGiven(t, body, "name", trimmed(1, maxName)).Or(old.Name)
	e.Description = jsonbody.ReadOptional(t, body, "description", jsonbody.Text(0, maxEventDescription)).Or(old.Description)
	e.Start = jsonbody.ReadGiven(t, body, "scheduled_start_time", jsonbody.Time).Or(old.Start)
	e.End = jsonbody.ReadOptional(t, body, "scheduled_end_time", jsonbody.Time).Or(old.End)
	e.Entity = EntityType(jsonbody.ReadGiven(t, body, "entity_type", jsonbody.OneOf(1, 2, 3)).Or(int(old.Entity)))
	e.Channel = jsonbody.ReadOptional(t, body, "channel_id", jsonbody.ID[snowflake.Channel]).Or(old.Channel)
	e.Location = jsonbody.ReadOptional(t, body, "entity_metadata", readLocation).Or(old.Location)
	e.Status = Status(jsonbody.ReadGiven(t, body, "status", jsonbody.OneOf(1, 2, 3, 4)).Or(int(old.Status)))
	e.Recurrence = jsonbody.ReadOptional(t, body, "recurrence_rule", readRecurrence).Or(old.Recurrence)
	image := imagedata.ReadMember(t, body, "image", imagedata.MaxPicture, &unusable)
	im, set := image.Get()
	if set || image.IsNull() {
		e.Image = im.Hash
	}
	e.check(t, body, old, now)
	switch {
	case t.Err() != nil:
		return Event{}, imagedata.Image{}, t.Err()
	case e.Status != old.Status && !slices.Contains(transitions[old.Status], e.Status), old.Status == Completed, old.Status == Canceled:
		return Event{}, imagedata.Image{}, apierror.FinishedEvent
	}
	return e, im, unusable
}

func readLocation(t *jsonbody.Tree, v jsonbody.Value) string {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return ""
	}
	return jsonbody.ReadGiven(t, v, "location", trimmed(1, maxLocation)).Or("")
}

// check applies the rules about several members: the place that each type has, and the order of the times.
func (e *Event) check(t *jsonbody.Tree, body jsonbody.Value, old Event, now time.Time) {
	if t.Failed() {
		return
	}
	if e.Entity == Elsewhere {
		if !body.Get("channel_id").IsSet() {
			e.Channel = 0
		} else {
			t.At("channel_id").Add(NotForThisOne, "An event elsewhere has no channel")
		}
		if e.Location == "" {
			t.At("entity_metadata").At("location").Required()
		}
		if e.End.IsZero() {
			t.At("scheduled_end_time").Required()
		}
	} else {
		e.Location = ""
		if e.Channel == 0 {
			t.At("channel_id").Required()
		}
	}
	if !e.Start.Equal(old.Start) && !e.Start.After(now) {
		t.At("scheduled_start_time").Add(StartInPast, "Cannot schedule event in the past.")
	}
	if !e.End.IsZero() && !e.End.After(e.Start) {
		t.At("scheduled_end_time").Add(EndTooEarly, "The event must end after it starts")
	}
}

// eventOperations lists the operations to create, edit and delete the events of each type.
var eventOperations = map[EntityType][3]permission.Operation{
	OnStage:   {permission.OpCreateStageEvent, permission.OpEditStageEvent, permission.OpDeleteStageEvent},
	InVoice:   {permission.OpCreateVoiceEvent, permission.OpEditVoiceEvent, permission.OpDeleteVoiceEvent},
	Elsewhere: {permission.OpCreateExternalEvent, permission.OpEditExternalEvent, permission.OpDeleteExternalEvent},
}

// Operations returns the operations to create, edit and delete events of the type.
func (e EntityType) Operations() (create, edit, remove permission.Operation) {
	ops := eventOperations[e]
	return ops[0], ops[1], ops[2]
}

// Due returns when the clock changes the state of an event elsewhere, and the next state. The others start and end by
// hand: Due returns the zero time.
func (e *Event) Due() (time.Time, Status) {
	switch {
	case e.Entity != Elsewhere:
	case e.Status == Scheduled:
		return e.Start, Active
	case e.Status == Active:
		return e.End, Completed
	}
	return time.Time{}, 0
}

// Ended reports whether an event with the status is over.
func (s Status) Ended() bool { return s == Completed || s == Canceled }

// Cancel ends an event whose channel is deleted.
func (e *Event) Cancel() {
	if e.Status == Active {
		e.Status = Completed
	} else {
		e.Status = Canceled
	}
}
