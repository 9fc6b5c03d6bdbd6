package messages

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// enter returns a channel in which a viewer acts, if the viewer sees it.
func (s *Messages) enter(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	p, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	return p, p.Allow(permission.OpViewChannel, true)
}

// hasText reports whether a channel has messages.
func hasText(c *store.Channel) bool {
	return world.IsThread(c.Type) || slices.Contains([]int{
		world.TextChannel, world.VoiceChannel, world.AnnouncementChannel, world.StageChannel,
	}, c.Type) || c.Guild == 0
}

// checkSend checks whether a viewer may write in a channel that the viewer sees.
func (s *Messages) checkSend(ctx context.Context, p *directory.Place) error {
	if !hasText(p.Channel) {
		return apierror.CannotSend
	}
	if err := p.Allow(permission.OpSendMessage, true); err != nil {
		return err
	}
	if p.Guild != nil || !p.Viewer.Bot {
		return p.AllowState(channel.ThreadSend)
	}
	for _, id := range p.Channel.Recipients {
		u, err := s.Directory.Users.User(ctx, id)
		if id == p.Viewer.User || err != nil {
			continue // a deleted user
		}
		if u.Bot {
			return directory.ErrNoConversation // bots cannot write to bots
		}
		if known, err := s.knows(ctx, id, snowflake.Application(p.Viewer.User)); err != nil || !known {
			return cmp.Or(err, error(apierror.NoMutualGuilds))
		}
	}
	return nil
}

// knows reports whether the bot of an application may write to a user: they share a guild, or the user has installed the application.
func (s *Messages) knows(ctx context.Context, user snowflake.User, app snowflake.Application) (bool, error) {
	err := s.Directory.Read(ctx, func(r store.Reader) error {
		_, err := r.Directory.UserInstall(user, app)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		return err == nil, err
	}
	guilds, err := s.Directory.Guilds.Visible(ctx, directory.Viewer{User: user}, 0, 0, directory.MaxPage)
	if err != nil {
		return false, err
	}
	for _, g := range guilds {
		if _, err := s.Directory.Guilds.Member(ctx, g.Guild.ID, snowflake.User(app)); !errors.Is(err, directory.ErrUnknownMember) {
			return err == nil, err
		}
	}
	return false, nil
}
