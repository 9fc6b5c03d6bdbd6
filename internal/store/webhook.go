package store

import "github.com/bellhop/bellhop/snowflake"

// Webhook is a webhook of a channel. Its token follows from its id and Salt, so it is not stored.
type Webhook struct {
	ID          snowflake.Webhook     `json:"id"`
	Type        int                   `json:"type"`
	Guild       snowflake.Guild       `json:"guild"`
	Channel     snowflake.Channel     `json:"channel"`
	Application snowflake.Application `json:"application,omitzero"` // that created it; 0: a user did
	User        snowflake.User        `json:"user,omitzero"`        // who created it
	Name        string                `json:"name"`
	Avatar      string                `json:"avatar,omitzero"` // the hash of an image; empty: none
	Salt        []byte                `json:"salt,omitzero"`
	// SourceGuild and SourceChannel are the announcement channel that a follower repeats.
	SourceGuild   snowflake.Guild   `json:"source_guild,omitzero"`
	SourceChannel snowflake.Channel `json:"source_channel,omitzero"`
}

func (h Webhook) subjects() []Subject {
	return []Subject{WebhookSubject(h.ID), WebhooksSubject(h.Channel)}
}

func (h Webhook) write(w *writes) {
	if h.SourceChannel != 0 {
		w.put(followersTable, key(h.SourceChannel), key(h.ID))
	}
	w.put(webhooksTable, key(h.ID), key(h.Guild), key(h.Channel), w.doc(h))
}

// WebhookKey names a webhook.
func WebhookKey(h Webhook) Key {
	return Key{
		subs: []Subject{WebhooksSubject(h.Channel)}, ends: []Subject{WebhookSubject(h.ID)},
		rows: []rowKey{
			{followersTable, []string{"webhook_id"}, []any{key(h.ID)}},
			{webhooksTable, []string{"id"}, []any{key(h.ID)}},
		},
	}
}

// WebhookQueries reads the webhooks of channels.
type WebhookQueries struct{ *reader }

// Webhook returns a webhook.
func (q WebhookQueries) Webhook(id snowflake.Webhook) (Webhook, error) {
	q.read(WebhookSubject(id))
	return find[Webhook](q.reader, webhooksTable, key(id))
}

// OfChannel returns the webhooks of a channel.
func (q WebhookQueries) OfChannel(channel snowflake.Channel) ([]Webhook, error) {
	q.read(WebhooksSubject(channel))
	return list[Webhook](q.reader, webhooksTable, page{}, []string{"channel_id"}, key(channel))
}

// OfGuild returns the webhooks of a guild. A decision does not depend on the result.
func (q WebhookQueries) OfGuild(guild snowflake.Guild) ([]Webhook, error) {
	return list[Webhook](q.reader, webhooksTable, page{}, []string{"guild_id"}, key(guild))
}
