package directory

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// OpenEvents returns the scheduled events of a guild that have not ended and that a viewer sees: an event in a channel is seen by
// those who see the channel.
func (g *Guilds) OpenEvents(ctx context.Context, id snowflake.Guild, viewer Viewer) ([]store.ScheduledEvent, error) {
	list, err := view(ctx, g.shared, ErrUnknownGuild, func(r store.Reader) ([]store.ScheduledEvent, error) {
		return r.Directory.ScheduledEvents(id)
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	v, err := g.View(ctx, id, viewer)
	return slices.DeleteFunc(list, func(e store.ScheduledEvent) bool {
		return guild.Status(e.Status).Ended() || e.Channel != 0 && !v.Sees(e.Channel)
	}), err
}
