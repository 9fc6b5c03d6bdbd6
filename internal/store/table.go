package store

import (
	"slices"
	"strings"
)

// table is a table of the schema. The first keys columns are its primary key. The column checksum follows the others.
type table struct {
	name    string
	columns []string // without checksum
	keys    int

	upsert string // stores a row and replaces the row with the same key
	all    string // selects all columns and the checksum, without a condition
}

// newTable returns a table. An exclamation mark after the name of a column says that the column never changes. An
// upsert does not write such a column to an existing row, so the engine does not update its indexes. A column that a
// later migration adds must not be part of the checksum: nodes of the version before do not write it.
func newTable(name string, keys int, columns ...string) *table {
	t := &table{name: name, keys: keys}
	var changing []string
	for i, c := range columns {
		column, fixed := strings.CutSuffix(c, "!")
		t.columns = append(t.columns, column)
		if i >= keys && !fixed {
			changing = append(changing, column+" = excluded."+column)
		}
	}
	update := "NOTHING"
	if len(changing) > 0 {
		update = "UPDATE SET " + strings.Join(changing, ", ") + ", checksum = excluded.checksum"
	}
	t.upsert = "INSERT INTO " + name + " (" + strings.Join(t.columns, ", ") + ", checksum) VALUES (?" + strings.Repeat(", ?", len(columns)) +
		") ON CONFLICT (" + strings.Join(t.columns[:keys], ", ") + ") DO " + update
	t.all = "SELECT " + strings.Join(t.columns, ", ") + ", checksum FROM " + name
	return t
}

// deleteBy returns the statement that removes the rows whose columns have given values.
func (t *table) deleteBy(columns []string) string {
	return "DELETE FROM " + t.name + where(columns)
}

// selectBy returns the query for the rows whose columns have given values, in the order of the key.
func (t *table) selectBy(columns []string) string {
	return t.all + where(columns)
}

func (t *table) orderByKey() string { return " ORDER BY " + strings.Join(t.columns[:t.keys], ", ") }

func where(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(columns, " = ? AND ") + " = ?"
}

func (t *table) column(name string) int {
	for i, c := range t.columns {
		if c == name {
			return i
		}
	}
	panic("table " + t.name + " has no column " + name)
}

// The tables. Their columns are described in the schema.
var (
	scopesTable      = newTable("scopes", 2, "application_id", "guild_id", "quota_since", "quota_used", "commands")
	commandsTable    = newTable("commands", 1, "id", "application_id!", "guild_id!", "type", "name", "version", "doc", "closed")
	overwritesTable  = newTable("overwrites", 3, "application_id", "guild_id", "id", "doc")
	usersTable       = newTable("users", 1, "id", "doc")
	appsTable        = newTable("applications", 1, "id", "doc")
	guildsTable      = newTable("guilds", 1, "id", "doc")
	rolesTable       = newTable("roles", 2, "guild_id", "id", "doc")
	channelsTable    = newTable("channels", 1, "id", "guild_id", "recipients", "doc", "parent_id", "archived", "due")
	recipientsTable  = newTable("recipients", 2, "channel_id", "user_id")
	membersTable     = newTable("members", 2, "guild_id", "user_id", "doc")
	memberRolesTable = newTable("member_roles", 3, "guild_id", "user_id", "role_id")
	bansTable        = newTable("bans", 2, "guild_id", "user_id", "doc")
	installsTable    = newTable("installs", 3, "guild_id", "user_id", "application_id", "doc")
	credentialsTable = newTable("credentials", 1, "hash", "kind", "application_id", "user_id", "expires", "doc")
	listenersTable   = newTable("listeners", 2, "application_id", "node", "until")
	nodesTable       = newTable("nodes", 1, "number", "holder", "until", "ceiling")

	lobbiesTable = newTable("lobbies", 1, "id", "application_id!", "due", "idle_since", "timeout", "flags", "secret",
		"channel_id", "metadata", "webhooks_url", "members")
	lobbyMembersTable  = newTable("lobby_members", 2, "lobby_id", "user_id", "application_id!", "position", "flags", "metadata", "name")
	secretsTable       = newTable("lobby_secrets", 2, "application_id", "hash", "lobby_id", "created")
	lobbyMessagesTable = newTable("lobby_messages", 1, "id", "lobby_id", "application_id", "author_id", "channel_id", "content",
		"name", "moderation")
	invitesTable = newTable("lobby_invites", 1, "hash", "lobby_id", "application_id", "channel_id", "user_id", "expires")

	interactionsTable = newTable("interactions", 1, "id", "application_id!", "user_id!", "hash!", "due", "status", "answer",
		"follow_ups", "deleted", "original_id", "modal", "doc")
	messagesTable     = newTable("messages", 1, "id", "channel_id!", "ephemeral!", "doc")
	messageFilesTable = newTable("message_files", 1, "attachment_id", "message_id")
	activitiesTable   = newTable("activities", 1, "launch_id", "doc")

	channelMessagesTable = newTable("channel_messages", 1, "channel_id", "guild_id!", "last_message_id", "messages", "sent", "pins", "last_pin")
	pinsTable            = newTable("pins", 2, "channel_id", "pinned", "message_id")
	reactionsTable       = newTable("reactions", 3, "message_id", "emoji", "user_id")
	pollsTable           = newTable("polls", 1, "message_id", "channel_id", "due")
	pollVotesTable       = newTable("poll_votes", 3, "message_id", "answer", "user_id")
	slowModesTable       = newTable("slow_modes", 2, "channel_id", "user_id", "until")
	threadMembersTable   = newTable("thread_members", 2, "thread_id", "user_id", "joined")
	webhooksTable        = newTable("webhooks", 1, "id", "guild_id", "channel_id", "doc")
	followersTable       = newTable("followers", 2, "channel_id", "webhook_id")
	crosspostsTable      = newTable("crossposts", 1, "message_id", "channel_id", "after", "fresh", "due")
	copiesTable          = newTable("crosspost_copies", 2, "source_id", "webhook_id", "channel_id", "message_id")
	guildInvitesTable    = newTable("invites", 1, "code", "guild_id", "channel_id", "expires", "doc")

	codesTable       = newTable("oauth_codes", 1, "hash", "application_id", "user_id", "until", "doc")
	grantsTable      = newTable("oauth_grants", 1, "id", "application_id", "user_id", "until", "doc")
	consentsTable    = newTable("oauth_consents", 2, "application_id", "user_id", "doc")
	devicesTable     = newTable("oauth_devices", 1, "hash", "user_code", "application_id", "user_id", "until", "doc")
	keysTable        = newTable("oauth_keys", 1, "id", "created", "doc")
	serviceKeysTable = newTable("service_keys", 1, "name", "doc")
	sessionsTable    = newTable("oauth_sessions", 1, "hash", "user_id", "until", "doc", "provider")
	assertionsTable  = newTable("oauth_assertions", 1, "hash", "until", "doc")
	noncesTable      = newTable("nonces", 1, "hash", "interaction_id")
	accountsTable    = newTable("oauth_accounts", 2, "issuer", "subject", "user_id", "doc")

	identitiesTable = newTable("identities", 1, "hash", "application_id", "user_id", "doc")
	transfersTable  = newTable("transfers", 2, "application_id", "user_id", "doc")

	tombstonesTable  = newTable("tombstones", 3, "kind", "id", "guild_id")
	auditTable       = newTable("audit", 1, "id", "actor!", "action!", "target!", "doc!")
	auditSealsTable  = newTable("audit_seals", 1, "number", "first_id", "last_id", "doc")
	guildAuditTable  = newTable("guild_audit", 2, "guild_id", "id", "user_id!", "action!", "target_id!", "doc!")
	storedFilesTable = newTable("stored_files", 1, "attachment_id", "application_id", "guild_id", "size")
	emojisTable      = newTable("emojis", 1, "id", "guild_id!", "application_id!", "doc")
	lastDaysTable    = newTable("last_days", 1, "user_id", "day")
	outboxTable      = newTable("outbox", 1, "id", "queue", "lane", "revision", "due", "attempts", "payload")
	imagesTable      = newTable("images", 2, "place", "hash", "attachment_id", "guild_id", "content_type")

	eventFailuresTable = newTable("event_failures", 1, "application_id", "count", "at", "why")

	scheduledEventsTable     = newTable("scheduled_events", 1, "id", "guild_id!", "due", "doc")
	scheduledEventUsersTable = newTable("scheduled_event_users", 2, "event_id", "user_id")

	entitlementsTable    = newTable("entitlements", 1, "id", "application_id!", "sku_id!", "user_id!", "guild_id!", "ends", "deleted", "doc")
	subscriptionsTable   = newTable("subscriptions", 1, "id", "application_id!", "sku_id!", "user_id!", "due", "doc")
	roleConnectionsTable = newTable("role_connections", 2, "application_id", "user_id", "doc")
)

// memberCountsTable counts the rows of members. Triggers write it, so it is not in allTables, and has no checksums.
var memberCountsTable = newTable("member_counts", 2, "guild_id", "slot", "members")

// allTables are the tables whose rows Clear removes.
var allTables = []*table{
	scopesTable, commandsTable, overwritesTable, usersTable, appsTable, guildsTable, rolesTable, channelsTable, recipientsTable,
	membersTable, memberRolesTable, installsTable, credentialsTable, lobbiesTable, lobbyMembersTable, secretsTable, lobbyMessagesTable,
	invitesTable, interactionsTable, messagesTable, messageFilesTable, activitiesTable, codesTable, grantsTable, consentsTable,
	devicesTable, keysTable, serviceKeysTable, sessionsTable, assertionsTable, noncesTable, accountsTable, tombstonesTable, listenersTable, auditTable, storedFilesTable,
	channelMessagesTable, pinsTable, reactionsTable, pollsTable, pollVotesTable, slowModesTable, threadMembersTable, webhooksTable, guildInvitesTable,
	guildAuditTable, bansTable,
	followersTable, crosspostsTable, copiesTable, auditSealsTable,
	imagesTable, emojisTable, lastDaysTable, outboxTable,
	identitiesTable, transfersTable, eventFailuresTable,
	scheduledEventsTable, scheduledEventUsersTable,
	entitlementsTable, subscriptionsTable, roleConnectionsTable,
}

// Table describes a table of the schema, for tools that copy or check whole databases.
type Table struct {
	Name     string
	Columns  []string // without checksum
	Keys     int      // the first Keys columns are the primary key
	Checksum bool     // the table has a column checksum after the others
}

// Tables returns the tables that hold the state of a service: all but the events on their way to other nodes and the
// version of the schema.
func Tables() []Table {
	list := []Table{{Name: "subjects", Columns: []string{"kind", "a", "b", "revision"}, Keys: 3}}
	for _, t := range append(slices.Clone(allTables), nodesTable) {
		list = append(list, Table{Name: t.name, Columns: slices.Clone(t.columns), Keys: t.keys, Checksum: true})
	}
	return list
}
