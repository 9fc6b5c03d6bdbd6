package directory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// ScheduledEventKind describes the scheduled events of guilds.
var ScheduledEventKind = Kind[store.ScheduledEvent]{
	Name: "scheduled_event",
	Target: func(e store.ScheduledEvent) string {
		return "guild/" + e.Guild.String() + "/scheduled_event/" + e.ID.String()
	},
	Key: store.ScheduledEventKey,
	Read: func(q store.DirectoryQueries, e store.ScheduledEvent) (store.ScheduledEvent, error) {
		return q.ScheduledEvent(e.ID)
	},
	Show: func(e store.ScheduledEvent) any { return convert.WireScheduledEvent(e) },
	Events: func(e *Events, before, after *store.ScheduledEvent) error {
		name := "GUILD_SCHEDULED_EVENT_UPDATE"
		switch {
		case before == nil:
			name = "GUILD_SCHEDULED_EVENT_CREATE"
		case after == nil:
			name = "GUILD_SCHEDULED_EVENT_DELETE"
		}
		changed := *cmp.Or(after, before)
		to, err := EventAudience(e.Reader, changed)
		if err != nil {
			return err
		}
		return e.Add(store.ScheduledEventsSubject(changed.Guild), name, convert.WireScheduledEvent(changed), to, nil)
	},
}

// EventAudience returns who gets the events of a scheduled event: those who see its channel, and after the deletion of the
// channel all.
func EventAudience(r store.Reader, e store.ScheduledEvent) (events.Audience, error) {
	to := events.Audience{Guild: e.Guild, Intents: events.GuildEvents}
	if e.Channel == 0 {
		return to, nil
	}
	_, err := r.Directory.Channel(e.Channel)
	if errors.Is(err, store.ErrNotFound) {
		return to, nil
	}
	to.Channel = e.Channel
	return to, err
}

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
