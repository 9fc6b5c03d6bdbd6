package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Crosspost is a published message whose copies have to change: they are created, edited, or they lose their content because the
// message was deleted.
type Crosspost struct {
	Message snowflake.Message
	Channel snowflake.Channel // of the message
	After   snowflake.Webhook // the copies of webhooks up to this one are done
	Fresh   bool              // webhooks that follow the channel and have no copy get one
	Due     time.Time
}

func (p Crosspost) subjects() []Subject { return []Subject{CrosspostSubject(p.Message)} }

func (p Crosspost) write(w *writes) {
	w.put(crosspostsTable, key(p.Message), key(p.Channel), key(p.After), flag(p.Fresh), micros(p.Due))
}

// CrosspostKey names a published message whose copies have to change.
func CrosspostKey(id snowflake.Message) Key {
	return Key{
		ends: []Subject{CrosspostSubject(id)},
		rows: []rowKey{{crosspostsTable, []string{"message_id"}, []any{key(id)}}},
	}
}

// Copy is a copy of a published message in a channel that follows the channel of the message. MessageKey removes it with the
// copied message.
type Copy struct {
	Source  snowflake.Message // the published message
	Webhook snowflake.Webhook
	Channel snowflake.Channel
	Message snowflake.Message
}

func (c Copy) subjects() []Subject { return []Subject{CrosspostSubject(c.Source)} }

func (c Copy) write(w *writes) {
	w.put(copiesTable, key(c.Source), key(c.Webhook), key(c.Channel), key(c.Message))
}

// CopiesKey names the copies of a published message. Its deletion keeps the copied messages.
func CopiesKey(source snowflake.Message) Key {
	return Key{
		ends: []Subject{CrosspostSubject(source)},
		rows: []rowKey{{copiesTable, []string{"source_id"}, []any{key(source)}}},
	}
}

// Crosspost returns a published message whose copies have to change.
func (q MessageQueries) Crosspost(id snowflake.Message) (Crosspost, error) {
	q.read(CrosspostSubject(id))
	row, err := q.row(crosspostsTable, key(id))
	if err != nil {
		return Crosspost{}, err
	}
	return Crosspost{
		Message: id, Channel: snowflake.Channel(row.int(1)), After: snowflake.Webhook(row.int(2)), Fresh: row.int(3) != 0,
		Due: fromMicros(row.int(4)),
	}, nil
}

// DueCrossposts returns up to limit published messages whose copies have to change, ordered by Due.
func (q MessageQueries) DueCrossposts(limit int) ([]DueRecord[snowflake.Message], error) {
	return dueRecords[snowflake.Message](q.reader, "SELECT message_id, due FROM crossposts WHERE due >= 0 ORDER BY due LIMIT ?", limit)
}

// Copy returns the copy of a published message by a webhook.
func (q MessageQueries) Copy(source snowflake.Message, webhook snowflake.Webhook) (Copy, error) {
	q.read(CrosspostSubject(source))
	row, err := q.row(copiesTable, key(source), key(webhook))
	if err != nil {
		return Copy{}, err
	}
	return copyOf(row), nil
}

// copyOf returns the copy in a row.
func copyOf(row Row) Copy {
	return Copy{
		snowflake.Message(row.int(0)), snowflake.Webhook(row.int(1)), snowflake.Channel(row.int(2)), snowflake.Message(row.int(3)),
	}
}

// Copies returns up to limit copies of a published message, of webhooks with ids above after.
func (q MessageQueries) Copies(source snowflake.Message, after snowflake.Webhook, limit int) ([]Copy, error) {
	rows, err := q.rows(copiesTable, page{"webhook_id", key(after), limit}, []string{"source_id"}, key(source))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]Copy, len(rows))
	for i, row := range rows {
		list[i] = copyOf(row)
	}
	return list, nil
}

// Followers returns up to limit webhooks with ids above after that repeat the published messages of a channel.
func (q WebhookQueries) Followers(channel snowflake.Channel, after snowflake.Webhook, limit int) ([]snowflake.Webhook, error) {
	return ids[snowflake.Webhook](q.reader,
		"SELECT webhook_id FROM followers WHERE channel_id = ? AND webhook_id > ? ORDER BY webhook_id LIMIT ?",
		key(channel), key(after), int64(max(limit, 0)))
}
