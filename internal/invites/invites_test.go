package invites_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/invites"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/snowflake"
)

const testWorld = `
users: [{id: "200", username: ada}, {id: "201", username: bob}, {id: "202", username: cy}]
applications: [{id: "100", name: Game, owner: "200"}]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    members: [{user: "200"}]
    installs: [{application: "100", scopes: [bot], permissions: "1"}]
    channels: [{id: "310", name: general}]
`

var (
	ada  = directory.Viewer{User: 200}
	game = directory.Viewer{User: 100, Bot: true}
)

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	return clock.System{}.AfterFunc(time.Hour, func() {})
}

// service is Invites over its own store.
type service struct {
	*invites.Invites

	db    store.Store
	clock *clock.Movable

	mu     sync.Mutex
	events []string // the names of the committed events
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	now := clock.NewMovable(stillClock{})
	ids := store.NewIDs(1, now.Now, time.Time{})
	kept := &audit.Log{Store: db, Clock: now, Wall: now, IDs: ids, Logger: log}
	dir := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: ids, Log: log, Audit: kept})
	lab.ApplyWorld(t, dir, now, testWorld)
	s := &service{db: db, clock: now, Invites: invites.New(invites.Config{Store: db, Clock: now, Directory: dir, Log: log})}
	dir.Removals.Dependents = []directory.Dependent{s.Invites}
	db.Subscribe(func(c *store.Change) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range c.Events {
			if e.Name != "" {
				s.events = append(s.events, e.Name)
			}
		}
	})
	return s
}

// expect compares the committed events and forgets them.
func (s *service) expect(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.events, ", "); got != strings.Join(want, ", ") {
		t.Errorf("events %s, want %s", got, strings.Join(want, ", "))
	}
	s.events = nil
}

func (s *service) create(t *testing.T, by directory.Viewer, body string) wire.Invite {
	t.Helper()
	v, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Create(t.Context(), by, 310, v)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.create(t, game, `{"max_uses":2}`)
	s.expect(t, "INVITE_CREATE", "GUILD_AUDIT_LOG_ENTRY_CREATE")
	if again := s.create(t, game, `{"max_uses":2}`); again.Code != made.Code {
		t.Errorf("another code %s, want %s", again.Code, made.Code)
	}
	s.expect(t)
	for i, want := range [][]string{{"GUILD_MEMBER_ADD"}, {"INVITE_DELETE", "GUILD_MEMBER_ADD"}} {
		if _, err := s.Accept(t.Context(), snowflake.User(201+i), made.Code); err != nil {
			t.Fatal(err)
		}
		s.expect(t, want...)
	}
	if _, err := s.Accept(t.Context(), 202, made.Code); !errors.Is(err, apierror.UnknownInvite) {
		t.Errorf("an invite that was used up: %v", err)
	}
	made = s.create(t, ada, `{}`)
	s.expect(t, "INVITE_CREATE", "GUILD_AUDIT_LOG_ENTRY_CREATE")
	if _, err := s.Delete(t.Context(), ada, made.Code); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "INVITE_DELETE", "GUILD_AUDIT_LOG_ENTRY_CREATE")
}

// TestExpiry checks that moving the clock deletes an invite and announces it, and that one without an end stays.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	if err := s.WaitUntilRunning(ctx); err != nil {
		t.Fatal(err)
	}
	short, long := s.create(t, ada, `{"max_age":60}`), s.create(t, ada, `{"max_age":0}`)
	s.expect(t, "INVITE_CREATE", "GUILD_AUDIT_LOG_ENTRY_CREATE", "INVITE_CREATE", "GUILD_AUDIT_LOG_ENTRY_CREATE")
	s.clock.Advance(59 * time.Second)
	s.expect(t)
	if _, err := s.Get(ctx, short.Code); err != nil {
		t.Errorf("after 59 seconds: %v", err)
	}
	s.clock.Advance(time.Second)
	s.expect(t, "INVITE_DELETE")
	if _, err := s.Get(ctx, short.Code); !errors.Is(err, apierror.UnknownInvite) {
		t.Errorf("after 60 seconds: %v", err)
	}
	if _, err := s.Get(ctx, long.Code); err != nil {
		t.Errorf("one without an end: %v", err)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error {
		for i := range invites.MaxPerGuild {
			if err := tx.Put(store.GuildInvite{Code: strconv.Itoa(i), Guild: 300, Channel: 310, Created: s.clock.Now()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := jsonbody.Parse([]byte(`{}`))
	if _, err := s.Create(t.Context(), ada, 310, v); !errors.Is(err, apierror.TooManyInvites) {
		t.Errorf("with 1000 invites: %v", err)
	}
	if err := s.Directory.Guilds.DeleteChannel(t.Context(), 300, 310); err != nil {
		t.Fatal(err)
	}
	err = s.db.Read(t.Context(), func(r store.Reader) error {
		left, err := r.Invites.OfGuild(300)
		if len(left) > 0 {
			t.Errorf("%d invites are left after the deletion of the channel", len(left))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
