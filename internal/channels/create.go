package channels

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Create creates a channel of a guild.
func (s *Channels) Create(
	ctx context.Context, viewer directory.Viewer, guild snowflake.Guild, body jsonbody.Value,
) (made wire.Channel, err error) {
	id := snowflake.Channel(s.IDs.Next())
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		state, member, err := tx.EnterGuild(guild, viewer, s.now(), directory.ReadGuildState)
		if err != nil {
			return err
		}
		if err := allow(permission.OpViewGuild, member); err != nil {
			return err
		}
		settings, err := channel.ReadCreate(body, limits)
		if err != nil {
			return err
		}
		if err := allow(permission.OpCreateChannel, member); err != nil {
			return err
		}
		if err := s.checkNew(tx, state, member, &settings); err != nil {
			return err
		}
		channels, err := tx.Directory.Channels(guild)
		if err != nil {
			return err
		}
		if err := complete(channels, &settings, body); err != nil {
			return err
		}
		record := convert.ApplySettings(store.Channel{ID: id, Guild: guild}, &settings, s.newTag)
		if made, err = s.shown(tx, record); err != nil {
			return err
		}
		recorder{tx, state, viewer.User}.record(permission.OpCreateChannel, nil, &record)
		return directory.ChannelKind.Put(tx, record)
	})
	return made, err
}

// checkNew checks the overwrites of a new channel. Only administrators can set MANAGE_ROLES.
func (s *Channels) checkNew(tx *directory.Tx, state *directory.GuildState, member *permission.Member, settings *channel.Settings) error {
	for _, o := range settings.Overwrites {
		if out := member.MayOverwrite(permission.Channel{}, o.Allow, o.Deny); !out.Allowed {
			return &directory.DeniedError{Operation: permission.OpCreateOverwrite, Outcome: out}
		}
		if err := checkTarget(tx, state, o); err != nil {
			return err
		}
	}
	for i := range settings.Tags {
		settings.Tags[i].ID = 0 // a new channel has no tags yet
	}
	return nil
}

// complete checks the place of a new channel in its guild, and sets what the request leaves out: the position behind the other
// channels of its section, and the overwrites of its category.
func complete(channels []store.Channel, settings *channel.Settings, body jsonbody.Value) error {
	count, last := 0, -1
	for i := range channels {
		c := &channels[i]
		if world.IsThread(c.Type) {
			continue
		}
		count++
		if section(channel.Type(c.Type)) == section(settings.Type) {
			last = max(last, c.Position)
		}
	}
	if count >= channel.MaxPerGuild {
		return apierror.TooManyChannels
	}
	if err := checkParent(channels, 0, settings.Parent); err != nil {
		return err
	}
	if !body.Get("position").IsSet() {
		settings.Position = last + 1
	}
	if parent, found := find(channels, settings.Parent); found && !body.Get("permission_overwrites").IsSet() {
		settings.Overwrites = convert.ChannelSettings(&parent).Overwrites
	}
	return nil
}

// section returns the part of the list of channels that a type belongs to. Clients sort each by position.
func section(t channel.Type) int {
	switch t {
	case channel.Category:
		return 0
	case channel.Voice, channel.Stage:
		return 1
	default:
		return 2
	}
}
