package guilds

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// ScheduledEvents returns the events of a guild that have not ended and that a member sees. counted adds the numbers of
// interested users.
func (s *Guilds) ScheduledEvents(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, counted bool,
) ([]wire.ScheduledEvent, error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpViewGuild); err != nil {
		return nil, err
	}
	list, err := s.Directory.Guilds.OpenEvents(ctx, id, by)
	shown := convert.WireScheduledEvents(list)
	for i := range list {
		if counted {
			shown[i].UserCount = &list[i].Users
		}
	}
	return shown, err
}

// ScheduledEvent returns an event of a guild that a member sees.
func (s *Guilds) ScheduledEvent(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event, counted bool,
) (shown wire.ScheduledEvent, err error) {
	e, err := s.readEvent(ctx, by, id, event)
	if err != nil {
		return shown, err
	}
	if shown = convert.WireScheduledEvent(e); counted {
		shown.UserCount = &e.Users
	}
	return shown, nil
}

// readEvent returns an event that a member sees. For another event the error is apierror.UnknownEvent.
func (s *Guilds) readEvent(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event,
) (e store.ScheduledEvent, err error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpViewGuild); err != nil {
		return e, err
	}
	view, err := s.Directory.Guilds.View(ctx, id, by)
	if err != nil {
		return e, err
	}
	err = s.Directory.Read(ctx, func(r store.Reader) (err error) {
		e, err = r.Directory.ScheduledEvent(event)
		return err
	})
	gone := e.Guild != id || e.Channel != 0 && !guild.Status(e.Status).Ended() && !view.Sees(e.Channel)
	if errors.Is(err, store.ErrNotFound) || err == nil && gone {
		return e, apierror.UnknownEvent
	}
	return e, err
}

// CreateEvent creates a scheduled event.
func (s *Guilds) CreateEvent(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown wire.ScheduledEvent, err error) {
	made := store.ScheduledEvent{ID: snowflake.Event(s.IDs.Next()), Guild: id, Creator: by.User}
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		in, im, err := guild.ReadEvent(body, g.now)
		if err != nil {
			return err
		}
		op, _, _ := in.Entity.Operations()
		if err := g.allowEvent(op, in.Entity, in.Channel, true); err != nil {
			return err
		}
		all, err := g.tx.Directory.ScheduledEvents(id)
		if err != nil {
			return err
		}
		if len(slices.DeleteFunc(all, hasEnded)) >= guild.MaxEvents {
			return apierror.TooManyEvents
		}
		e := convert.WithEvent(made, in)
		if err := setEventImage(ctx, g, draft, made, e, im); err != nil {
			return err
		}
		g.recordEvent(op, nil, &e)
		shown = convert.WireScheduledEvent(e)
		return directory.ScheduledEventKind.Put(g.tx, e)
	}))
	return shown, draft.End(ctx, err)
}

func hasEnded(e store.ScheduledEvent) bool { return guild.Status(e.Status).Ended() }

// allowEvent returns nil if the acting member may perform an operation on an event of a type in a channel. own says whether the
// member created the event.
func (g *manager) allowEvent(op permission.Operation, entity guild.EntityType, id snowflake.Channel, own bool) error {
	if entity == guild.Elsewhere {
		return denied(op, permission.Act{Operation: op, Member: &g.by, Own: own}.Decide())
	}
	place, err := g.tx.Enter(id, g.user, g.now)
	switch {
	case err != nil:
		return err
	case place.Channel.Guild != g.ID:
		return directory.ErrUnknownChannel
	case place.Channel.Type != channelOf[entity]:
		return apierror.WrongChannelType
	}
	return place.Allow(op, own)
}

// channelOf lists the type of the channel in which events of a type take place.
var channelOf = map[guild.EntityType]int{guild.OnStage: world.StageChannel, guild.InVoice: world.VoiceChannel}

// setEventImage stores the image of an event that is new or changed. im has no hash unless the request contains an image.
func setEventImage(ctx context.Context, g *manager, draft *images.Draft, old, next store.ScheduledEvent, im imagedata.Image) error {
	var image optional.Value[imagedata.Image]
	switch {
	case im.Hash != "":
		image = optional.Of(im)
	case next.Image == "" && old.Image != "":
		image = optional.Null[imagedata.Image]()
	}
	_, err := draft.Set(ctx, g.tx, images.ScheduledEvent(old), image, old.Image)
	return err
}

// EditEvent changes a scheduled event, which includes that it starts or ends.
func (s *Guilds) EditEvent(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event, body jsonbody.Value,
) (shown wire.ScheduledEvent, err error) {
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		e, err := g.event(event)
		if err != nil {
			return err
		}
		old := convert.Event(e)
		in, im, err := guild.ReadEventPatch(body, old, g.now)
		if err != nil {
			return err
		}
		_, op, _ := in.Entity.Operations()
		if err := g.allowOldEvent(e); err != nil {
			return err
		}
		if err := g.allowEvent(op, in.Entity, in.Channel, e.Creator == by.User); err != nil {
			return err
		}
		next := convert.WithEvent(e, in)
		if err := setEventImage(ctx, g, draft, e, next, im); err != nil {
			return err
		}
		if shown = convert.WireScheduledEvent(next); reflect.DeepEqual(e, next) {
			return nil
		}
		g.recordEvent(op, &e, &next)
		return putEvent(g.tx, next)
	}))
	return shown, draft.End(ctx, err)
}

// allowOldEvent returns nil if the acting member may edit an event where it takes place before the edit.
func (g *manager) allowOldEvent(e store.ScheduledEvent) error {
	entity := guild.EntityType(e.Entity)
	_, op, _ := entity.Operations()
	return g.allowEvent(op, entity, e.Channel, e.Creator == g.user.User)
}

// putEvent stores an event that changes. Of the events of a guild that have ended, it keeps the latest.
func putEvent(tx *directory.Tx, e store.ScheduledEvent) error {
	if hasEnded(e) {
		all, err := tx.Directory.ScheduledEvents(e.Guild)
		if err != nil {
			return err
		}
		ended := slices.DeleteFunc(all, func(o store.ScheduledEvent) bool { return !hasEnded(o) })
		for _, o := range ended[:max(len(ended)-guild.MaxEndedEvents+1, 0)] {
			tx.Delete(store.ScheduledEventKey(o)) // without an event: clients have dropped it
		}
	}
	return directory.ScheduledEventKind.Put(tx, e)
}

// DeleteEvent deletes a scheduled event with its image.
func (s *Guilds) DeleteEvent(ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event) error {
	draft := s.Images.Draft()
	err := s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		e, err := g.event(event)
		if err != nil {
			return err
		}
		entity := guild.EntityType(e.Entity)
		_, _, op := entity.Operations()
		if hasEnded(e) { // the channel may be deleted
			entity, op = guild.Elsewhere, permission.OpDeleteExternalEvent
		}
		if err := g.allowEvent(op, entity, e.Channel, e.Creator == by.User); err != nil {
			return err
		}
		next := e
		next.Image = ""
		if err := setEventImage(ctx, g, draft, e, next, imagedata.Image{}); err != nil {
			return err
		}
		g.recordEvent(op, &e, nil)
		directory.ScheduledEventKind.Delete(g.tx, e)
		return nil
	}))
	return draft.End(ctx, err)
}

// event returns an event of the guild, or apierror.UnknownEvent.
func (g *manager) event(id snowflake.Event) (store.ScheduledEvent, error) {
	e, err := g.tx.Directory.ScheduledEvent(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Guild != g.ID {
		return e, apierror.UnknownEvent
	}
	return e, err
}

// recordEvent records a change of a scheduled event.
func (g *manager) recordEvent(op permission.Operation, old, next *store.ScheduledEvent) {
	show := func(e *store.ScheduledEvent) *guild.Event {
		if e == nil {
			return nil
		}
		return new(convert.Event(*e))
	}
	g.record(op, store.ScheduledEventsSubject(g.ID), audit.GuildEntry{
		Target: snowflake.Target(cmp.Or(next, old).ID), Changes: guild.Changes(guild.EventFields, show(old), show(next)),
	})
}
