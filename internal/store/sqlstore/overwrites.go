package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectOverwrites   = "SELECT doc FROM overwrites WHERE application_id = ? AND guild_id = ? ORDER BY id"
	selectOverwritesIn = "SELECT doc FROM overwrites WHERE guild_id = ? ORDER BY application_id, id"
	upsertOverwrites   = "INSERT INTO overwrites (application_id, guild_id, id, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (application_id, guild_id, id) DO UPDATE SET doc = excluded.doc"
	deleteOverwrites = "DELETE FROM overwrites WHERE application_id = ? AND guild_id = ? AND id = ?"
)

// Overwrites returns the permission sets that an application has in a guild.
func (t *Tx) Overwrites(app snowflake.Application, guild snowflake.Guild) ([]store.OverwriteSet, error) {
	return list[store.OverwriteSet](t, selectOverwrites, key(app), key(guild))
}

// GuildOverwrites returns the permission sets of all applications in a guild.
func (t *Tx) GuildOverwrites(guild snowflake.Guild) ([]store.OverwriteSet, error) {
	return list[store.OverwriteSet](t, selectOverwritesIn, key(guild))
}

// PutOverwrites stores a permission set, or removes it when it is empty.
func (t *Tx) PutOverwrites(set store.OverwriteSet) error {
	if len(set.Entries) == 0 {
		err := t.do(deleteOverwrites, key(set.Application), key(set.Guild), key(set.ID))
		return err
	}
	return t.put(upsertOverwrites, set, key(set.Application), key(set.Guild), key(set.ID))
}

// DropOverwrites removes a command's permission sets in every guild.
func (t *Tx) DropOverwrites(id snowflake.Command) error {
	return deleteOverwriteOf.all(t, []any{key(id)})
}
