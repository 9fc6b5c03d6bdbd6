package directory

import (
	"cmp"
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildKind describes guilds without their parts. A new guild has no event: its members get GUILD_CREATE when they join.
var GuildKind = Kind[store.Guild]{
	Name:    "guild",
	Target:  func(g store.Guild) string { return "guild/" + g.ID.String() },
	Key:     func(g store.Guild) store.Key { return store.GuildKey(g.ID) },
	Read:    func(q store.DirectoryQueries, g store.Guild) (store.Guild, error) { return q.Guild(g.ID) },
	Show:    func(g store.Guild) any { return convert.WorldGuild(g) },
	Events:  guildEvents,
	Deleted: func(g store.Guild, t store.Tombstone) bool { return t.Kind == store.KindGuild && t.ID == uint64(g.ID) },
}

func guildEvents(e *Events, before, after *store.Guild) error {
	switch {
	case after == nil:
		return e.Add(store.GuildSubject(before.ID), "GUILD_DELETE", struct {
			ID snowflake.Guild `json:"id"`
		}{before.ID}, events.Audience{Guild: before.ID, Intents: events.Guilds}, &events.Change{Guild: before.ID, Closed: true})
	case before == nil:
		return nil
	}
	roles, err := readRoles(e.Reader, *after)
	if err != nil {
		return err
	}
	emojis, err := e.Directory.Emojis(after.ID)
	if err != nil {
		return err
	}
	if err := e.AddToGuild(after.ID, events.Guilds, "GUILD_UPDATE", convert.WireGuild(*after, roles, emojis, nil)); err != nil {
		return err
	}
	if before.Everyone == after.Everyone && before.MentionEveryone == after.MentionEveryone {
		return nil
	}
	return roleEvents(e, &roles[0], &roles[0]) // the everyone role
}

// Guilds keeps guilds with their roles, channels, members and installs.
type Guilds struct{ *shared }

// readRoles returns the roles of a guild. The @everyone role is the first.
func readRoles(r store.Reader, g store.Guild) ([]store.Role, error) {
	roles, err := r.Directory.Roles(g.ID)
	everyone := store.Role{ID: snowflake.Role(g.ID), Guild: g.ID, Name: "@everyone", Permissions: g.Everyone, Mentionable: g.MentionEveryone}
	return append([]store.Role{everyone}, roles...), err
}

// List returns a page of guilds without their roles.
func (g *Guilds) List(ctx context.Context, after snowflake.Guild, limit int) ([]store.Guild, error) {
	return view(ctx, g.shared, ErrUnknownGuild, func(r store.Reader) ([]store.Guild, error) {
		return r.Directory.Guilds(after, min(limit, MaxPage))
	})
}

// Channels returns the channels of a guild, including threads. The caller does not change the lists inside them.
func (g *Guilds) Channels(ctx context.Context, guild snowflake.Guild) ([]store.Channel, error) {
	s, err := g.State(ctx, guild)
	if err != nil {
		return nil, err
	}
	return slices.Clone(s.channels), nil
}

// ShownChannels returns the API objects of the channels of a guild that show selects, without threads.
func (g *Guilds) ShownChannels(
	ctx context.Context, guild snowflake.Guild, show func(snowflake.Channel) bool,
) ([]wire.Channel, error) {
	s, err := g.State(ctx, guild)
	if err != nil {
		return nil, err
	}
	var ids []snowflake.Channel
	var shown []store.Channel
	for _, c := range s.channels {
		if !world.IsThread(c.Type) && show(c.ID) {
			ids, shown = append(ids, c.ID), append(shown, c)
		}
	}
	return view(ctx, g.shared, ErrUnknownGuild, func(r store.Reader) ([]wire.Channel, error) {
		has, err := r.Messages.OfChannels(ids...)
		list := make([]wire.Channel, len(shown))
		for i, c := range shown {
			list[i] = convert.WireChannel(c, has[c.ID])
		}
		return list, err
	})
}

// Delete removes a guild and everything in it, including commands.
func (g *Guilds) Delete(ctx context.Context, id snowflake.Guild) error {
	return g.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.Guild(id); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		GuildKind.Delete(tx, store.Guild{ID: id})
		return tx.putTombstone(store.Tombstone{Kind: store.KindGuild, ID: uint64(id)})
	})
}

// removeOverwrites removes the channel overwrites of a role or a member from a guild.
func removeOverwrites(tx *Tx, guild snowflake.Guild, kind int, id snowflake.Target) error {
	channels, err := tx.Directory.Channels(guild)
	if err != nil {
		return err
	}
	for _, c := range channels {
		rest := slices.DeleteFunc(slices.Clone(c.Overwrites), func(o store.ChannelOverwrite) bool {
			return o.Type == kind && o.ID == id
		})
		if len(rest) == len(c.Overwrites) {
			continue
		}
		c.Overwrites = rest
		if err := ChannelKind.Put(tx, c); err != nil {
			return err
		}
	}
	return nil
}

// removePermissionEntries removes the entries for a role, user or channel from the command permissions of a guild.
func removePermissionEntries(tx *Tx, guild snowflake.Guild, kind permission.EntryType, id snowflake.Target) error {
	sets, err := tx.Commands.GuildOverwrites(guild)
	if err != nil {
		return err
	}
	for _, s := range sets {
		rest := slices.DeleteFunc(slices.Clone(s.Entries), func(e store.OverwriteEntry) bool {
			return e.Type == uint8(kind) && e.ID == id
		})
		if len(rest) == len(s.Entries) {
			continue
		}
		s.Entries = rest
		if err := tx.Put(s); err != nil {
			return err
		}
	}
	return nil
}

// EmojiKind describes the emojis of guilds.
var EmojiKind = Kind[store.CustomEmoji]{
	Name:   "emoji",
	Target: func(e store.CustomEmoji) string { return "guild/" + e.Guild.String() + "/emoji/" + e.ID.String() },
	Key:    store.EmojiKey,
	Read:   func(q store.DirectoryQueries, e store.CustomEmoji) (store.CustomEmoji, error) { return q.Emoji(e.ID) },
	Show:   func(e store.CustomEmoji) any { return convert.WireEmoji(e, nil) },
	Events: emojiEvents,
}

// emojiEvents adds GUILD_EMOJIS_UPDATE with all emojis of the guild: clients compute the difference.
func emojiEvents(e *Events, before, after *store.CustomEmoji) error {
	id := cmp.Or(after, before).Guild
	all, err := e.Directory.Emojis(id)
	if err != nil {
		return err
	}
	return e.AddToGuild(id, events.GuildEmojis, "GUILD_EMOJIS_UPDATE", wire.GuildEmojis{GuildID: id, Emojis: convert.WireEmojis(all)})
}
