package sqlstore

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectRoles = "SELECT doc FROM roles WHERE guild_id = ? ORDER BY id"
	upsertRole  = "INSERT INTO roles (guild_id, id, doc) VALUES (?, ?, ?)" +
		" ON CONFLICT (guild_id, id) DO UPDATE SET doc = excluded.doc"
	deleteRole = "DELETE FROM roles WHERE guild_id = ? AND id = ?"

	selectChannel       = "SELECT doc FROM channels WHERE id = ?"
	selectChannels      = "SELECT doc FROM channels WHERE guild_id = ? ORDER BY id"
	selectDirectChannel = "SELECT doc FROM channels WHERE recipients = ? ORDER BY id LIMIT 1"
	selectDirectOf      = "SELECT c.doc FROM recipients r JOIN channels c ON c.id = r.channel_id" +
		" WHERE r.user_id = ? ORDER BY r.channel_id"
	upsertChannel = "INSERT INTO channels (id, guild_id, recipients, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET guild_id = excluded.guild_id, recipients = excluded.recipients, doc = excluded.doc"
	deleteChannel    = "DELETE FROM channels WHERE id = ?"
	deleteRecipients = "DELETE FROM recipients WHERE channel_id = ?"
	deleteChatFiles  = "DELETE FROM message_files WHERE message_id IN (SELECT id FROM messages WHERE channel_id = ?)"
	deleteChat       = "DELETE FROM messages WHERE channel_id = ?"
)

var insertRecipients = newMulti("INSERT INTO recipients (channel_id, user_id) VALUES ", "(?, ?)",
	" ON CONFLICT (channel_id, user_id) DO NOTHING")

// Roles returns the roles of a guild.
func (t *Tx) Roles(guild snowflake.Guild) ([]store.Role, error) {
	return list[store.Role](t, selectRoles, key(guild))
}

// PutRole stores a role.
func (t *Tx) PutRole(r store.Role) error { return t.put(upsertRole, r, key(r.Guild), key(r.ID)) }

// DeleteRole removes a role and its mention in members.
func (t *Tx) DeleteRole(guild snowflake.Guild, id snowflake.Role) error {
	members, err := list[store.Member](t, selectMembersWith, key(guild), key(id))
	if err != nil {
		return err
	}
	for _, m := range members {
		m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return r == id })
		if err := t.PutMember(m); err != nil {
			return err
		}
	}
	return t.do(deleteRole, key(guild), key(id))
}

// Channel returns a channel.
func (t *Tx) Channel(id snowflake.Channel) (store.Channel, error) {
	return find[store.Channel](t, selectChannel, key(id))
}

// Channels returns the channels of a guild.
func (t *Tx) Channels(guild snowflake.Guild) ([]store.Channel, error) {
	if guild == 0 {
		return nil, t.failed // direct-message channels are no guild's
	}
	return list[store.Channel](t, selectChannels, key(guild))
}

// DirectChannel returns the direct-message channel between exactly these users.
func (t *Tx) DirectChannel(recipients []snowflake.User) (store.Channel, error) {
	return find[store.Channel](t, selectDirectChannel, joined(recipients))
}

// DirectChannels returns a user's direct-message channels.
func (t *Tx) DirectChannels(user snowflake.User) ([]store.Channel, error) {
	return list[store.Channel](t, selectDirectOf, key(user))
}

// PutChannel stores a channel.
func (t *Tx) PutChannel(c store.Channel) error {
	if err := t.do(deleteRecipients, key(c.ID)); err != nil {
		return err
	}
	var recipients any // NULL
	if c.Guild == 0 {
		recipients = joined(c.Recipients)
		args := make([]any, 0, 2*len(c.Recipients))
		for _, user := range c.Recipients {
			args = append(args, key(c.ID), key(user))
		}
		if err := insertRecipients.all(t, args); err != nil {
			return err
		}
	}
	return t.put(upsertChannel, c, key(c.ID), key(c.Guild), recipients)
}

// DeleteChannel removes a channel with its messages.
func (t *Tx) DeleteChannel(id snowflake.Channel) error {
	return t.execEach([]string{deleteChannel, deleteRecipients, deleteChatFiles, deleteChat}, key(id))
}

// joined returns ids in a form that is equal exactly when they are.
func joined(users []snowflake.User) string {
	var b []byte
	for i, user := range users {
		if i > 0 {
			b = append(b, ',')
		}
		b = user.Append(b)
	}
	return string(b)
}
