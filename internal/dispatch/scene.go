package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/payload"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// What a bot may do where nobody gave it a role: in direct messages with it and in guilds that it is no member of, and in
// the conversations of others.
const (
	guestBits = permission.EmbedLinks | permission.AttachFiles | permission.MentionEveryone | permission.UseExternalEmojis
	alienBits = guestBits &^ permission.UseExternalEmojis
)

// payload returns the interaction as the app receives it.
func (d *Dispatch) payload(ctx context.Context, u *use, id snowflake.Interaction, token string) (interaction.Interaction, error) {
	i := interaction.Interaction{
		ID: id, Application: u.app.ID, Type: u.in.Type, Token: token, Message: u.message, Locale: u.origin.Locale,
		Context: command.Context(u.spot.Context(u.app.ID)), Owners: messages.OwnersOf(u.origin.Owners), Data: u.data,
	}
	var err error
	if u.spot.Place == nil {
		user := messages.UserOf(u.spot.User)
		i.User = &user
		i.AppPermissions = alienBits
		if i.Context == command.InBotDM {
			i.AppPermissions = guestBits
		}
		i.Channel, err = d.conversation(ctx, u)
		return i, err
	}
	member, err := d.Directory.Member(ctx, u.in.Guild, u.spot.User.ID)
	if err != nil {
		return i, err
	}
	m := memberOf(member, u.spot.User, u.spot.Rights)
	i.Member = &m
	i.Guild = &payload.Guild{ID: u.in.Guild, Locale: u.spot.Place.PreferredLocale}
	bot, err := d.bot(ctx, u)
	if err != nil {
		return i, err
	}
	c := u.spot.Place.Channel(u.in.Channel)
	i.AppPermissions = bot(c)
	shown := channelOf(u.in.Guild, c, u.spot.Rights, 0)
	i.Channel = &shown
	return i, nil
}

// bot returns what the app's bot may do in channels of the guild.
func (d *Dispatch) bot(ctx context.Context, u *use) (func(*directory.PlaceChannel) permission.Bits, error) {
	m, err := d.Directory.Member(ctx, u.in.Guild, snowflake.User(u.app.ID))
	if errors.Is(err, directory.ErrUnknownMember) {
		return func(*directory.PlaceChannel) permission.Bits { return guestBits }, nil
	}
	if err != nil {
		return nil, err
	}
	member := u.spot.Place.Member(m, d.Clock.Now())
	return func(c *directory.PlaceChannel) permission.Bits { return member.In(c.Channel) }, nil
}

// conversation returns a channel between people as payloads show it: the recipients are the others.
func (d *Dispatch) conversation(ctx context.Context, u *use) (*payload.Channel, error) {
	c := &payload.Channel{ID: u.in.Channel, Type: command.ChannelType(u.spot.Where.Type)}
	for _, id := range u.spot.Where.Recipients {
		if id == u.spot.User.ID {
			continue
		}
		user, err := d.Directory.User(ctx, id)
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
func (d *Dispatch) resolve(ctx context.Context, u *use, r interaction.References) (interaction.Resolved, error) {
	var found interaction.Resolved
	w := r.Wanted()
	err := errors.Join(
		d.resolveUsers(ctx, u, w.Users, &found),
		d.resolveRoles(ctx, u, w.Roles, &found),
		d.resolveChannels(ctx, u, w.Channels, &found),
		d.resolveMessage(ctx, u, w.Message, &found),
	)
	if err == nil {
		err = r.Check(found)
	}
	return found, err
}

func (d *Dispatch) resolveUsers(ctx context.Context, u *use, ids []snowflake.User, found *interaction.Resolved) error {
	for _, id := range ids {
		user, err := d.Directory.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return err
		}
		found.Users = append(found.Users, messages.UserOf(user))
		if u.spot.Place == nil {
			continue
		}
		m, err := d.Directory.Member(ctx, u.in.Guild, id)
		if errors.Is(err, directory.ErrUnknownMember) {
			continue
		}
		if err != nil {
			return err
		}
		here := u.spot.Place.Member(m, d.Clock.Now()).In(u.spot.Place.Channel(u.in.Channel).Channel)
		found.Members = append(found.Members, memberOf(m, user, here))
	}
	return nil
}

func (d *Dispatch) resolveRoles(ctx context.Context, u *use, ids []snowflake.Role, found *interaction.Resolved) error {
	if len(ids) == 0 || u.spot.Place == nil {
		return nil
	}
	g, err := d.Directory.Guild(ctx, u.in.Guild)
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

func (d *Dispatch) resolveChannels(
	ctx context.Context, u *use, ids []snowflake.Channel, found *interaction.Resolved,
) error {
	if len(ids) == 0 {
		return nil
	}
	if u.spot.Place == nil {
		if slices.Contains(ids, u.in.Channel) {
			c, err := d.conversation(ctx, u)
			if err != nil {
				return err
			}
			found.Channels = append(found.Channels, *c)
		}
		return nil
	}
	bot, err := d.bot(ctx, u)
	if err != nil {
		return err
	}
	for _, id := range ids {
		c := u.spot.Place.Channel(id)
		if c == nil {
			continue
		}
		if own := u.spot.Member.In(c.Channel); own.Has(permission.ViewChannel) {
			found.Channels = append(found.Channels, channelOf(u.in.Guild, c, own, bot(c)))
		}
	}
	return nil
}

func (d *Dispatch) resolveMessage(ctx context.Context, u *use, id snowflake.Message, found *interaction.Resolved) error {
	m, err := d.messages.Kept(ctx, id)
	if err != nil || m == nil || !u.meets(m) {
		return err
	}
	text, err := d.messages.Render(ctx, m)
	found.Messages = append(found.Messages, interaction.FoundMessage{ID: id, JSON: text})
	return err
}
