package dispatch

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Permissions of a bot in channels where it has no roles.
const (
	// botPermissions apply in direct messages with the bot, and in guilds that it is not a member of.
	botPermissions = permission.EmbedLinks | permission.AttachFiles | permission.MentionEveryone | permission.UseExternalEmojis
	// privatePermissions apply in direct messages and groups without the bot.
	privatePermissions = botPermissions &^ permission.UseExternalEmojis
)

// payload returns the interaction as the app receives it.
func (c *checker) payload(
	ctx context.Context, v *checkedInvocation, id snowflake.Interaction, token string,
) (interaction.Interaction, error) {
	i := interaction.Interaction{
		ID: id, Application: v.app.ID, Type: v.in.Type, Token: token, Message: v.message, Locale: v.origin.Locale,
		Context: command.Context(v.invoker.Context(v.app.ID)), Owners: messages.OwnersOf(v.origin.Owners), Data: v.data,
	}
	var err error
	if c.entitlements != nil {
		if i.Entitlements, err = c.entitlements(ctx, v.app, v.invoker.User.ID, v.in.Guild); err != nil {
			return i, err
		}
	}
	if v.invoker.Guild == nil {
		user := convert.WireUser(v.invoker.User)
		i.User = &user
		i.AppPermissions = privatePermissions
		if i.Context == command.InBotDM {
			i.AppPermissions = botPermissions
		}
		i.Channel, err = c.privateChannel(ctx, v)
		return i, err
	}
	member, err := c.directory.Guilds.Member(ctx, v.in.Guild, v.invoker.User.ID)
	if err != nil {
		return i, err
	}
	m := wireMember(member, v.invoker.User, v.invoker.Rights)
	i.Member = &m
	i.Guild = &wire.PartialGuild{ID: v.in.Guild, Locale: v.invoker.Guild.PreferredLocale, Features: v.invoker.Guild.Features}
	permissions, err := c.botPermissions(ctx, v)
	if err != nil {
		return i, err
	}
	ch := v.invoker.Guild.Channel(v.in.Channel)
	i.AppPermissions = permissions(ch)
	channel := wireChannel(v.in.Guild, ch, v.invoker.Rights, 0)
	i.Channel = &channel
	return i, nil
}

// botPermissions returns a function that returns the permissions of the app's bot in a channel of the guild.
func (c *checker) botPermissions(
	ctx context.Context, v *checkedInvocation,
) (func(*directory.GuildChannel) permission.Bits, error) {
	m, err := c.directory.Guilds.Member(ctx, v.in.Guild, snowflake.User(v.app.ID))
	if errors.Is(err, directory.ErrUnknownMember) {
		return func(*directory.GuildChannel) permission.Bits { return botPermissions }, nil
	}
	if err != nil {
		return nil, err
	}
	member := v.invoker.Guild.Member(m, c.clock.Now())
	return func(ch *directory.GuildChannel) permission.Bits { return member.In(ch.Channel) }, nil
}

// privateChannel returns a direct message or group channel. Its recipients do not include the invoker.
func (c *checker) privateChannel(ctx context.Context, v *checkedInvocation) (*wire.PartialChannel, error) {
	channel := &wire.PartialChannel{ID: v.in.Channel, Type: v.invoker.Where.Type}
	for _, id := range v.invoker.Where.Recipients {
		if id == v.invoker.User.ID {
			continue
		}
		user, err := c.directory.Users.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return nil, err
		}
		channel.Recipients = append(channel.Recipients, convert.WireUser(user))
	}
	return channel, nil
}

func wireMember(m store.Member, u *store.User, rights permission.Bits) wire.Member {
	member := convert.WireMember(m, u)
	member.Permissions = rights
	return member
}

func wireChannel(guild snowflake.Guild, c *directory.GuildChannel, user, app permission.Bits) wire.PartialChannel {
	channel := wire.PartialChannel{
		ID: c.ID, Guild: guild, Type: c.Type, Name: c.Name, Topic: c.Topic, Position: c.Position,
		NSFW: c.NSFW, Parent: c.Category, Permissions: user, AppPermissions: app, SlowMode: c.SlowMode, Flags: c.Flags,
	}
	if c.Thread {
		metadata := convert.WireThreadMetadata(c.ID, c.Type, c.Archived, c.State)
		channel.Thread = &metadata
	}
	return channel
}
