package store

import "github.com/bellhop/bellhop/snowflake"

// CustomEmoji is an emoji of a guild or of an application. Exactly one of Guild and Application is set.
type CustomEmoji struct {
	ID          snowflake.Emoji       `json:"id"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	Application snowflake.Application `json:"application,omitzero"`
	Name        string                `json:"name"`
	Animated    bool                  `json:"animated,omitzero"`
	Roles       []snowflake.Role      `json:"roles,omitzero"` // that can use it; empty: every member
	User        snowflake.User        `json:"user,omitzero"`  // who created it
	Image       string                `json:"image"`          // the hash of the image
}

func (e CustomEmoji) subjects() []Subject {
	if e.Guild != 0 {
		return []Subject{GuildSubject(e.Guild)}
	}
	return []Subject{ApplicationSubject(e.Application)}
}

func (e CustomEmoji) write(w *writes) {
	w.put(emojisTable, key(e.ID), key(e.Guild), key(e.Application), w.doc(e))
}

// EmojiKey names an emoji. e has at least its id and its guild or application.
func EmojiKey(e CustomEmoji) Key {
	return Key{subs: e.subjects(), rows: []rowKey{{emojisTable, []string{"id"}, []any{key(e.ID)}}}}
}

// Emoji returns an emoji of a guild or of an application. A decision depends on the guild or the application.
func (q DirectoryQueries) Emoji(id snowflake.Emoji) (CustomEmoji, error) {
	e, err := find[CustomEmoji](q.reader, emojisTable, key(id))
	if err == nil {
		q.read(e.subjects()[0])
	}
	return e, err
}

// Emojis returns the emojis of a guild.
func (q DirectoryQueries) Emojis(guild snowflake.Guild) ([]CustomEmoji, error) {
	q.read(GuildSubject(guild))
	return list[CustomEmoji](q.reader, emojisTable, page{}, []string{"guild_id"}, key(guild))
}

// ApplicationEmojis returns a page of the emojis of an application.
func (q DirectoryQueries) ApplicationEmojis(app snowflake.Application, after snowflake.Emoji, limit int) ([]CustomEmoji, error) {
	q.read(ApplicationSubject(app))
	return list[CustomEmoji](q.reader, emojisTable, page{"id", key(after), limit}, []string{"application_id"}, key(app))
}
