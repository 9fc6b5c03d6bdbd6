package guilds

import (
	"context"
	"reflect"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Edit changes the settings and the images of a guild.
func (s *Guilds) Edit(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown wire.Guild, err error) {
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		p, err := guild.ReadPatch(body, g.Features)
		if err != nil {
			return err
		}
		for _, op := range p.Operations(g.Features) {
			if err := g.allow(op); err != nil {
				return err
			}
		}
		if err := g.checkChannels(&p); err != nil {
			return err
		}
		old := guildSettings(g.Guild)
		next := p.Apply(old)
		for member, image := range p.Images {
			if _, err := draft.Set(ctx, g.tx, images.Guild(id, member), image, guild.ImageOf(&old, member)); err != nil {
				return err
			}
		}
		shown, err = g.putGuild(old, next)
		return err
	}))
	return shown, draft.End(ctx, err)
}

// checkChannels checks that the channels of an edit are in the guild and have a type that fits.
func (g *manager) checkChannels(p *guild.Patch) error {
	text := []int{world.TextChannel, world.AnnouncementChannel}
	var t jsonbody.Tree
	for _, row := range []struct {
		key   string
		value optional.Value[snowflake.Channel]
		types []int
	}{
		{"afk_channel_id", p.AFKChannel, []int{world.VoiceChannel}},
		{"system_channel_id", p.SystemChannel, text},
		{"rules_channel_id", p.RulesChannel, text},
		{"public_updates_channel_id", p.UpdatesChannel, text},
		{"safety_alerts_channel_id", p.SafetyChannel, text},
	} {
		id, given := row.value.Get()
		if !given {
			continue
		}
		channels, err := g.tx.Directory.Channels(g.ID)
		if err != nil {
			return err
		}
		fits := func(c store.Channel) bool { return c.ID == id && slices.Contains(row.types, c.Type) }
		if !slices.ContainsFunc(channels, fits) {
			t.At(row.key).Add(guild.WrongChannel, "Not a channel of this server with a type that can be set here")
		}
	}
	return t.Err()
}

// putGuild stores the guild with new settings, with an entry in the audit log, unless nothing changed.
func (g *manager) putGuild(old, next guild.Settings) (wire.Guild, error) {
	changed := withGuildSettings(g.Guild, next)
	emojis, err := g.tx.Directory.Emojis(g.ID)
	if err != nil {
		return wire.Guild{}, err
	}
	shown := convert.WireGuild(changed, g.Roles, emojis, nil)
	if reflect.DeepEqual(g.Guild, changed) {
		return shown, nil
	}
	g.record(permission.OpEditGuild, store.GuildSubject(g.ID), audit.GuildEntry{
		Target: snowflake.Target(g.ID), Changes: guild.Changes(guild.GuildFields, &old, &next),
	})
	return shown, directory.GuildKind.Put(g.tx, changed)
}

// guildSettings returns the members of a guild that requests set.
func guildSettings(g store.Guild) guild.Settings {
	timeout := g.AFKTimeout
	if timeout == 0 {
		timeout = convert.DefaultAFKTimeout
	}
	return guild.Settings{
		Name: g.Name, Description: g.Description, VerificationLevel: g.VerificationLevel, Notifications: g.Notifications,
		ContentFilter: g.ContentFilter, AFKChannel: g.AFKChannel, AFKTimeout: timeout, SystemChannel: g.SystemChannel,
		SystemFlags: g.SystemFlags, RulesChannel: g.RulesChannel, UpdatesChannel: g.UpdatesChannel, SafetyChannel: g.SafetyChannel,
		Locale: g.PreferredLocale, ProgressBar: g.ProgressBar, Features: g.Features,
		Icon: g.Icon, Splash: g.Splash, DiscoverySplash: g.DiscoverySplash, Banner: g.Banner, HomeHeader: g.HomeHeader,
	}
}

// withGuildSettings returns a guild with new settings.
func withGuildSettings(g store.Guild, s guild.Settings) store.Guild {
	g.Name, g.PreferredLocale = s.Name, s.Locale
	if s.AFKTimeout == convert.DefaultAFKTimeout {
		s.AFKTimeout = 0
	}
	if len(s.Features) == 0 {
		s.Features = nil
	}
	g.GuildSettings = store.GuildSettings{
		Features: s.Features, Description: s.Description, VerificationLevel: s.VerificationLevel, Notifications: s.Notifications,
		ContentFilter: s.ContentFilter, AFKChannel: s.AFKChannel, AFKTimeout: s.AFKTimeout, SystemChannel: s.SystemChannel,
		SystemFlags: s.SystemFlags, RulesChannel: s.RulesChannel, UpdatesChannel: s.UpdatesChannel, SafetyChannel: s.SafetyChannel,
		ProgressBar: s.ProgressBar, MentionEveryone: g.MentionEveryone, Icon: s.Icon, Splash: s.Splash, DiscoverySplash: s.DiscoverySplash, Banner: s.Banner,
		HomeHeader: s.HomeHeader,
	}
	return g
}
