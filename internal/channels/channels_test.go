package channels_test

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/channels"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

const testWorld = `
users: [{id: "200", username: ada}, {id: "201", username: bob}]
applications: [{id: "100", name: Game, owner: "200"}]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    members: [{user: "200"}, {user: "201"}]
    installs: [{application: "100", scopes: [bot], permissions: "268435472"}]
    channels:
      - {id: "310", name: general}
      - {id: "311", name: halls, type: 4, permission_overwrites: [{id: "300", type: 0, deny: "2048"}]}
      - {id: "312", name: synced, parent: "311", permission_overwrites: [{id: "300", type: 0, deny: "2048"}]}
      - {id: "313", name: apart, parent: "311"}
      - {id: "314", name: old thread, type: 11, parent: "310"}
`

var (
	ada  = directory.Viewer{User: 200}
	game = directory.Viewer{User: 100, Bot: true}
)

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	panic("no test waits")
}

// service is Channels over its own store.
type service struct {
	*channels.Channels

	db     store.Store
	events []string // the committed events with the ids of their channels
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	now := stillClock{}
	ids := store.NewIDs(1, now.Now, time.Time{})
	dir := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: ids, Log: log})
	lab.ApplyWorld(t, dir, now, testWorld)
	s := &service{db: db, Channels: channels.New(channels.Config{Clock: now, IDs: ids, Directory: dir})}
	db.Subscribe(func(c *store.Change) {
		for _, e := range c.Events {
			v, err := jsonbody.Parse(e.Data)
			if err != nil {
				t.Error(err)
			}
			s.events = append(s.events, e.Name+" "+v.Get("id").Text())
		}
	})
	return s
}

// put stores records as they are.
func (s *service) put(t *testing.T, records ...store.Record) {
	t.Helper()
	err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error {
		for _, r := range records {
			if err := tx.Put(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.events = nil
}

// expect compares the committed events and forgets them.
func (s *service) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(s.events, ", "); got != strings.Join(want, ", ") {
		t.Errorf("events %s, want %s", got, strings.Join(want, ", "))
	}
	s.events = nil
}

func value(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	made, err := s.Create(t.Context(), game, 300, value(t, `{"name":"New One","parent_id":"311"}`))
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "new-one" || len(made.PermissionOverwrites) != 1 {
		t.Errorf("created %+v, want the overwrites of the category", made)
	}
	s.expect(t, "CHANNEL_CREATE "+made.ID.String())
	if _, err := s.Edit(t.Context(), game, 310, value(t, `{"topic":"all","name":"general"}`)); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_UPDATE 310")
	if _, err := s.Edit(t.Context(), game, 310, value(t, `{"topic":"all","bitrate":8000}`)); err != nil {
		t.Fatal(err)
	}
	s.expect(t) // nothing changed
	if err := s.SetOverwrite(t.Context(), ada, 311, 201, value(t, `{"type":1,"deny":"1024"}`)); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_UPDATE 311", "CHANNEL_UPDATE 312", "CHANNEL_UPDATE "+made.ID.String())
	if err := s.DeleteOverwrite(t.Context(), ada, 311, 201); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_UPDATE 311", "CHANNEL_UPDATE 312", "CHANNEL_UPDATE "+made.ID.String())
	if err := s.Move(t.Context(), game, 300, value(t, `[{"id":"310","position":4},{"id":"313","position":0}]`)); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_UPDATE 310")
	if _, err := s.Delete(t.Context(), game, 310); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_DELETE 310") // its thread goes without an event
	if _, err := s.Delete(t.Context(), game, 311); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "CHANNEL_UPDATE 312", "CHANNEL_UPDATE 313", "CHANNEL_UPDATE "+made.ID.String(), "CHANNEL_DELETE 311")
}

// TestRefused checks that a refused request stores and announces nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, do := range map[string]func() error{
		"create": func() error {
			_, err := s.Create(t.Context(), game, 300, value(t, `{"name":"x","parent_id":"310"}`))
			return err
		},
		"edit": func() error {
			_, err := s.Edit(t.Context(), game, 310, value(t, `{"name":"x","parent_id":"5"}`))
			return err
		},
		"overwrite": func() error { return s.SetOverwrite(t.Context(), game, 310, 5, value(t, `{"type":0}`)) },
		"move": func() error {
			return s.Move(t.Context(), game, 300, value(t, `[{"id":"310","position":4},{"id":"5","position":1}]`))
		},
	} {
		if err := do(); err == nil {
			t.Errorf("%s: no error", name)
		}
		s.expect(t)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("channels of a guild", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		var list []store.Record
		for i := range 496 { // the world has four channels, and a thread that does not count
			list = append(list, store.Channel{ID: snowflake.Channel(1000 + i), Guild: 300, Name: strconv.Itoa(i)})
		}
		s.put(t, list[:495]...)
		if _, err := s.Create(t.Context(), game, 300, value(t, `{"name":"last"}`)); err != nil {
			t.Errorf("with 499 channels: %v", err)
		}
		if _, err := s.Create(t.Context(), game, 300, value(t, `{"name":"x"}`)); !errors.Is(err, apierror.TooManyChannels) {
			t.Errorf("with 500 channels: %v", err)
		}
	})
	t.Run("channels of a category", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		for i := range 48 {
			s.put(t, store.Channel{ID: snowflake.Channel(1000 + i), Guild: 300, Name: strconv.Itoa(i), Parent: 311})
		}
		if _, err := s.Edit(t.Context(), game, 310, value(t, `{"parent_id":"311"}`)); err == nil || !strings.Contains(err.Error(), "parent_id") {
			t.Errorf("with 50 channels: %v", err)
		}
		if _, err := s.Edit(t.Context(), game, 312, value(t, `{"parent_id":"311"}`)); err != nil {
			t.Errorf("a channel that is in the category: %v", err)
		}
	})
	t.Run("overwrites of a channel", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		c := store.Channel{ID: 310, Guild: 300, Name: "general"}
		for i := range 1000 {
			c.Overwrites = append(c.Overwrites, store.ChannelOverwrite{ID: snowflake.Target(1000 + i), Type: world.MemberOverwrite})
		}
		s.put(t, c)
		if err := s.SetOverwrite(t.Context(), ada, 310, 201, value(t, `{"type":1}`)); !errors.Is(err, apierror.TooManyOverwrites) {
			t.Errorf("with 1000 overwrites: %v", err)
		}
		if err := s.SetOverwrite(t.Context(), ada, 310, 1000, value(t, `{"type":1,"deny":"1"}`)); err != nil {
			t.Errorf("one that exists: %v", err)
		}
	})
}
