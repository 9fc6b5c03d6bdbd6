package world

import (
	"cmp"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// ScheduledEvent is a scheduled event of a guild that has not ended. It takes place in a channel or elsewhere.
type ScheduledEvent struct {
	ID          snowflake.Event   `json:"id"`
	Name        string            `json:"name"` // default: "event-" and its id
	Description string            `json:"description,omitzero"`
	Creator     snowflake.User    `json:"creator,omitzero"` // a user, or a bot by the id of its application
	Channel     snowflake.Channel `json:"channel,omitzero"` // a voice or stage channel
	Location    string            `json:"location,omitzero"`
	Start       time.Time         `json:"scheduled_start_time"`
	End         time.Time         `json:"scheduled_end_time,omitzero"` // zero if the event has no end
	Status      int               `json:"status,omitzero"`             // 1 scheduled, 2 active; default: 1
}

func (e *ScheduledEvent) read(o *object) {
	e.ID = id[snowflake.Event](o, "id")
	e.Name = o.text("name")
	e.Description = o.mayBeEmpty("description")
	e.Creator = id[snowflake.User](o, "creator")
	e.Channel = id[snowflake.Channel](o, "channel")
	e.Location = o.mayBeEmpty("location")
	e.Start = o.time("scheduled_start_time")
	e.End = o.time("scheduled_end_time")
	e.Status = o.int("status", 1, 2)
}

func (e *ScheduledEvent) complete(t *jsonbody.Tree) {
	e.Name = cmp.Or(e.Name, "event-"+e.ID.String())
	e.Status = cmp.Or(e.Status, 1)
	required(t, "id", e.ID != 0)
	name(t, "name", e.Name, 1, 100)
	text(t, "description", e.Description, 0, 1000)
	text(t, "location", e.Location, 0, 100)
	within(t, "status", e.Status, 1, 2)
	required(t, "scheduled_start_time", !e.Start.IsZero())
	normalizeTime(t, "scheduled_start_time", &e.Start)
	normalizeTime(t, "scheduled_end_time", &e.End)
	misplaced := func(key, text string) {
		find(t, key, func(at *jsonbody.Tree) { at.Add(Misplaced, text) })
	}
	switch {
	case e.Channel == 0 && e.Location == "":
		misplaced("location", "An event has a channel or a location.")
	case e.Channel != 0 && e.Location != "":
		misplaced("location", "An event has a channel or a location, not both.")
	case e.Location != "":
		required(t, "scheduled_end_time", !e.End.IsZero())
	}
	if !e.End.IsZero() && !e.End.After(e.Start) {
		misplaced("scheduled_end_time", "An event ends after its start.")
	}
}
