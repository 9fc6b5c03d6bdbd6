package images

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Emojis returns the emojis of an application.
func (s *Images) Emojis(ctx context.Context, app snowflake.Application) (shown []wire.Emoji, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) error {
		all, err := r.Directory.ApplicationEmojis(app, 0, guild.MaxApplicationEmojis)
		if err != nil {
			return err
		}
		bot, err := directory.ReadUser(r, snowflake.User(app))
		if err != nil {
			return err
		}
		shown = make([]wire.Emoji, len(all))
		for i, e := range all {
			shown[i] = convert.WireEmoji(e, bot)
		}
		return nil
	})
	return shown, err
}

// Emoji returns an emoji of an application.
func (s *Images) Emoji(ctx context.Context, app snowflake.Application, id snowflake.Emoji) (shown wire.Emoji, err error) {
	err = s.Store.Read(ctx, func(r store.Reader) error {
		e, err := applicationEmoji(r, app, id)
		if err != nil {
			return err
		}
		bot, err := directory.ReadUser(r, snowflake.User(app))
		if err == nil {
			shown = convert.WireEmoji(e, bot)
		}
		return err
	})
	return shown, err
}

// applicationEmoji returns an emoji of an application, or apierror.UnknownEmoji.
func applicationEmoji(r store.Reader, app snowflake.Application, id snowflake.Emoji) (store.CustomEmoji, error) {
	e, err := r.Directory.Emoji(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Application != app {
		return e, apierror.UnknownEmoji
	}
	return e, err
}

// CreateEmoji creates an emoji of an application.
func (s *Images) CreateEmoji(
	ctx context.Context, app snowflake.Application, body jsonbody.Value,
) (shown wire.Emoji, err error) {
	p, err := guild.ReadEmoji(body)
	if err != nil {
		return shown, err
	}
	e := store.CustomEmoji{
		ID: snowflake.Emoji(s.IDs.Next()), Application: app, User: snowflake.User(app), Name: p.Name.Or(""), Animated: p.Image.Animated,
	}
	draft := s.Draft()
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		all, err := tx.Directory.ApplicationEmojis(app, 0, guild.MaxApplicationEmojis)
		if err != nil {
			return err
		}
		if len(all) >= guild.MaxApplicationEmojis {
			return apierror.TooManyEmojis
		}
		if e.Image, err = draft.Set(ctx, tx, Emoji(e), optional.Of(p.Image), ""); err != nil {
			return err
		}
		bot, err := tx.User(e.User)
		if err != nil {
			return err
		}
		shown = convert.WireEmoji(e, bot)
		return tx.Put(e)
	})
	return shown, draft.End(ctx, err)
}

// EditEmoji changes the name of an emoji of an application.
func (s *Images) EditEmoji(
	ctx context.Context, app snowflake.Application, id snowflake.Emoji, body jsonbody.Value,
) (shown wire.Emoji, err error) {
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		e, err := applicationEmoji(tx.Reader, app, id)
		if err != nil {
			return err
		}
		p, err := guild.ReadEmojiPatch(body)
		if err != nil {
			return err
		}
		bot, err := tx.User(e.User)
		if err != nil {
			return err
		}
		e.Name = p.Name.Or(e.Name)
		shown = convert.WireEmoji(e, bot)
		return tx.Put(e)
	})
	return shown, err
}

// DeleteEmoji deletes an emoji of an application with its image.
func (s *Images) DeleteEmoji(ctx context.Context, app snowflake.Application, id snowflake.Emoji) error {
	draft := s.Draft()
	err := s.Directory.Update(ctx, func(tx *directory.Tx) error {
		e, err := applicationEmoji(tx.Reader, app, id)
		if err != nil {
			return err
		}
		if _, err := draft.Set(ctx, tx, Emoji(e), optional.Null[imagedata.Image](), e.Image); err != nil {
			return err
		}
		tx.Delete(store.EmojiKey(e))
		return nil
	})
	return draft.End(ctx, err)
}
