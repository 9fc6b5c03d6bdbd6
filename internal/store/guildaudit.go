package store

import (
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// GuildEntry is an entry of the audit log of a guild. It is part of the change that it describes, and never changes. It
// belongs to no subject, so that concurrent changes do not wait for each other.
type GuildEntry struct {
	ID      uint64            `json:"id"` // a snowflake
	Guild   snowflake.Guild   `json:"guild"`
	User    snowflake.User    `json:"user,omitzero"`    // who did it; 0: unknown
	Action  int               `json:"action"`           // by its number in the API
	Target  snowflake.Target  `json:"target,omitzero"`  // 0: none
	Changes jsontext.Value    `json:"changes,omitzero"` // a list of objects; empty: none
	Options map[string]string `json:"options,omitzero"`
	Reason  string            `json:"reason,omitzero"`
}

func (GuildEntry) subjects() []Subject { return nil }

func (e GuildEntry) write(w *writes) {
	w.put(guildAuditTable, key(e.Guild), key(e.ID), key(e.User), int64(e.Action), key(e.Target), w.doc(e))
}

// GuildEntryKey names an entry of the audit log of a guild.
func GuildEntryKey(guild snowflake.Guild, id uint64) Key {
	return Key{rows: []rowKey{{guildAuditTable, []string{"guild_id", "id"}, []any{key(guild), key(id)}}}}
}

// GuildEntriesKey names all entries of the audit log of a guild.
func GuildEntriesKey(guild snowflake.Guild) Key {
	return Key{rows: []rowKey{{guildAuditTable, []string{"guild_id"}, []any{key(guild)}}}}
}

// GuildAuditFilter selects entries of the audit log of a guild. Empty fields select all.
type GuildAuditFilter struct {
	User   snowflake.User
	Action int
	Target snowflake.Target
	// Before and After are ids. Entries with ids in between are selected; 0 means no bound.
	Before, After uint64
	// Oldest returns the oldest entries first.
	Oldest bool
}

// OfGuild returns up to limit entries of a guild that a filter selects, newest first. It leaves out damaged entries. A
// decision does not depend on the result.
func (q AuditQueries) OfGuild(guild snowflake.Guild, f GuildAuditFilter, limit int) ([]GuildEntry, error) {
	condition, args := " WHERE guild_id = ? AND id > ?", []any{key(guild), key(f.After)}
	if f.Before != 0 {
		condition, args = condition+" AND id < ?", append(args, key(f.Before))
	}
	for _, c := range []struct {
		column string
		value  int64
	}{{"user_id", key(f.User)}, {"action", int64(f.Action)}, {"target_id", key(f.Target)}} {
		if c.value != 0 {
			condition, args = condition+" AND "+c.column+" = ?", append(args, c.value)
		}
	}
	order := " ORDER BY id DESC"
	if f.Oldest {
		order = " ORDER BY id"
	}
	rows, err := q.limited(guildAuditTable, limit, guildAuditTable.all+condition+order, args)
	if err != nil {
		return nil, err
	}
	return decodeAll[GuildEntry](guildAuditTable, rows)
}

// OutdatedOfGuilds returns up to limit entries of all guilds with ids below before, oldest first. Only their guilds and ids
// are set.
func (q AuditQueries) OutdatedOfGuilds(before uint64, limit int) ([]GuildEntry, error) {
	var found []GuildEntry
	const query = "SELECT guild_id, id FROM guild_audit WHERE id < ? ORDER BY id LIMIT ?"
	err := q.q.Query(query, []any{key(before), int64(max(limit, 0))}, func(row Row) error {
		found = append(found, GuildEntry{Guild: snowflake.Guild(row.int(0)), ID: uint64(row.int(1))})
		return nil
	})
	return found, err
}

// NthOfGuilds returns the id of the nth newest entry of all guilds, 0 when there are fewer.
func (q AuditQueries) NthOfGuilds(n int) (uint64, error) {
	found, err := ids[uint64](q.reader, "SELECT id FROM guild_audit WHERE id > 0 ORDER BY id DESC LIMIT 1 OFFSET ?", int64(n-1))
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}
