package convert

import (
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// WireScheduledEvent returns the API object of a scheduled event, without the number of its users.
func WireScheduledEvent(e store.ScheduledEvent) wire.ScheduledEvent {
	shown := wire.ScheduledEvent{
		ID: e.ID, GuildID: e.Guild, ChannelID: orNull(e.Channel), Name: e.Name, Description: wire.NullString(e.Description),
		Image: wire.NullString(e.Image), Start: wire.Time(e.Start), End: wire.Time(e.End), PrivacyLevel: guild.GuildOnly, Status: e.Status,
		EntityType: e.Entity, RecurrenceRule: e.Recurrence,
	}
	if e.Creator != 0 {
		shown.CreatorID = &e.Creator
	}
	if e.Location != "" {
		shown.EntityMetadata = &wire.EntityMetadata{Location: e.Location}
	}
	return shown
}

// WireScheduledEvents returns the API objects of scheduled events.
func WireScheduledEvents(list []store.ScheduledEvent) []wire.ScheduledEvent {
	shown := make([]wire.ScheduledEvent, len(list))
	for i, e := range list {
		shown[i] = WireScheduledEvent(e)
	}
	return shown
}

// Event returns the members of a scheduled event that requests set.
func Event(e store.ScheduledEvent) guild.Event {
	return guild.Event{
		Name: e.Name, Description: e.Description, Start: e.Start, End: e.End, Entity: guild.EntityType(e.Entity), Channel: e.Channel,
		Location: e.Location, Status: guild.Status(e.Status), Image: e.Image, Recurrence: e.Recurrence,
	}
}

// WithEvent returns a scheduled event with new members.
func WithEvent(e store.ScheduledEvent, next guild.Event) store.ScheduledEvent {
	e.Name, e.Description, e.Start, e.End, e.Entity = next.Name, next.Description, next.Start, next.End, int(next.Entity)
	e.Channel, e.Location, e.Status, e.Image, e.Recurrence = next.Channel, next.Location, int(next.Status), next.Image, next.Recurrence
	e.Due, _ = next.Due()
	return e
}

// WorldScheduledEvent returns the world record of a scheduled event that has not ended.
func WorldScheduledEvent(e store.ScheduledEvent) world.ScheduledEvent {
	return world.ScheduledEvent{
		ID: e.ID, Name: e.Name, Description: e.Description, Creator: e.Creator, Channel: e.Channel, Location: e.Location,
		Start: e.Start, End: e.End, Status: e.Status,
	}
}

// ScheduledEventRecord returns the record of a scheduled event of a world file, in a channel of a type. It keeps the image, the
// repetition and the interested users of the stored event.
func ScheduledEventRecord(id snowflake.Guild, e world.ScheduledEvent, channelType int, old store.ScheduledEvent) store.ScheduledEvent {
	record := store.ScheduledEvent{ID: e.ID, Guild: id, Creator: e.Creator, Users: old.Users}
	entity := guild.Elsewhere
	switch {
	case e.Channel != 0 && channelType == world.StageChannel:
		entity = guild.OnStage
	case e.Channel != 0:
		entity = guild.InVoice
	}
	return WithEvent(record, guild.Event{
		Name: e.Name, Description: e.Description, Start: e.Start, End: e.End, Entity: entity, Channel: e.Channel, Location: e.Location,
		Status: guild.Status(e.Status), Image: old.Image, Recurrence: old.Recurrence,
	})
}
