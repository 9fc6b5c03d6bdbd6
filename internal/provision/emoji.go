package provision

import (
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// emojis writes the emojis of a guild, after its roles.
func (w *batch) emojis(t *jsonbody.Tree, g world.Guild) error {
	for i, e := range g.Emojis {
		old, err := w.tx.Directory.Emoji(e.ID)
		if err == nil && old.Guild != g.ID {
			t.Index(i).At("id").Add(Taken, "Is the id of an emoji elsewhere.")
			continue
		}
		if _, err := replace(w, &directory.EmojiKind, old, err, convert.EmojiRecord(g.ID, e, old)); err != nil {
			return err
		}
	}
	if len(g.Emojis) == 0 {
		return nil
	}
	return w.countEmojis(t, g)
}

// countEmojis reports that a guild has too many still or too many animated emojis.
func (w *batch) countEmojis(t *jsonbody.Tree, g world.Guild) error {
	all, err := w.tx.Directory.Emojis(g.ID)
	animated := 0
	for _, e := range all {
		if e.Animated {
			animated++
		}
	}
	if most := guild.EmojiSlots(0); animated > most || len(all)-animated > most {
		t.Length(-1, most)
	}
	return err
}

// emojis checks the creators of the emojis of a guild, and the roles that can use them.
func (gc *guildCheck) emojis(t *jsonbody.Tree, list []world.Emoji) {
	for i, e := range list {
		gc.hasAuthor(t.Index(i).At("creator"), e.Creator)
		for j, r := range e.Roles {
			gc.hasRole(t.Index(i).At("roles").Index(j), r)
		}
	}
}

// emojis adds the emojis of a guild. A creator who is not in the world is left out, and so is a role that was deleted.
func (e *exporter) emojis(g *world.Guild) error {
	all, err := e.Directory.Emojis(g.ID)
	if err != nil {
		return err
	}
	gone := func(id snowflake.Role) bool {
		return !slices.ContainsFunc(g.Roles, func(r world.Role) bool { return r.ID == id })
	}
	for _, emoji := range all {
		there, err := e.exports(emoji.User)
		if err != nil {
			return err
		}
		if !there {
			emoji.User = 0
		}
		emoji.Roles = slices.DeleteFunc(emoji.Roles, gone)
		g.Emojis = append(g.Emojis, convert.WorldEmoji(emoji))
	}
	return nil
}
