package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// resolve loads the users, roles, channels and the message that an invocation refers to, and checks that they exist.
func (c *checker) resolve(
	ctx context.Context, v *checkedInvocation, r interaction.References,
) (interaction.Resolved, error) {
	var found interaction.Resolved
	w := r.Wanted()
	err := errors.Join(
		c.resolveUsers(ctx, v, w.Users, &found),
		c.resolveRoles(ctx, v, w.Roles, &found),
		c.resolveChannels(ctx, v, w.Channels, &found),
		c.resolveMessage(ctx, v, w.Message, &found),
	)
	if err == nil {
		err = r.Check(found)
	}
	return found, err
}

func (c *checker) resolveUsers(
	ctx context.Context, v *checkedInvocation, ids []snowflake.User, found *interaction.Resolved,
) error {
	for _, id := range ids {
		user, err := c.directory.Users.User(ctx, id)
		if errors.Is(err, directory.ErrUnknownUser) {
			continue
		}
		if err != nil {
			return err
		}
		found.Users = append(found.Users, convert.WireUser(user))
		if v.invoker.Guild == nil {
			continue
		}
		m, err := c.directory.Guilds.Member(ctx, v.in.Guild, id)
		if errors.Is(err, directory.ErrUnknownMember) {
			continue
		}
		if err != nil {
			return err
		}
		rights := v.invoker.Guild.Member(m, c.clock.Now()).In(v.invoker.Guild.Channel(v.in.Channel).Channel)
		found.Members = append(found.Members, wireMember(m, user, rights))
	}
	return nil
}

func (c *checker) resolveRoles(
	ctx context.Context, v *checkedInvocation, ids []snowflake.Role, found *interaction.Resolved,
) error {
	if len(ids) == 0 || v.invoker.Guild == nil {
		return nil
	}
	g, err := c.directory.Guilds.State(ctx, v.in.Guild)
	if err != nil {
		return err
	}
	for _, r := range g.Roles {
		if slices.Contains(ids, r.ID) {
			found.Roles = append(found.Roles, convert.WireRole(r))
		}
	}
	return nil
}

func (c *checker) resolveChannels(
	ctx context.Context, v *checkedInvocation, ids []snowflake.Channel, found *interaction.Resolved,
) error {
	if len(ids) == 0 {
		return nil
	}
	if v.invoker.Guild == nil {
		if slices.Contains(ids, v.in.Channel) {
			channel, err := c.privateChannel(ctx, v)
			if err != nil {
				return err
			}
			found.Channels = append(found.Channels, *channel)
		}
		return nil
	}
	bot, err := c.botPermissions(ctx, v)
	if err != nil {
		return err
	}
	for _, id := range ids {
		channel := v.invoker.Guild.Channel(id)
		if channel == nil {
			continue
		}
		if rights := v.invoker.Member.In(channel.Channel); rights.Has(permission.ViewChannel) {
			found.Channels = append(found.Channels, wireChannel(v.in.Guild, channel, rights, bot(channel)))
		}
	}
	return nil
}

func (c *checker) resolveMessage(
	ctx context.Context, v *checkedInvocation, id snowflake.Message, found *interaction.Resolved,
) error {
	m, err := c.messages.Find(ctx, id)
	if err != nil || m == nil || !v.sees(m) {
		return err
	}
	text, err := c.messages.Render(ctx, m, snowflake.User(v.app.ID))
	found.Messages = append(found.Messages, interaction.ResolvedMessage{ID: id, JSON: text})
	return err
}
