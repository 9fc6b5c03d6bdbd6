package provision

import (
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// scheduledEvents writes the scheduled events of a guild, after its channels.
func (w *batch) scheduledEvents(t *jsonbody.Tree, g world.Guild) error {
	for i, e := range g.ScheduledEvents {
		old, err := w.tx.Directory.ScheduledEvent(e.ID)
		if err == nil && old.Guild != g.ID {
			t.Index(i).At("id").Add(Taken, "Is the id of a scheduled event elsewhere.")
			continue
		}
		var place store.Channel
		if e.Channel != 0 {
			var missing error
			if place, missing = w.tx.Directory.Channel(e.Channel); missing != nil {
				return missing // the check has found it
			}
		}
		record := convert.ScheduledEventRecord(g.ID, e, place.Type, old)
		if _, err := replace(w, &directory.ScheduledEventKind, old, err, record); err != nil {
			return err
		}
	}
	if len(g.ScheduledEvents) == 0 {
		return nil
	}
	return w.countEvents(t, g)
}

// countEvents reports that a guild has too many scheduled events that have not ended.
func (w *batch) countEvents(t *jsonbody.Tree, g world.Guild) error {
	all, err := w.tx.Directory.ScheduledEvents(g.ID)
	open := 0
	for _, e := range all {
		if !guild.Status(e.Status).Ended() {
			open++
		}
	}
	if open > guild.MaxEvents {
		t.Length(-1, guild.MaxEvents)
	}
	return err
}

// scheduledEvents checks the channels and the creators of the scheduled events of a guild.
func (gc *guildCheck) scheduledEvents(t *jsonbody.Tree, list []world.ScheduledEvent) {
	for i, e := range list {
		gc.hasAuthor(t.Index(i).At("creator"), e.Creator)
		if e.Channel == 0 {
			continue
		}
		at := t.Index(i).At("channel")
		switch c, there := gc.channels[e.Channel]; {
		case !there:
			at.Add(UnknownReference, "Is not a channel of the guild.")
		case c.Type != world.VoiceChannel && c.Type != world.StageChannel:
			at.Add(world.Misplaced, "An event takes place in a voice or stage channel.")
		}
	}
}

// scheduledEvents adds the scheduled events of a guild that have not ended. A creator who is not in the world is left out.
func (e *exporter) scheduledEvents(g *world.Guild) error {
	all, err := e.Directory.ScheduledEvents(g.ID)
	if err != nil {
		return err
	}
	for _, event := range all {
		if guild.Status(event.Status).Ended() {
			continue
		}
		there, err := e.exports(event.Creator)
		if err != nil {
			return err
		}
		if !there {
			event.Creator = 0
		}
		g.ScheduledEvents = append(g.ScheduledEvents, convert.WorldScheduledEvent(event))
	}
	return nil
}

// exports reports whether a world has a user or bot.
func (e *exporter) exports(id snowflake.User) (bool, error) {
	u, err := directory.ReadUser(e.Reader, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && u.Provisional == 0, err
}
