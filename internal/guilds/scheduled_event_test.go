package guilds_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// openSchedule returns a service whose schedule runs.
func openSchedule(t *testing.T) (*service, *guilds.Schedule) {
	t.Helper()
	s := open(t)
	s.Images = &images.Images{Store: s.db, Directory: s.Directory, IDs: s.IDs, Log: slog.New(slog.DiscardHandler)}
	schedule := guilds.NewSchedule(s.Guilds, s.db, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- schedule.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := schedule.WaitUntilRunning(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, schedule
}

// plan creates an event that lasts an hour and begins after start.
func (s *service) plan(t *testing.T, by directory.Viewer, start time.Duration) wire.ScheduledEvent {
	t.Helper()
	from := s.clock.Now().Add(start)
	e, err := s.CreateEvent(t.Context(), by, lab, parse(t, fmt.Sprintf(
		`{"name":"Party","privacy_level":2,"scheduled_start_time":%q,"scheduled_end_time":%q,"entity_type":3,"entity_metadata":{"location":"Pub"}}`,
		from.Format(time.RFC3339), from.Add(time.Hour).Format(time.RFC3339),
	)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// status returns the status of an event.
func (s *service) status(t *testing.T, id snowflake.Event) guild.Status {
	t.Helper()
	e, err := s.ScheduledEvent(t.Context(), ada, lab, id, false)
	if err != nil {
		t.Fatal(err)
	}
	return guild.Status(e.Status)
}

// Guilds, section 12: events elsewhere start and end by the clock. Each change has an event with the intent 16.
func TestSchedule(t *testing.T) {
	t.Parallel()
	s, _ := openSchedule(t)
	e := s.plan(t, ada, time.Hour)
	s.take()
	for _, step := range []struct {
		advance time.Duration
		want    guild.Status
		events  string
	}{
		{59 * time.Minute, guild.Scheduled, ""},
		{time.Minute, guild.Active, "GUILD_SCHEDULED_EVENT_UPDATE"},
		{time.Hour, guild.Completed, "GUILD_SCHEDULED_EVENT_UPDATE"},
		{time.Hour, guild.Completed, ""},
	} {
		s.clock.Advance(step.advance)
		if got := s.status(t, e.ID); got != step.want {
			t.Errorf("after %v the status is %d, want %d", step.advance, got, step.want)
		}
		for _, text := range s.events {
			if !strings.Contains(text, fmt.Sprintf("to 300/0 %b ", 1<<16)) {
				t.Errorf("event %s", text)
			}
		}
		if got := s.take(); got != step.events {
			t.Errorf("after %v the events are %q, want %q", step.advance, got, step.events)
		}
	}
	if list, err := s.ScheduledEvents(t.Context(), ada, lab, false); err != nil || len(list) != 0 {
		t.Errorf("ScheduledEvents() = %v, %v: completed events are not in the list", list, err)
	}
}

// Guilds, section 12: 30038 at 100 events that have not ended. The service keeps 100 of those that have.
func TestEventLimits(t *testing.T) {
	t.Parallel()
	s, _ := openSchedule(t)
	put := func(first int, status guild.Status) {
		err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error {
			for i := range guild.MaxEvents {
				e := store.ScheduledEvent{ID: snowflake.Event(first + i), Guild: lab, Name: "x", Entity: int(guild.Elsewhere), Status: int(status)}
				if err := tx.Put(e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(1000, guild.Completed)
	e := s.plan(t, ada, time.Hour)
	if _, err := s.EditEvent(t.Context(), ada, lab, e.ID, parse(t, `{"status":4}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ScheduledEvent(t.Context(), ada, lab, 1000, false); !errors.Is(err, apierror.UnknownEvent) {
		t.Errorf("the oldest of 101 events that have ended: %v", err)
	}
	put(2000, guild.Scheduled)
	s.take()
	_, err := s.CreateEvent(t.Context(), ada, lab, parse(t, `{"name":"Talk","privacy_level":2,"scheduled_start_time":"2026-06-01T12:00:00Z","entity_type":2,"channel_id":"311"}`))
	if !errors.Is(err, apierror.TooManyEvents) || s.take() != "" {
		t.Errorf("with 100 open events: %v", err)
	}
}

func TestInterest(t *testing.T) {
	t.Parallel()
	s, _ := openSchedule(t)
	e := s.plan(t, ada, time.Hour)
	carl := directory.Viewer{User: 202}
	for _, v := range []directory.Viewer{ada, carl, carl} {
		if err := s.SetInterest(t.Context(), v, lab, e.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetInterest(t.Context(), ada, lab, e.ID, false); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("GUILD_SCHEDULED_EVENT_USER_REMOVE to 300/0 %b 0: {\"guild_scheduled_event_id\":%q,\"user_id\":\"200\",\"guild_id\":\"300\"}", 1<<16, e.ID)
	if got := s.events[len(s.events)-1]; got != want {
		t.Errorf("event %s, want %s", got, want)
	}
	if got := s.take(); !strings.HasSuffix(got, "USER_ADD GUILD_SCHEDULED_EVENT_USER_ADD GUILD_SCHEDULED_EVENT_USER_REMOVE") {
		t.Errorf("events %s: a second interest changes nothing", got)
	}
	if err := s.Directory.Users.Delete(t.Context(), 202); err != nil {
		t.Fatal(err)
	}
	if n, err := s.CountEventUsers(t.Context(), ada, lab, e.ID); err != nil || n.Count != 0 {
		t.Errorf("after the deletion of the user %+v, %v", n, err)
	}
}

// An event ends with its channel, and goes with its guild.
func TestEventChannel(t *testing.T) {
	t.Parallel()
	s, _ := openSchedule(t)
	_, err := s.CreateEvent(t.Context(), game, lab, parse(t, `{"name":"Talk","privacy_level":2,"scheduled_start_time":"2026-06-01T12:00:00Z","entity_type":2,"channel_id":"313"}`))
	if !errors.Is(err, apierror.MissingPermission) {
		t.Fatalf("in a channel to which the bot cannot connect: %v", err)
	}
	e, err := s.CreateEvent(t.Context(), ada, lab, parse(t, `{"name":"Talk","privacy_level":2,"scheduled_start_time":"2026-06-01T12:00:00Z","entity_type":2,"channel_id":"311"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.events[len(s.events)-2], "GUILD_SCHEDULED_EVENT_CREATE to 300/311") {
		t.Errorf("events %s: only those who see the channel get them", s.events)
	}
	s.take()
	if err := s.Directory.Guilds.DeleteChannel(t.Context(), lab, 311); err != nil {
		t.Fatal(err)
	}
	if got := s.status(t, e.ID); got != guild.Canceled || !strings.Contains(s.take(), "GUILD_SCHEDULED_EVENT_UPDATE") {
		t.Errorf("the status is %d", got)
	}
	if err := s.Directory.Guilds.Delete(t.Context(), lab); err != nil {
		t.Fatal(err)
	}
	err = s.db.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Directory.ScheduledEvents(lab)
		if len(list) != 0 {
			t.Errorf("%d events are left", len(list))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
