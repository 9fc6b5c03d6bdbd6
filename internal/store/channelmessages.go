package store

import (
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// ChannelMessages describes the messages of a channel as a whole, without ephemeral ones.
type ChannelMessages struct {
	Channel snowflake.Channel
	Guild   snowflake.Guild // 0 for a direct-message channel
	Last    snowflake.Message
	Count   int       // how many there are
	Sent    int       // how many there ever were
	Pins    int       // how many are pinned
	LastPin time.Time // when the newest pin was made; zero: there was none
}

func (c ChannelMessages) subjects() []Subject { return []Subject{MessagesSubject(c.Channel)} }

func (c ChannelMessages) write(w *writes) {
	w.put(channelMessagesTable, key(c.Channel), key(c.Guild), key(c.Last), int64(c.Count), int64(c.Sent), int64(c.Pins), microsOrNull(c.LastPin))
}

// ChannelMessagesKey names the record of a channel's messages. The messages have separate keys.
func ChannelMessagesKey(channel snowflake.Channel) Key {
	return Key{
		ends: []Subject{MessagesSubject(channel)},
		rows: []rowKey{{channelMessagesTable, []string{"channel_id"}, []any{key(channel)}}},
	}
}

// Channel returns what is known about the messages of a channel.
func (q MessageQueries) Channel(id snowflake.Channel) (ChannelMessages, error) {
	q.read(MessagesSubject(id))
	row, err := q.row(channelMessagesTable, key(id))
	if err != nil {
		return ChannelMessages{}, err
	}
	return channelMessages(row), nil
}

func channelMessages(row Row) ChannelMessages {
	c := ChannelMessages{
		Channel: snowflake.Channel(row.int(0)), Guild: snowflake.Guild(row.int(1)), Last: snowflake.Message(row.int(2)),
		Count: int(row.int(3)), Sent: int(row.int(4)), Pins: int(row.int(5)),
	}
	if row[6] != nil {
		c.LastPin = fromMicros(row.int(6))
	}
	return c
}

// channelsPerQuery is the number of channels that one query of OfChannels reads. The number is fixed, so that all queries are
// the same statement.
const channelsPerQuery = 100

// OfChannels returns what is known about the messages of channels, by channel. It leaves out channels without messages. A
// decision does not depend on the result.
func (q MessageQueries) OfChannels(ids ...snowflake.Channel) (map[snowflake.Channel]ChannelMessages, error) {
	found := make(map[snowflake.Channel]ChannelMessages, len(ids))
	query := channelMessagesTable.all + " WHERE channel_id IN (?" + strings.Repeat(", ?", channelsPerQuery-1) + ")"
	for part := range slices.Chunk(ids, channelsPerQuery) {
		args := make([]any, channelsPerQuery)
		for i := range args {
			args[i] = key(part[min(i, len(part)-1)]) // the last id fills the rest
		}
		rows, err := q.intact(channelMessagesTable, true, query, args)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			c := channelMessages(row)
			found[c.Channel] = c
		}
	}
	return found, nil
}

// Pin is a pinned message of a channel. No two pins of a channel have the same time.
type Pin struct {
	Channel snowflake.Channel
	Message snowflake.Message
	At      time.Time
}

func (p Pin) subjects() []Subject { return []Subject{MessagesSubject(p.Channel)} }

func (p Pin) write(w *writes) { w.put(pinsTable, key(p.Channel), micros(p.At), key(p.Message)) }

// PinKey names the pin of a message.
func PinKey(channel snowflake.Channel, id snowflake.Message) Key {
	return Key{
		subs: []Subject{MessagesSubject(channel)},
		rows: []rowKey{{pinsTable, []string{"channel_id", "message_id"}, []any{key(channel), key(id)}}},
	}
}

// Pins returns the pins of a channel, the oldest first.
func (q MessageQueries) Pins(channel snowflake.Channel) ([]Pin, error) {
	q.read(MessagesSubject(channel))
	rows, err := q.rows(pinsTable, page{}, []string{"channel_id"}, key(channel))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]Pin, len(rows))
	for i, row := range rows {
		list[i] = Pin{Channel: channel, Message: snowflake.Message(row.int(2)), At: fromMicros(row.int(1))}
	}
	return list, nil
}

// Reaction is the reaction of a user to a message. The message has the number of each emoji.
type Reaction struct {
	Channel snowflake.Channel // of the message
	Message snowflake.Message
	Emoji   string // Emoji.Key
	User    snowflake.User
}

func (r Reaction) subjects() []Subject { return []Subject{MessagesSubject(r.Channel)} }

func (r Reaction) write(w *writes) { w.put(reactionsTable, key(r.Message), r.Emoji, key(r.User)) }

// ReactionKey names a reaction.
func ReactionKey(r Reaction) Key {
	return Key{subs: r.subjects(), rows: []rowKey{{
		reactionsTable, []string{"message_id", "emoji", "user_id"}, []any{key(r.Message), r.Emoji, key(r.User)},
	}}}
}

// ReactionsKey names the reactions to a message with one emoji, or with any if emoji is empty.
func ReactionsKey(channel snowflake.Channel, id snowflake.Message, emoji string) Key {
	k := rowKey{reactionsTable, []string{"message_id"}, []any{key(id)}}
	if emoji != "" {
		k = rowKey{reactionsTable, []string{"message_id", "emoji"}, []any{key(id), emoji}}
	}
	return Key{subs: []Subject{MessagesSubject(channel)}, rows: []rowKey{k}}
}

// Reacted reports whether a user reacted to a message with an emoji.
func (q MessageQueries) Reacted(id snowflake.Message, emoji string, user snowflake.User) (bool, error) {
	_, err := q.row(reactionsTable, key(id), emoji, key(user))
	return err == nil, except(err, ErrNotFound)
}

// Reactors returns up to limit users with ids above after who reacted to a message with an emoji.
func (q MessageQueries) Reactors(id snowflake.Message, emoji string, after snowflake.User, limit int) ([]snowflake.User, error) {
	rows, err := q.rows(reactionsTable, page{"user_id", key(after), limit}, []string{"message_id", "emoji"}, key(id), emoji)
	return users(rows, 2), err
}

// users returns the users in a column.
func users(rows []Row, column int) []snowflake.User {
	var list []snowflake.User
	for _, row := range rows {
		list = append(list, snowflake.User(row.int(column)))
	}
	return list
}
