package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// SlowMode says when a user may write again in a channel with slow mode.
type SlowMode struct {
	Channel snowflake.Channel
	User    snowflake.User
	Until   time.Time
}

func (s SlowMode) subjects() []Subject { return []Subject{SlowModeSubject(s.Channel, s.User)} }

func (s SlowMode) write(w *writes) {
	w.put(slowModesTable, key(s.Channel), key(s.User), micros(s.Until))
}

// SlowModeKey names the slow mode of a user in a channel.
func SlowModeKey(channel snowflake.Channel, user snowflake.User) Key {
	return Key{
		ends: []Subject{SlowModeSubject(channel, user)},
		rows: []rowKey{{slowModesTable, []string{"channel_id", "user_id"}, []any{key(channel), key(user)}}},
	}
}

// SlowMode returns when a user may write again in a channel.
func (q MessageQueries) SlowMode(channel snowflake.Channel, user snowflake.User) (SlowMode, error) {
	q.read(SlowModeSubject(channel, user))
	row, err := q.row(slowModesTable, key(channel), key(user))
	if err != nil {
		return SlowMode{}, err
	}
	return SlowMode{channel, user, fromMicros(row.int(2))}, nil
}

// EndedSlowModes returns up to limit slow modes that ended before a time.
func (q MessageQueries) EndedSlowModes(before time.Time, limit int) ([]SlowMode, error) {
	rows, err := q.limited(slowModesTable, limit, slowModesTable.all+" WHERE until < ? ORDER BY until", []any{micros(before)})
	if err != nil {
		return nil, err
	}
	var list []SlowMode
	for _, row := range rows {
		list = append(list, SlowMode{snowflake.Channel(row.int(0)), snowflake.User(row.int(1)), fromMicros(row.int(2))})
	}
	return list, nil
}
