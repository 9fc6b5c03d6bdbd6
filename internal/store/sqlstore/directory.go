package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectUser  = "SELECT doc FROM users WHERE id = ?"
	selectUsers = "SELECT doc FROM users WHERE id > ? ORDER BY id LIMIT ?"
	upsertUser  = "INSERT INTO users (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc"

	selectApplication  = "SELECT doc FROM applications WHERE id = ?"
	selectApplications = "SELECT doc FROM applications WHERE id > ? ORDER BY id LIMIT ?"
	upsertApplication  = "INSERT INTO applications (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc"

	selectGuild  = "SELECT doc FROM guilds WHERE id = ?"
	selectGuilds = "SELECT doc FROM guilds WHERE id > ? ORDER BY id LIMIT ?"
	upsertGuild  = "INSERT INTO guilds (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc"
)

// What goes with a thing, given its id. Rows that are found through others go before them.
var (
	deleteMemberships = []string{
		"DELETE FROM member_roles WHERE (guild_id, user_id) IN (SELECT guild_id, user_id FROM members WHERE user_id = ?)",
		"DELETE FROM members WHERE user_id = ?",
	}
	deleteUser = []string{
		"DELETE FROM users WHERE id = ?",
		"DELETE FROM installs WHERE guild_id = 0 AND user_id = ?",
		"DELETE FROM message_files WHERE message_id IN (SELECT m.id FROM messages m JOIN recipients r ON r.channel_id = m.channel_id WHERE r.user_id = ?)",
		"DELETE FROM messages WHERE channel_id IN (SELECT channel_id FROM recipients WHERE user_id = ?)",
		"DELETE FROM channels WHERE id IN (SELECT channel_id FROM recipients WHERE user_id = ?)",
		"DELETE FROM recipients WHERE channel_id IN (SELECT channel_id FROM recipients WHERE user_id = ?)",
		"DELETE FROM credentials WHERE user_id = ?",
		"UPDATE lobbies SET revision = revision + 1 WHERE id IN (SELECT lobby_id FROM lobby_members WHERE user_id = ?)",
		"DELETE FROM lobby_members WHERE user_id = ?",
		"DELETE FROM oauth_codes WHERE user_id = ?",
		"DELETE FROM oauth_grants WHERE user_id = ?",
		"DELETE FROM oauth_consents WHERE user_id = ?",
		"DELETE FROM oauth_devices WHERE user_id = ?",
		"DELETE FROM oauth_sessions WHERE user_id = ?",
		"DELETE FROM oauth_accounts WHERE user_id = ?",
		"DELETE FROM lobby_invites WHERE user_id = ?",
	}
	deleteApplication = []string{
		"DELETE FROM applications WHERE id = ?",
		"DELETE FROM installs WHERE application_id = ?",
		"DELETE FROM commands WHERE application_id = ?",
		"DELETE FROM scopes WHERE application_id = ?",
		"DELETE FROM overwrites WHERE application_id = ?",
		"DELETE FROM credentials WHERE application_id = ?",
		"DELETE FROM lobby_secrets WHERE application_id = ?",
		"DELETE FROM oauth_codes WHERE application_id = ?",
		"DELETE FROM oauth_grants WHERE application_id = ?",
		"DELETE FROM oauth_consents WHERE application_id = ?",
		"DELETE FROM oauth_devices WHERE application_id = ?",
	}
	deleteGuild = []string{
		"DELETE FROM guilds WHERE id = ?",
		"DELETE FROM roles WHERE guild_id = ?",
		"DELETE FROM message_files WHERE message_id IN (SELECT m.id FROM messages m JOIN channels c ON c.id = m.channel_id WHERE c.guild_id = ?)",
		"DELETE FROM messages WHERE channel_id IN (SELECT id FROM channels WHERE guild_id = ?)",
		"DELETE FROM channels WHERE guild_id = ?",
		"DELETE FROM members WHERE guild_id = ?",
		"DELETE FROM member_roles WHERE guild_id = ?",
		"DELETE FROM installs WHERE guild_id = ?",
		"DELETE FROM commands WHERE (application_id, guild_id) IN (SELECT application_id, guild_id FROM scopes WHERE guild_id = ?)",
		"DELETE FROM scopes WHERE guild_id = ?",
		"DELETE FROM overwrites WHERE guild_id = ?",
	}
	deleteAll = []string{
		"DELETE FROM scopes", "DELETE FROM commands", "DELETE FROM overwrites",
		"DELETE FROM users", "DELETE FROM applications", "DELETE FROM guilds", "DELETE FROM roles",
		"DELETE FROM channels", "DELETE FROM recipients", "DELETE FROM members", "DELETE FROM member_roles",
		"DELETE FROM installs", "DELETE FROM credentials",
		"DELETE FROM lobbies", "DELETE FROM lobby_members", "DELETE FROM lobby_secrets", "DELETE FROM lobby_messages",
		"DELETE FROM interactions", "DELETE FROM messages", "DELETE FROM message_files", "DELETE FROM activities",
		"DELETE FROM oauth_codes", "DELETE FROM oauth_grants", "DELETE FROM oauth_consents", "DELETE FROM oauth_devices",
		"DELETE FROM oauth_keys", "DELETE FROM oauth_sessions", "DELETE FROM oauth_accounts",
		"DELETE FROM lobby_invites",
	}
)

// User returns a person.
func (t *Tx) User(id snowflake.User) (store.User, error) {
	return find[store.User](t, selectUser, key(id))
}

// Users returns a page of people.
func (t *Tx) Users(after snowflake.User, limit int) ([]store.User, error) {
	return page[store.User](t, limit, selectUsers, key(after))
}

// PutUser stores a person.
func (t *Tx) PutUser(u store.User) error { return t.put(upsertUser, u, key(u.ID)) }

// DeleteUser removes a person with memberships, installs, direct-message channels, places in lobbies and credentials.
func (t *Tx) DeleteUser(id snowflake.User) error {
	if id == 0 {
		return t.failed // names nobody, but stands in every row that belongs to nobody
	}
	t.roll.Clear()
	if err := t.execEach(deleteMemberships, key(id)); err != nil {
		return err
	}
	return t.execEach(deleteUser, key(id))
}

// Application returns an app.
func (t *Tx) Application(id snowflake.Application) (store.Application, error) {
	return find[store.Application](t, selectApplication, key(id))
}

// Applications returns a page of apps.
func (t *Tx) Applications(after snowflake.Application, limit int) ([]store.Application, error) {
	return page[store.Application](t, limit, selectApplications, key(after))
}

// PutApplication stores an app.
func (t *Tx) PutApplication(a store.Application) error { return t.put(upsertApplication, a, key(a.ID)) }

// DeleteApplication removes an app with installs, commands, permission sets, lobbies, credentials and its bot's
// memberships.
func (t *Tx) DeleteApplication(id snowflake.Application) error {
	if id == 0 {
		return t.failed
	}
	if err := t.execEach(deleteMemberships, key(id)); err != nil {
		return err
	}
	if err := t.deleteLobbies(id); err != nil {
		return err
	}
	return t.execEach(deleteApplication, key(id))
}

// Guild returns a guild.
func (t *Tx) Guild(id snowflake.Guild) (store.Guild, error) {
	return find[store.Guild](t, selectGuild, key(id))
}

// Guilds returns a page of guilds.
func (t *Tx) Guilds(after snowflake.Guild, limit int) ([]store.Guild, error) {
	return page[store.Guild](t, limit, selectGuilds, key(after))
}

// PutGuild stores a guild.
func (t *Tx) PutGuild(g store.Guild) error { return t.put(upsertGuild, g, key(g.ID)) }

// DeleteGuild removes a guild with roles, channels, members, installs, commands and permission sets.
func (t *Tx) DeleteGuild(id snowflake.Guild) error {
	if id == 0 {
		return t.failed // names no guild, but stands in every global command
	}
	return t.execEach(deleteGuild, key(id))
}

// Clear removes every record but the nodes.
func (t *Tx) Clear() error {
	t.roll.Clear()
	return t.execEach(deleteAll)
}
