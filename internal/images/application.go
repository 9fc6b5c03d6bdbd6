package images

import (
	"context"
	"errors"
	"reflect"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// EditApplication changes the settings that an application edits itself, with its images and those of its bot.
func (s *Images) EditApplication(
	ctx context.Context, id snowflake.Application, p convert.ApplicationPatch,
) (*store.Application, error) {
	var changed store.Application
	draft := s.Draft()
	err := s.Directory.Update(ctx, func(tx *directory.Tx) error {
		old, err := tx.Directory.Application(id)
		if errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownApplication
		}
		if err != nil {
			return err
		}
		changed = p.Apply(old)
		if err := draft.setApplication(ctx, tx, p, &changed); err != nil {
			return err
		}
		if reflect.DeepEqual(old, changed) {
			return nil
		}
		return directory.ApplicationKind.Put(tx, changed)
	})
	if err := draft.End(ctx, err); err != nil {
		return nil, err
	}
	return &changed, nil
}

// setApplication sets the images of an application.
func (d *Draft) setApplication(ctx context.Context, w Writer, p convert.ApplicationPatch, a *store.Application) (err error) {
	if a.Icon, err = d.Set(ctx, w, ApplicationIcon(a.ID), p.Icon, a.Icon); err != nil {
		return err
	}
	if a.BotAvatar, err = d.Set(ctx, w, BotAvatar(a.ID), p.BotAvatar, a.BotAvatar); err != nil {
		return err
	}
	a.BotBanner, err = d.Set(ctx, w, BotBanner(a.ID), p.BotBanner, a.BotBanner)
	return err
}
