package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// What a bot may do where nobody gave it a role: in direct messages with it and in guilds that it is no member of, and in
// the conversations of others.
const (
	guestBits = permission.EmbedLinks | permission.AttachFiles | permission.MentionEveryone | permission.UseExternalEmojis
	alienBits = guestBits &^ permission.UseExternalEmojis
)

// Payload returns the interaction as the app receives it.
func (k *Checker) Payload(ctx context.Context, s *Scene, id snowflake.Interaction, token string) (interaction.Interaction, error) {
	i := interaction.Interaction{
		ID: id, Application: s.App.ID, Type: s.In.Type, Token: token, Message: s.message, Locale: s.Origin.Locale,
		Context: command.Context(s.spot.Context(s.App.ID)), Owners: messages.OwnersOf(s.Origin.Owners), Data: s.data,
	}
	var err error
	if s.spot.Place == nil {
		user := messages.UserOf(s.spot.User)
		i.User = &user
		i.AppPermissions = alienBits
		if i.Context == command.InBotDM {
			i.AppPermissions = guestBits
		}
		i.Channel, err = k.conversation(ctx, s)
		return i, err
	}
	member, err := k.directory.Member(ctx, s.In.Guild, s.spot.User.ID)
	if err != nil {
		return i, err
	}
	m := memberOf(member, s.spot.User, s.spot.Rights)
	i.Member = &m
	i.Guild = &payload.Guild{ID: s.In.Guild, Locale: s.spot.Place.PreferredLocale}
	bot, err := k.bot(ctx, s)
	if err != nil {
		return i, err
	}
	c := s.spot.Place.Channel(s.In.Channel)
	i.AppPermissions = bot(c)
	shown := channelOf(s.In.Guild, c, s.spot.Rights, 0)
	i.Channel = &shown
	return i, nil
}

// bot returns what the app's bot may do in channels of the guild.
func (k *Checker) bot(ctx context.Context, s *Scene) (func(*directory.PlaceChannel) permission.Bits, error) {
	m, err := k.directory.Member(ctx, s.In.Guild, snowflake.User(s.App.ID))
	if errors.Is(err, directory.ErrUnknownMember) {
		return func(*directory.PlaceChannel) permission.Bits { return guestBits }, nil
	}
	if err != nil {
		return nil, err
	}
	member := s.spot.Place.Member(m, k.clock.Now())
	return func(c *directory.PlaceChannel) permission.Bits { return member.In(c.Channel) }, nil
}

// conversation returns a channel between people as payloads show it: the recipients are the others.
func (k *Checker) conversation(ctx context.Context, s *Scene) (*payload.Channel, error) {
	c := &payload.Channel{ID: s.In.Channel, Type: command.ChannelType(s.spot.Where.Type)}
	for _, id := range s.spot.Where.Recipients {
		if id == s.spot.User.ID {
			continue
		}
		user, err := k.directory.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.Recipients = append(c.Recipients, messages.UserOf(user))
	}
	return c, nil
}

func memberOf(m store.Member, u *directory.User, in permission.Bits) payload.Member {
	return payload.Member{
		User: messages.UserOf(u), Nick: m.Nick, Roles: m.Roles, JoinedAt: m.JoinedAt, TimeoutUntil: m.TimeoutUntil, Permissions: in,
	}
}

// archiveAfter is after how many quiet minutes threads are archived.
const archiveAfter = 1440

func channelOf(guild snowflake.Guild, c *directory.PlaceChannel, own, app permission.Bits) payload.Channel {
	shown := payload.Channel{
		ID: c.ID, Guild: guild, Type: command.ChannelType(c.Type), Name: c.Name, Topic: c.Topic, Position: c.Position,
		NSFW: c.NSFW, Parent: c.Category, Permissions: own, AppPermissions: app,
	}
	if c.Thread {
		shown.Thread = &payload.Thread{Archived: c.Archived, AutoArchive: archiveAfter, ArchivedAt: c.ID.Time()}
	}
	return shown
}

// resolve looks up what an invocation speaks of, and checks that it is there.
func (k *Checker) resolve(ctx context.Context, s *Scene, r interaction.References) (interaction.Resolved, error) {
	var found interaction.Resolved
	w := r.Wanted()
	err := errors.Join(
		k.resolveUsers(ctx, s, w.Users, &found),
		k.resolveRoles(ctx, s, w.Roles, &found),
		k.resolveChannels(ctx, s, w.Channels, &found),
		k.resolveMessage(ctx, s, w.Message, &found),
	)
	if err == nil {
		err = r.Check(found)
	}
	return found, err
}

func (k *Checker) resolveUsers(ctx context.Context, s *Scene, ids []snowflake.User, found *interaction.Resolved) error {
	for _, id := range ids {
		user, err := k.directory.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return err
		}
		found.Users = append(found.Users, messages.UserOf(user))
		if s.spot.Place == nil {
			continue
		}
		m, err := k.directory.Member(ctx, s.In.Guild, id)
		if errors.Is(err, directory.ErrUnknownMember) {
			continue
		}
		if err != nil {
			return err
		}
		here := s.spot.Place.Member(m, k.clock.Now()).In(s.spot.Place.Channel(s.In.Channel).Channel)
		found.Members = append(found.Members, memberOf(m, user, here))
	}
	return nil
}

func (k *Checker) resolveRoles(ctx context.Context, s *Scene, ids []snowflake.Role, found *interaction.Resolved) error {
	if len(ids) == 0 || s.spot.Place == nil {
		return nil
	}
	g, err := k.directory.Guild(ctx, s.In.Guild)
	if err != nil {
		return err
	}
	for _, r := range g.Roles {
		if slices.Contains(ids, r.ID) {
			found.Roles = append(found.Roles, payload.Role{
				ID: r.ID, Name: r.Name, Color: r.Color, Hoist: r.Hoist, Position: r.Position, Permissions: r.Permissions,
				Managed: r.Managed, Mentionable: r.Mentionable,
			})
		}
	}
	return nil
}

func (k *Checker) resolveChannels(
	ctx context.Context, s *Scene, ids []snowflake.Channel, found *interaction.Resolved,
) error {
	if len(ids) == 0 {
		return nil
	}
	if s.spot.Place == nil {
		if slices.Contains(ids, s.In.Channel) {
			c, err := k.conversation(ctx, s)
			if err != nil {
				return err
			}
			found.Channels = append(found.Channels, *c)
		}
		return nil
	}
	bot, err := k.bot(ctx, s)
	if err != nil {
		return err
	}
	for _, id := range ids {
		c := s.spot.Place.Channel(id)
		if c == nil {
			continue
		}
		if own := s.spot.Member.In(c.Channel); own.Has(permission.ViewChannel) {
			found.Channels = append(found.Channels, channelOf(s.In.Guild, c, own, bot(c)))
		}
	}
	return nil
}

func (k *Checker) resolveMessage(ctx context.Context, s *Scene, id snowflake.Message, found *interaction.Resolved) error {
	m, err := k.messages.Kept(ctx, id)
	if err != nil || m == nil || !s.meets(m) {
		return err
	}
	text, err := k.messages.Render(ctx, m)
	found.Messages = append(found.Messages, interaction.FoundMessage{ID: id, JSON: text})
	return err
}
