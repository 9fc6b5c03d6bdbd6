package guilds

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// MaxEventUsers is the largest number of users in a page of those who are interested in an event.
const MaxEventUsers = 100

// EventUserPage selects users who are interested in an event.
type EventUserPage struct {
	Before, After snowflake.User // 0: no bound; Before takes precedence, and selects the last users below it
	Limit         int
	Members       bool // with their members
}

// EventUsers returns the users who are interested in an event, ordered by id.
func (s *Guilds) EventUsers(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event, p EventUserPage,
) (list []wire.EventUser, err error) {
	if _, err := s.readEvent(ctx, by, id, event); err != nil {
		return nil, err
	}
	err = s.Directory.Read(ctx, func(r store.Reader) error {
		read := func() ([]snowflake.User, error) { return r.Directory.EventUsers(event, p.After, p.Limit) }
		if p.Before != 0 {
			read = func() ([]snowflake.User, error) { return r.Directory.EventUsersBefore(event, p.Before, p.Limit) }
		}
		ids, err := read()
		if err != nil {
			return err
		}
		list = make([]wire.EventUser, 0, len(ids))
		for _, id := range ids {
			u, err := readUser(r, id)
			if errors.Is(err, store.ErrNotFound) {
				continue // the user is being deleted
			}
			if err != nil {
				return err
			}
			list = append(list, wire.EventUser{EventID: event, UserID: id, User: &u, Response: wire.Interested})
		}
		return nil
	})
	if err != nil || !p.Members {
		return list, err
	}
	for i := range list {
		m, err := s.Directory.Guilds.MemberWithUser(ctx, id, list[i].UserID)
		if errors.Is(err, directory.ErrUnknownMember) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list[i].Member = &m
	}
	return list, nil
}

// CountEventUsers returns how many users are interested in an event.
func (s *Guilds) CountEventUsers(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event,
) (wire.EventUserCount, error) {
	e, err := s.readEvent(ctx, by, id, event)
	return wire.EventUserCount{Count: e.Users}, err
}

// SetInterest makes a member interested in an event that has not ended, or no longer so.
func (s *Guilds) SetInterest(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, event snowflake.Event, interested bool,
) error {
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		e, err := g.event(event)
		if err != nil {
			return err
		}
		if hasEnded(e) {
			return apierror.FinishedEvent
		}
		if e.Channel != 0 {
			place, err := g.tx.Enter(e.Channel, by, g.now)
			if err != nil {
				return err
			}
			if err := place.Allow(permission.OpViewChannel, false); err != nil {
				return err
			}
		}
		was, err := g.tx.Directory.IsInterested(event, by.User)
		if err != nil || was == interested {
			return err
		}
		return g.putInterest(e, interested)
	}))
}

// putInterest stores and announces that the acting member is interested in an event, or no longer so.
func (g *manager) putInterest(e store.ScheduledEvent, interested bool) error {
	u := store.EventUser{Guild: e.Guild, Event: e.ID, User: g.user.User}
	name := "GUILD_SCHEDULED_EVENT_USER_ADD"
	if interested {
		e.Users++
		if err := g.tx.Put(u); err != nil {
			return err
		}
	} else {
		name = "GUILD_SCHEDULED_EVENT_USER_REMOVE"
		e.Users--
		g.tx.Delete(store.EventUserKey(u))
	}
	to, err := directory.EventAudience(g.tx.Reader, e)
	if err != nil {
		return err
	}
	data, err := json.Marshal(struct {
		Event snowflake.Event `json:"guild_scheduled_event_id"`
		User  snowflake.User  `json:"user_id"`
		Guild snowflake.Guild `json:"guild_id"`
	}{u.Event, u.User, u.Guild})
	if err != nil {
		return err
	}
	g.tx.Announce(store.Event{Subject: store.ScheduledEventsSubject(e.Guild), Event: events.Event{Name: name, Data: data, To: to}})
	return g.tx.Put(e)
}

// FindEvent returns the open event of a guild with an id or a name, or apierror.UnknownEvent.
func (s *Guilds) FindEvent(ctx context.Context, by directory.Viewer, id snowflake.Guild, name string) (snowflake.Event, error) {
	list, err := s.Directory.Guilds.OpenEvents(ctx, id, by)
	if err != nil {
		return 0, err
	}
	for _, e := range convert.WireScheduledEvents(list) {
		if e.ID.String() == name || e.Name == name {
			return e.ID, nil
		}
	}
	return 0, apierror.UnknownEvent
}
