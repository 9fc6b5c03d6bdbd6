package store

import (
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Ban keeps a user or bot out of a guild.
type Ban struct {
	Guild  snowflake.Guild `json:"guild"`
	User   snowflake.User  `json:"user"`
	Reason string          `json:"reason,omitzero"`
}

func (b Ban) subjects() []Subject { return []Subject{BanSubject(b.Guild, b.User)} }

func (b Ban) write(w *writes) { w.put(bansTable, key(b.Guild), key(b.User), w.doc(b)) }

// BanKey names a ban.
func BanKey(guild snowflake.Guild, user snowflake.User) Key {
	return Key{
		ends: []Subject{BanSubject(guild, user)},
		rows: []rowKey{{bansTable, []string{"guild_id", "user_id"}, []any{key(guild), key(user)}}},
	}
}

// Ban returns the ban of a user from a guild.
func (q DirectoryQueries) Ban(guild snowflake.Guild, user snowflake.User) (Ban, error) {
	q.read(BanSubject(guild, user))
	return find[Ban](q.reader, bansTable, key(guild), key(user))
}

// Bans returns a page of the bans of a guild, ordered by user.
func (q DirectoryQueries) Bans(guild snowflake.Guild, after snowflake.User, limit int) ([]Ban, error) {
	return list[Ban](q.reader, bansTable, page{"user_id", key(after), limit}, []string{"guild_id"}, key(guild))
}

// BansBefore returns the last limit bans of a guild with user ids below before, ordered by user. A decision does not see
// its own bans in the result.
func (q DirectoryQueries) BansBefore(guild snowflake.Guild, before snowflake.User, limit int) ([]Ban, error) {
	query := bansTable.all + " WHERE guild_id = ? AND user_id < ? ORDER BY user_id DESC"
	rows, err := q.limited(bansTable, limit, query, []any{key(guild), key(before)})
	if err != nil {
		return nil, err
	}
	slices.Reverse(rows)
	return decodeAll[Ban](bansTable, rows)
}

// BansOf returns up to limit bans of a user.
func (q DirectoryQueries) BansOf(user snowflake.User, limit int) ([]Ban, error) {
	return list[Ban](q.reader, bansTable, page{"guild_id", 0, limit}, []string{"user_id"}, key(user))
}
