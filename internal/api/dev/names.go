package dev

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/snowflake"
)

// idOf returns the id of the user, role or channel with a name, as a user writes it for an option of a type: "ada",
// "@ada", "mods", "#general". It returns "" if there is none.
func (a *API) idOf(ctx context.Context, guild snowflake.Guild, kind command.OptionType, name string) (string, error) {
	plain := strings.TrimLeft(name, "@#")
	if guild != 0 && kind != command.OptionUser {
		id, err := a.idInGuild(ctx, guild, kind, plain)
		if id != "" || err != nil {
			return id, err
		}
	}
	if kind != command.OptionUser && kind != command.Mentionable {
		return "", nil
	}
	user, err := (&manage.Finder{Directory: a.Directory}).User(ctx, plain)
	if errors.Is(err, directory.ErrUnknownUser) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return user.ID.String(), nil
}

// idInGuild returns the id of the role or channel of a guild with a name, or "".
func (a *API) idInGuild(ctx context.Context, guild snowflake.Guild, kind command.OptionType, name string) (string, error) {
	if kind == command.Channel {
		channels, err := a.Directory.Guilds.Channels(ctx, guild)
		for _, c := range channels {
			if c.Name == name {
				return c.ID.String(), err
			}
		}
		return "", err
	}
	g, err := a.Directory.Guilds.State(ctx, guild)
	if err != nil {
		return "", err
	}
	for _, r := range g.Roles {
		if r.Name == name {
			return r.ID.String(), nil
		}
	}
	return "", nil
}
