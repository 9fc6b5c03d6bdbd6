package messages

import (
	"context"
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
		if err == nil && u.Bot && id != p.Viewer.User {
			return directory.ErrNoConversation // bots cannot write to bots
		}
	}
	return nil
}
