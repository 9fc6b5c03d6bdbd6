package guilds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Emojis returns the emojis of a guild. Their creators are shown to members who may create or manage emojis.
func (s *Guilds) Emojis(ctx context.Context, by directory.Viewer, id snowflake.Guild) ([]wire.Emoji, error) {
	state, member, err := s.viewEmojis(ctx, by, id)
	if err != nil {
		return nil, err
	}
	shown := convert.WireEmojis(state.Emojis)
	if !(permission.Act{Operation: permission.OpSeeEmojiAuthors, Member: &member}).Decide().Allowed {
		return shown, nil
	}
	for i, e := range state.Emojis {
		if err := s.addAuthor(ctx, e, &shown[i]); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// Emoji returns an emoji of a guild. Its creator is shown to members who may edit it.
func (s *Guilds) Emoji(ctx context.Context, by directory.Viewer, guild snowflake.Guild, id snowflake.Emoji) (wire.Emoji, error) {
	state, member, err := s.viewEmojis(ctx, by, guild)
	if err != nil {
		return wire.Emoji{}, err
	}
	e, ok := state.Emoji(id)
	if !ok {
		return wire.Emoji{}, apierror.UnknownEmoji
	}
	shown := convert.WireEmoji(e, nil)
	if !(permission.Act{Operation: permission.OpEditEmoji, Member: &member, Own: e.User == by.User}).Decide().Allowed {
		return shown, nil
	}
	return shown, s.addAuthor(ctx, e, &shown)
}

// viewEmojis returns the state of a guild and the viewer as its member.
func (s *Guilds) viewEmojis(
	ctx context.Context, by directory.Viewer, id snowflake.Guild,
) (*directory.GuildState, permission.Member, error) {
	view, err := s.Directory.Guilds.Visit(ctx, id, by)
	if err != nil {
		return nil, permission.Member{}, err
	}
	state, err := s.Directory.Guilds.State(ctx, id)
	return state, view.Member, err
}

// addAuthor adds the creator of an emoji, if that user exists.
func (s *Guilds) addAuthor(ctx context.Context, e store.CustomEmoji, shown *wire.Emoji) error {
	u, err := s.Directory.Users.User(ctx, e.User)
	if errors.Is(err, directory.ErrUnknownUser) {
		return nil
	}
	if err == nil {
		*shown = convert.WireEmoji(e, u)
	}
	return err
}

// CreateEmoji creates an emoji.
func (s *Guilds) CreateEmoji(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown wire.Emoji, err error) {
	e := store.CustomEmoji{ID: snowflake.Emoji(s.IDs.Next()), Guild: id, User: by.User}
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		p, err := guild.ReadEmoji(body)
		if err != nil {
			return err
		}
		if err := g.allow(permission.OpCreateEmoji); err != nil {
			return err
		}
		if err := g.checkEmojiSlots(p.Image.Animated); err != nil {
			return err
		}
		e.Name, e.Animated = p.Name.Or(""), p.Image.Animated
		if e.Roles, err = g.emojiRoles(p.Roles.Or(nil)); err != nil {
			return err
		}
		if e.Image, err = draft.Set(ctx, g.tx, images.Emoji(e), optional.Of(p.Image), ""); err != nil {
			return err
		}
		shown, err = g.putEmoji(permission.OpCreateEmoji, nil, e)
		return err
	}))
	return shown, draft.End(ctx, err)
}

// checkEmojiSlots checks that the guild has room for one more emoji. Animated emojis are counted apart.
func (g *manager) checkEmojiSlots(animated bool) error {
	all, err := g.tx.Directory.Emojis(g.ID)
	if err != nil {
		return err
	}
	used := 0
	for _, e := range all {
		if e.Animated == animated {
			used++
		}
	}
	switch {
	case used < guild.EmojiSlots(0):
		return nil
	case animated:
		return apierror.TooManyAnimated
	default:
		return apierror.TooManyEmojis
	}
}

// emojiRoles returns the roles that can use an emoji, sorted and without duplicates. They must exist.
func (g *manager) emojiRoles(ids []snowflake.Role) ([]snowflake.Role, error) {
	for _, id := range ids {
		if _, err := g.role(id); err != nil {
			return nil, err
		}
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// EditEmoji changes the name and the roles of an emoji.
func (s *Guilds) EditEmoji(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, emoji snowflake.Emoji, body jsonbody.Value,
) (shown wire.Emoji, err error) {
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		old, err := g.emoji(emoji)
		if err != nil {
			return err
		}
		p, err := guild.ReadEmojiPatch(body)
		if err != nil {
			return err
		}
		if err := g.allowEmoji(permission.OpEditEmoji, old); err != nil {
			return err
		}
		next := old
		next.Name = p.Name.Or(old.Name)
		if !p.Roles.IsZero() {
			if next.Roles, err = g.emojiRoles(p.Roles.Or(nil)); err != nil {
				return err
			}
		}
		shown, err = g.putEmoji(permission.OpEditEmoji, &old, next)
		return err
	}))
	return shown, err
}

// DeleteEmoji deletes an emoji with its image.
func (s *Guilds) DeleteEmoji(ctx context.Context, by directory.Viewer, id snowflake.Guild, emoji snowflake.Emoji) error {
	draft := s.Images.Draft()
	err := s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		old, err := g.emoji(emoji)
		if err != nil {
			return err
		}
		if err := g.allowEmoji(permission.OpDeleteEmoji, old); err != nil {
			return err
		}
		if _, err := draft.Set(ctx, g.tx, images.Emoji(old), optional.Null[imagedata.Image](), old.Image); err != nil {
			return err
		}
		g.recordEmoji(permission.OpDeleteEmoji, &old, nil)
		directory.EmojiKind.Delete(g.tx, old)
		return nil
	}))
	return draft.End(ctx, err)
}

// emoji returns an emoji of the guild, or apierror.UnknownEmoji.
func (g *manager) emoji(id snowflake.Emoji) (store.CustomEmoji, error) {
	e, err := g.tx.Directory.Emoji(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Guild != g.ID {
		return e, apierror.UnknownEmoji
	}
	return e, err
}

// allowEmoji returns nil if the acting member may perform an operation on an emoji. Members can do more with their own emojis.
func (g *manager) allowEmoji(op permission.Operation, e store.CustomEmoji) error {
	return denied(op, permission.Act{Operation: op, Member: &g.by, Own: e.User == g.user.User}.Decide())
}

// putEmoji stores an emoji that is new or changed, with its entry in the audit log. old is nil for a new emoji.
func (g *manager) putEmoji(op permission.Operation, old *store.CustomEmoji, next store.CustomEmoji) (wire.Emoji, error) {
	user, err := g.tx.User(next.User)
	if err != nil && !errors.Is(err, directory.ErrUnknownUser) {
		return wire.Emoji{}, err
	}
	shown := convert.WireEmoji(next, user)
	if old != nil && old.Name == next.Name && slices.Equal(old.Roles, next.Roles) {
		return shown, nil
	}
	g.recordEmoji(op, old, &next)
	return shown, directory.EmojiKind.Put(g.tx, next)
}

// recordEmoji records a change of an emoji.
func (g *manager) recordEmoji(op permission.Operation, old, next *store.CustomEmoji) {
	show := func(e *store.CustomEmoji) *guild.Emoji {
		if e == nil {
			return nil
		}
		return &guild.Emoji{Name: e.Name}
	}
	g.record(op, store.GuildSubject(g.ID), audit.GuildEntry{
		Target: snowflake.Target(cmp.Or(next, old).ID), Changes: guild.Changes(guild.EmojiFields, show(old), show(next)),
	})
}
