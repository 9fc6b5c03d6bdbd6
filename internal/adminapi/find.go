package devtools

import (
	"context"
	"errors"
	"strings"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// FindUser returns the person or bot that a developer means by an id or a username.
func (d *Desk) FindUser(ctx context.Context, text string) (*directory.User, error) {
	if id, err := snowflake.Parse[snowflake.User](text); err == nil {
		u, err := d.Directory.User(ctx, id)
		if !errors.Is(err, directory.ErrUnknownUser) {
			return u, err
		}
	}
	for after := snowflake.User(0); ; {
		page, err := d.Directory.Users(ctx, after, directory.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, u := range page {
			if after = u.ID; u.Username == text {
				return d.Directory.User(ctx, u.ID)
			}
		}
		if len(page) < directory.MaxPage {
			return nil, directory.ErrUnknownUser
		}
	}
}

// FindChannel returns the channel that a developer means by an id, or by the names of a guild and a channel with a slash
// between.
func (d *Desk) FindChannel(ctx context.Context, text string) (snowflake.Channel, error) {
	if id, err := snowflake.Parse[snowflake.Channel](text); err == nil {
		_, err := d.Directory.Where(ctx, id)
		return id, err
	}
	for after := snowflake.Guild(0); ; {
		page, err := d.Directory.Guilds(ctx, after, directory.MaxPage)
		if err != nil {
			return 0, err
		}
		for _, g := range page {
			after = g.ID
			id, err := d.findIn(ctx, g, text)
			if !errors.Is(err, directory.ErrUnknownChannel) {
				return id, err
			}
		}
		if len(page) < directory.MaxPage {
			return 0, directory.ErrUnknownChannel
		}
	}
}

func (d *Desk) findIn(ctx context.Context, g store.Guild, text string) (snowflake.Channel, error) {
	name, ok := strings.CutPrefix(text, g.Name+"/")
	if !ok {
		return 0, directory.ErrUnknownChannel
	}
	channels, err := d.Directory.Channels(ctx, g.ID)
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
