package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// LastDay is the last day on which a user was active.
type LastDay struct {
	User snowflake.User
	Day  Day
}

// Day is a day in UTC, counted since 1970.
type Day int64

// dayLength is the length of a day.
const dayLength = 24 * time.Hour

// DayOf returns the day of a time.
func DayOf(t time.Time) Day { return Day(t.Unix() / int64(dayLength/time.Second)) }

// End returns the end of the day.
func (d Day) End() time.Time { return time.Unix(0, 0).UTC().Add(time.Duration(d+1) * dayLength) }

func (l LastDay) subjects() []Subject { return []Subject{LastDaySubject(l.User)} }

func (l LastDay) write(w *writes) { w.put(lastDaysTable, key(l.User), int64(l.Day)) }

// LastDayKey names the last day of a user.
func LastDayKey(user snowflake.User) Key {
	return Key{ends: []Subject{LastDaySubject(user)}, rows: []rowKey{{lastDaysTable, []string{"user_id"}, []any{key(user)}}}}
}

// LastDay returns the last day on which a user was active.
func (q DirectoryQueries) LastDay(user snowflake.User) (LastDay, error) {
	q.read(LastDaySubject(user))
	row, err := q.row(lastDaysTable, key(user))
	if err != nil {
		return LastDay{}, err
	}
	return LastDay{user, Day(row.int(1))}, nil
}
