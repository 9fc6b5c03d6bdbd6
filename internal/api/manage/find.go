// Package manage has what the admin API and the dev controls share: they find users and channels by name, explain a permission
// decision, show lobbies, and apply and export a world.
package manage

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
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
