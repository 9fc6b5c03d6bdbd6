package guilds_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testWorld has a bot with all permissions but no administrator, whose highest role is at position 5.
const testWorld = `
users: [{id: "200", username: ada}, {id: "201", username: bob}, {id: "202", username: carl}, {id: "203", username: dora}]
applications: [{id: "100", name: Game, owner: "200"}]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    roles: [{id: "301", name: helpers, position: 1}, {id: "303", name: bots, position: 5}, {id: "302", name: mods, position: 9}]
    members: [{user: "200"}, {user: "201", roles: ["302"]}, {user: "202", roles: ["301"]}, {user: "100", roles: ["303"]}]
    installs: [{application: "100", scopes: [bot], permissions: "1100011799735"}]
    channels: [{id: "310", name: general, permission_overwrites: [{id: "202", type: 1, allow: "1024"}]}, {id: "311", name: voice, type: 2}, {id: "312", name: stage, type: 13}, {id: "313", name: closed, type: 2, permission_overwrites: [{id: "303", type: 0, deny: "1048576"}]}]
`

const lab snowflake.Guild = 300

var (
	ada  = directory.Viewer{User: 200}
	game = directory.Viewer{User: 100, Bot: true}
)

type stillClock struct{ clock.System }

func (stillClock) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// service is Guilds over its own store.
type service struct {
	*guilds.Guilds

	db     store.Store
	clock  *clock.Movable
	events []string // the committed events
	wrote  []store.Subject

	deleted []string // the deletions of messages
}

// DeleteOf notes that the messages of authors are deleted.
func (s *service) DeleteOf(_ context.Context, guild snowflake.Guild, authors []snowflake.User, since time.Time) error {
	s.deleted = append(s.deleted, fmt.Sprint(guild, authors, since.Format(time.TimeOnly)))
	return nil
}

func open(t testing.TB) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.NewMovable(stillClock{})
	states, ids := cache.New(db, 1<<20), store.NewIDs(1, now.Now, time.Time{})
	recorded := &audit.Log{Store: db, Clock: now, Wall: clock.System{}, IDs: ids, Logger: log}
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: now, IDs: ids, Audit: recorded, Log: log})
	w, err := world.Parse("test.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&provision.Provisioner{Directory: dir, Clock: now}).Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	s := &service{db: db, clock: now}
	s.Guilds = &guilds.Guilds{Directory: dir, Audit: recorded, Clock: now, IDs: ids, Messages: s, Voice: inVoice{}, Presence: online{}}
	s.Activity = &guilds.Activity{Store: db, Clock: now, Wall: clock.System{}, Log: log}
	db.Subscribe(func(c *store.Change) {
		for _, e := range c.Events {
			s.events = append(s.events, fmt.Sprintf("%s to %d/%d %b %d: %s", e.Name, e.To.Guild, e.To.Channel, e.To.Intents, e.To.Needs, e.Data))
		}
		for _, e := range c.Expect {
			s.wrote = append(s.wrote, e.Subject)
		}
	})
	dir.Removals.Dependents = []directory.Dependent{s.Guilds}
	return s
}

// take returns the names of the committed events and forgets them.
func (s *service) take() string {
	names := make([]string, len(s.events))
	for i, e := range s.events {
		names[i], _, _ = strings.Cut(e, " ")
	}
	s.events, s.wrote = nil, nil
	return strings.Join(names, " ")
}

// log returns the entries of the audit log of the guild as text, oldest first.
func (s *service) log(t *testing.T) []string {
	t.Helper()
	list, err := s.Audit.OfGuild(t.Context(), lab, store.GuildAuditFilter{Oldest: true}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range list {
		lines = append(lines, fmt.Sprint(e.Action, " ", e.User, " ", e.Target, " ", string(e.Changes), " ", e.Options, " ", e.Reason))
	}
	return lines
}

func TestKick(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := audit.WithActor(t.Context(), &audit.Actor{Application: 100, Reason: "loud"})
	if err := s.Kick(ctx, game, lab, 202); err != nil {
		t.Fatal(err)
	}
	if i := len(s.events) - 1; i < 0 || !strings.HasPrefix(s.events[i], `GUILD_AUDIT_LOG_ENTRY_CREATE to 300/0 100 128: {"id":`) ||
		!strings.Contains(s.events[i], `"action_type":20,"user_id":"100","target_id":"202","reason":"loud","guild_id":"300"}`) {
		t.Errorf("events %q, want the entry at the end", s.events)
	}
	if got := s.take(); got != "CHANNEL_UPDATE GUILD_MEMBER_REMOVE GUILD_AUDIT_LOG_ENTRY_CREATE" {
		t.Errorf("events %s", got)
	}
	if got := s.log(t); !slices.Equal(got, []string{"20 100 202  map[] loud"}) {
		t.Errorf("audit log %q", got)
	}
	for _, tt := range []struct {
		name string
		user snowflake.User
	}{{"the owner", 200}, {"a higher role", 201}, {"no member", 203}, {"no user", 299}} {
		if err := s.Kick(ctx, game, lab, tt.user); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if got := s.take(); got != "" || len(s.log(t)) != 1 {
		t.Errorf("refused kicks have events %s and entries %q", got, s.log(t))
	}
}

// TestAuditLogOfGuildEnds checks that the entries of a guild disappear after 45 days, and with the guild.
func TestAuditLogOfGuildEnds(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := s.Kick(t.Context(), game, lab, 202); err != nil {
		t.Fatal(err)
	}
	stored := func() (n int) {
		err := s.db.Read(t.Context(), func(r store.Reader) error {
			list, err := r.Audit.OfGuild(lab, store.GuildAuditFilter{}, 100)
			n = len(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.clock.Advance(45*24*time.Hour - time.Minute)
	if err := s.Audit.RemoveOld(t.Context()); err != nil || stored() != 1 || len(s.log(t)) != 1 {
		t.Errorf("before 45 days: %d entries, %v", stored(), err)
	}
	s.clock.Advance(2 * time.Minute)
	if len(s.log(t)) != 0 {
		t.Errorf("after 45 days the log shows %q", s.log(t))
	}
	if err := s.Audit.RemoveOld(t.Context()); err != nil || stored() != 0 {
		t.Errorf("after 45 days: %d entries, %v", stored(), err)
	}
	if err := s.Kick(t.Context(), ada, lab, 201); err != nil {
		t.Fatal(err)
	}
	if err := s.Directory.Guilds.Delete(t.Context(), lab); err != nil || stored() != 0 {
		t.Errorf("after the deletion of the guild: %d entries, %v", stored(), err)
	}
}

// TestJoinLeavesGuildState checks that members come and go without a change of the guild, which all nodes cache.
func TestJoinLeavesGuildState(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := s.Directory.Guilds.AcceptInvite(t.Context(), 203, func(*store.Tx) (snowflake.Guild, error) { return lab, nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Kick(t.Context(), game, lab, 203); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.wrote, store.GuildSubject(lab)) {
		t.Errorf("wrote the guild: %v", s.wrote)
	}
	if got := s.take(); got != "GUILD_MEMBER_ADD GUILD_MEMBER_REMOVE GUILD_AUDIT_LOG_ENTRY_CREATE" {
		t.Errorf("events %s", got)
	}
}

// online has the users who are online.
type online map[snowflake.User]bool

func (o online) Online(user snowflake.User) bool { return o[user] }

// inVoice has the voice channels of members, and the moves.
type inVoice map[snowflake.User]snowflake.Channel

func (v inVoice) VoiceState(_ snowflake.Guild, user snowflake.User) (wire.VoiceState, bool) {
	channel, ok := v[user]
	return wire.VoiceState{ChannelID: &channel, UserID: user}, ok
}

func (v inVoice) MoveVoice(_ context.Context, _ snowflake.Guild, user snowflake.User, channel snowflake.Channel) error {
	v[user] = channel
	return nil
}
