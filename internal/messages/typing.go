package messages

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// StartTyping tells the sessions that see a channel that the viewer is typing. It stores nothing. It returns how long the slow
// mode of the channel lets the viewer wait before the next message.
func (s *Messages) StartTyping(ctx context.Context, viewer directory.Viewer, where snowflake.Channel) (time.Duration, error) {
	place, err := s.enter(ctx, viewer, where)
	if err != nil {
		return 0, err
	}
	if !hasText(place.Channel) {
		return 0, apierror.CannotSend
	}
	if err := place.Allow(permission.OpType, true); err != nil {
		return 0, err
	}
	if err := place.AllowState(channel.ThreadSend); err != nil {
		return 0, err
	}
	if err := s.publishTyping(ctx, viewer, place); err != nil {
		return 0, err
	}
	return s.slowFor(ctx, place)
}

// publishTyping publishes that the viewer of a place is typing.
func (s *Messages) publishTyping(ctx context.Context, viewer directory.Viewer, place *directory.Place) error {
	where := place.Channel.ID
	guild := place.Channel.Guild
	var p wire.Printer
	p.ID(`{"channel_id":`, uint64(where))
	if guild != 0 {
		p.ID(`,"guild_id":`, uint64(guild))
	}
	p.ID(`,"user_id":`, uint64(viewer.User))
	p.Integer(`,"timestamp":`, s.Clock.Now().Unix())
	if guild != 0 {
		if err := s.printMember(ctx, &p, guild, viewer.User); err != nil {
			return err
		}
	}
	p.Raw(`}`)
	e := events.Event{Name: "TYPING_START", Data: p.Out}
	list, err := s.channelEvents(ctx, where, guild, e, events.GuildTyping, events.DirectTyping)
	if err != nil || s.Events == nil {
		return err
	}
	for _, e := range list {
		s.Events.Publish(e)
	}
	return nil
}
