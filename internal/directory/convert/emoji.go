package convert

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// WorldEmoji returns the world record of an emoji of a guild, without its image.
func WorldEmoji(e store.CustomEmoji) world.Emoji {
	return world.Emoji{ID: e.ID, Name: e.Name, Animated: e.Animated, Creator: e.User, Roles: e.Roles}
}

// EmojiRecord returns the record of an emoji of a world file. It keeps the image of the stored emoji, which says whether it is
// animated.
func EmojiRecord(id snowflake.Guild, e world.Emoji, old store.CustomEmoji) store.CustomEmoji {
	record := store.CustomEmoji{ID: e.ID, Guild: id, Name: e.Name, Animated: e.Animated, Roles: e.Roles, User: e.Creator, Image: old.Image}
	if old.Image != "" {
		record.Animated = old.Animated
	}
	return record
}
