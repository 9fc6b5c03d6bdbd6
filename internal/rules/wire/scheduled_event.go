package wire

import (
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// ScheduledEvent is a scheduled event of a guild.
type ScheduledEvent struct {
	ID             snowflake.Event    `json:"id"`
	GuildID        snowflake.Guild    `json:"guild_id"`
	ChannelID      *snowflake.Channel `json:"channel_id"`
	CreatorID      *snowflake.User    `json:"creator_id"`
	Name           string             `json:"name"`
	Description    NullString         `json:"description"`
	Image          NullString         `json:"image"`
	Start          Time               `json:"scheduled_start_time"`
	End            Time               `json:"scheduled_end_time"`
	PrivacyLevel   int                `json:"privacy_level"`
	Status         int                `json:"status"`
	EntityType     int                `json:"entity_type"`
	EntityID       null               `json:"entity_id"`
	EntityMetadata *EntityMetadata    `json:"entity_metadata"`
	RecurrenceRule jsontext.Value     `json:"recurrence_rule"` // of type RecurrenceRule
	Exceptions     none               `json:"guild_scheduled_event_exceptions"`
	UserCount      *int               `json:"user_count,omitzero"`
}

// EntityMetadata is the place of an event that is not in a channel.
type EntityMetadata struct {
	Location string `json:"location"`
}

// RecurrenceRule says how an event repeats.
type RecurrenceRule struct {
	Start      Time       `json:"start"`
	End        null       `json:"end"`
	Frequency  int        `json:"frequency"`
	Interval   int        `json:"interval"`
	ByWeekday  []int      `json:"by_weekday"`
	ByNWeekday []NWeekday `json:"by_n_weekday"`
	ByMonth    []int      `json:"by_month"`
	ByMonthDay []int      `json:"by_month_day"`
	ByYearDay  null       `json:"by_year_day"`
	Count      null       `json:"count"`
}

// NWeekday is a weekday of a month, such as the second Tuesday.
type NWeekday struct {
	N   int `json:"n"`
	Day int `json:"day"` // 0 is Monday
}

// EventUser is a user who is interested in a scheduled event.
type EventUser struct {
	EventID  snowflake.Event `json:"guild_scheduled_event_id"`
	UserID   snowflake.User  `json:"user_id"`
	User     *User           `json:"user,omitzero"`
	Member   *Member         `json:"member,omitzero"`
	Response int             `json:"response"` // always Interested
}

// Interested is the response of users who are interested in an event.
const Interested = 1

// EventUserCount has the number of users who are interested in a scheduled event.
type EventUserCount struct {
	Count      int            `json:"guild_scheduled_event_count"`
	Exceptions map[string]int `json:"guild_scheduled_event_exception_counts"`
}
