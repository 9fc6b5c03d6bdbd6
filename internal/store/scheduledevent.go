package store

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// ScheduledEvent is a scheduled event of a guild.
type ScheduledEvent struct {
	ID          snowflake.Event   `json:"id"`
	Guild       snowflake.Guild   `json:"guild"`
	Creator     snowflake.User    `json:"creator,omitzero"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	Start       time.Time         `json:"start"`
	End         time.Time         `json:"end,omitzero"`
	Entity      int               `json:"entity"` // where it takes place
	Channel     snowflake.Channel `json:"channel,omitzero"`
	Location    string            `json:"location,omitzero"`
	Status      int               `json:"status"`
	Image       string            `json:"image,omitzero"` // the hash of the image
	Recurrence  jsontext.Value    `json:"recurrence,omitzero"`
	Users       int               `json:"users,omitzero"` // the number of interested users
	Due         time.Time         `json:"due,omitzero"`   // when the clock changes the status; zero: never
}

func (e ScheduledEvent) subjects() []Subject { return []Subject{ScheduledEventsSubject(e.Guild)} }

func (e ScheduledEvent) write(w *writes) {
	w.put(scheduledEventsTable, key(e.ID), key(e.Guild), microsOrNull(e.Due), w.doc(e))
}

// ScheduledEventKey names a scheduled event with its interested users. e has at least its id and its guild.
func ScheduledEventKey(e ScheduledEvent) Key {
	return Key{subs: e.subjects(), rows: []rowKey{
		{scheduledEventsTable, []string{"id"}, []any{key(e.ID)}},
		{scheduledEventUsersTable, []string{"event_id"}, []any{key(e.ID)}},
	}}
}

// EventUser is a user who is interested in a scheduled event. The event has the number of its users.
type EventUser struct {
	Guild snowflake.Guild // of the event
	Event snowflake.Event
	User  snowflake.User
}

func (u EventUser) subjects() []Subject { return []Subject{ScheduledEventsSubject(u.Guild)} }

func (u EventUser) write(w *writes) { w.put(scheduledEventUsersTable, key(u.Event), key(u.User)) }

// EventUserKey names the interest of a user in a scheduled event.
func EventUserKey(u EventUser) Key {
	return Key{subs: u.subjects(), rows: []rowKey{
		{scheduledEventUsersTable, []string{"event_id", "user_id"}, []any{key(u.Event), key(u.User)}},
	}}
}

// ScheduledEvent returns a scheduled event. A decision depends on the events of its guild.
func (q DirectoryQueries) ScheduledEvent(id snowflake.Event) (ScheduledEvent, error) {
	e, err := find[ScheduledEvent](q.reader, scheduledEventsTable, key(id))
	if err == nil {
		q.read(ScheduledEventsSubject(e.Guild))
	}
	return e, err
}

// ScheduledEvents returns the scheduled events of a guild, with those that have ended.
func (q DirectoryQueries) ScheduledEvents(guild snowflake.Guild) ([]ScheduledEvent, error) {
	q.read(ScheduledEventsSubject(guild))
	return list[ScheduledEvent](q.reader, scheduledEventsTable, page{}, []string{"guild_id"}, key(guild))
}

// DueScheduledEvents returns up to limit scheduled events that the clock starts or ends, ordered by Due.
func (q DirectoryQueries) DueScheduledEvents(limit int) ([]DueRecord[snowflake.Event], error) {
	const query = "SELECT id, due FROM scheduled_events WHERE due IS NOT NULL ORDER BY due LIMIT ?"
	return dueRecords[snowflake.Event](q.reader, query, limit)
}

// IsInterested reports whether a user is interested in a scheduled event. A decision depends on it if it also reads the event.
func (q DirectoryQueries) IsInterested(event snowflake.Event, user snowflake.User) (bool, error) {
	_, err := q.row(scheduledEventUsersTable, key(event), key(user))
	return err == nil, except(err, ErrNotFound)
}

// EventUsers returns a page of the users who are interested in a scheduled event.
func (q DirectoryQueries) EventUsers(event snowflake.Event, after snowflake.User, limit int) ([]snowflake.User, error) {
	rows, err := q.rows(scheduledEventUsersTable, page{"user_id", key(after), limit}, []string{"event_id"}, key(event))
	return users(rows, 1), err
}

// EventUsersBefore returns the last limit users with ids below before who are interested in a scheduled event. A decision does
// not see its own writes in the result.
func (q DirectoryQueries) EventUsersBefore(event snowflake.Event, before snowflake.User, limit int) ([]snowflake.User, error) {
	query := scheduledEventUsersTable.all + " WHERE event_id = ? AND user_id < ? ORDER BY user_id DESC"
	rows, err := q.limited(scheduledEventUsersTable, limit, query, []any{key(event), key(before)})
	slices.Reverse(rows)
	return users(rows, 1), err
}

// EventsOfUser returns up to limit scheduled events that a user is interested in.
func (q DirectoryQueries) EventsOfUser(user snowflake.User, limit int) ([]snowflake.Event, error) {
	rows, err := q.rows(scheduledEventUsersTable, page{"event_id", 0, limit}, []string{"user_id"}, key(user))
	list := make([]snowflake.Event, len(rows))
	for i, row := range rows {
		list[i] = snowflake.Event(row.int(0))
	}
	return list, err
}
