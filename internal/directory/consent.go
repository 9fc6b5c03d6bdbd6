package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// AddGuildInstall installs an application in a guild on somebody's consent. What is installed there already stays: scopes
// are added, and the permissions are the new ones when a bot is asked for. with writes to the same decision.
func (d *Directory) AddGuildInstall(
	ctx context.Context, guild snowflake.Guild, in world.GuildInstall, with func(*store.Tx) error,
) error {
	bot := slices.Contains(in.Scopes, world.BotScope)
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		old, err := w.tx.Directory.GuildInstall(guild, in.Application)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		all := in
		all.Scopes = union(old.Scopes, in.Scopes)
		if !bot {
			all.Permissions = old.Permissions
		}
		if all, err = all.Complete(); err != nil {
			return err
		}
		if err := w.ledger.PutGuildInstall(guild, all); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// AddUserInstall installs an application with a user on the user's consent; see AddGuildInstall.
func (d *Directory) AddUserInstall(ctx context.Context, in world.UserInstall, with func(*store.Tx) error) error {
	in, err := in.Complete()
	if err != nil {
		return err
	}
	return d.change(ctx, func(w *work) error {
		if err := w.ledger.PutUserInstall(in); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// AddUser makes a user who comes by themselves. with writes to the same decision.
func (d *Directory) AddUser(ctx context.Context, u world.User, with func(*store.Tx) error) error {
	u, err := u.Complete()
	if err != nil {
		return err
	}
	return d.change(ctx, func(w *work) error {
		if err := w.ledger.PutUser(u); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// union returns the members of two lists, each once.
func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}
