// Package manage has what the admin API and the dev controls share: they find users and channels by name, explain a permission
// decision, show lobbies, and apply and export a world.
package manage

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Finder finds users and channels by id or by name. All fields are required.
type Finder struct {
	Directory *directory.Directory
}

// User returns the user or the bot with an id or a username.
func (f *Finder) User(ctx context.Context, text string) (*store.User, error) {
	if id, err := snowflake.Parse[snowflake.User](text); err == nil {
		u, err := f.Directory.Users.User(ctx, id)
		if !errors.Is(err, directory.ErrUnknownUser) {
			return u, err
		}
	}
	for after := snowflake.User(0); ; {
		page, err := f.Directory.Users.List(ctx, after, directory.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, u := range page {
			if after = u.ID; u.Username == text {
				return f.Directory.Users.User(ctx, u.ID)
			}
		}
		if len(page) < directory.MaxPage {
			return nil, directory.ErrUnknownUser
		}
	}
}

// Account returns the user with an id or a username, or the bot with an id or a name.
func (f *Finder) Account(ctx context.Context, text string) (*store.User, error) {
	u, err := f.User(ctx, text)
	if !errors.Is(err, directory.ErrUnknownUser) {
		return u, err
	}
	for after := snowflake.Application(0); ; {
		page, err := f.Directory.Applications.List(ctx, after, directory.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if after = a.ID; a.Name == text {
				return f.Directory.Users.User(ctx, snowflake.User(a.ID))
			}
		}
		if len(page) < directory.MaxPage {
			return nil, directory.ErrUnknownUser
		}
	}
}

// Guild returns the guild with an id or a name.
func (f *Finder) Guild(ctx context.Context, text string) (snowflake.Guild, error) {
	if id, err := snowflake.Parse[snowflake.Guild](text); err == nil {
		_, err := f.Directory.Guilds.State(ctx, id)
		if !errors.Is(err, directory.ErrUnknownGuild) {
			return id, err
		}
	}
	for after := snowflake.Guild(0); ; {
		page, err := f.Directory.Guilds.List(ctx, after, directory.MaxPage)
		if err != nil {
			return 0, err
		}
		for _, g := range page {
			if after = g.ID; g.Name == text {
				return g.ID, nil
			}
		}
		if len(page) < directory.MaxPage {
			return 0, directory.ErrUnknownGuild
		}
	}
}

// Channel returns the channel with an id, or with the names of a guild and a channel, as in "Lab/general".
func (f *Finder) Channel(ctx context.Context, text string) (snowflake.Channel, error) {
	if id, err := snowflake.Parse[snowflake.Channel](text); err == nil {
		_, err := f.Directory.Channels.Channel(ctx, id)
		return id, err
	}
	for after := snowflake.Guild(0); ; {
		page, err := f.Directory.Guilds.List(ctx, after, directory.MaxPage)
		if err != nil {
			return 0, err
		}
		for _, g := range page {
			after = g.ID
			id, err := f.channelIn(ctx, g, text)
			if !errors.Is(err, directory.ErrUnknownChannel) {
				return id, err
			}
		}
		if len(page) < directory.MaxPage {
			return 0, directory.ErrUnknownChannel
		}
	}
}

// channelIn returns the channel of a guild that text names.
func (f *Finder) channelIn(ctx context.Context, g store.Guild, text string) (snowflake.Channel, error) {
	name, ok := strings.CutPrefix(text, g.Name+"/")
	if !ok {
		return 0, directory.ErrUnknownChannel
	}
	channels, err := f.Directory.Guilds.Channels(ctx, g.ID)
	if err != nil {
		return 0, err
	}
	for _, c := range channels {
		if c.Name == name {
			return c.ID, nil
		}
	}
	return 0, directory.ErrUnknownChannel
}

// Default returns the first user who sees a channel that takes commands, and that channel. If as is not 0, it returns the
// first such channel of this user. Without one the error is ErrUnknownUser, or ErrUnknownChannel.
func (f *Finder) Default(ctx context.Context, as snowflake.User) (snowflake.User, snowflake.Channel, error) {
	if as != 0 {
		channel, err := f.firstChannel(ctx, as)
		return as, channel, err
	}
	users, err := f.Directory.Users.List(ctx, 0, directory.MaxPage)
	if err != nil {
		return 0, 0, err
	}
	for i := range users {
		channel, err := f.firstChannel(ctx, users[i].ID)
		if !errors.Is(err, directory.ErrUnknownChannel) {
			return users[i].ID, channel, err
		}
	}
	return 0, 0, directory.ErrUnknownUser
}

// firstChannel returns the first channel that takes commands and that a user sees.
func (f *Finder) firstChannel(ctx context.Context, user snowflake.User) (snowflake.Channel, error) {
	guilds, err := f.Directory.Guilds.Visible(ctx, directory.Viewer{User: user}, 0, 0, directory.MaxPage)
	if err != nil {
		return 0, err
	}
	for _, g := range guilds {
		for i := range g.Guild.Channels {
			c := &g.Guild.Channels[i]
			if c.Type == world.TextChannel && g.Sees(c.ID) {
				return c.ID, nil
			}
		}
	}
	return 0, directory.ErrUnknownChannel
}

// place returns the user and the channel with the given names. It chooses one for an empty name.
func (f *Finder) place(ctx context.Context, as, in string) (id snowflake.User, channel snowflake.Channel, err error) {
	if as != "" {
		user, err := f.User(ctx, as)
		if err != nil {
			return 0, 0, err
		}
		id = user.ID
	}
	if in == "" || id == 0 {
		if id, channel, err = f.Default(ctx, id); err != nil || in == "" {
			return id, channel, err
		}
	}
	channel, err = f.Channel(ctx, in)
	return id, channel, err
}
