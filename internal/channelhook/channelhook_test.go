package channelhook_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/snowflake"
)

const testWorld = `
users: [{id: "200", username: ada}]
applications: [{id: "100", name: Game, owner: "200"}]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    members: [{user: "200"}]
    installs: [{application: "100", scopes: [bot], permissions: "536870912"}]
    channels: [{id: "310", name: general}, {id: "311", name: other}, {id: "312", name: news, type: 5}]
`

var (
	ada  = directory.Viewer{User: 200}
	game = directory.Viewer{User: 100, Bot: true}
)

// tickingClock moves on by a millisecond whenever it is asked. So work that falls due again has another due time than before: a
// sweep skips a record that it has handled and that is due as before.
type tickingClock struct{ asked atomic.Int64 }

func (c *tickingClock) Now() time.Time {
	return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.asked.Add(1)) * time.Millisecond)
}

func (*tickingClock) AfterFunc(d time.Duration, fn func()) *clock.Timer {
	return clock.System{}.AfterFunc(d, fn)
}

// service is Webhooks over its own store.
type service struct {
	*channelhook.Webhooks

	db     store.Store
	mu     sync.Mutex
	events []string                // the committed events
	full   []snowflake.Application // those that get the content of messages in any case
}

func open(t *testing.T) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db := lab.OpenStore(t)
	now := new(tickingClock)
	states, ids := cache.New(db, 1<<20), store.NewIDs(1, now.Now, time.Time{})
	files, err := attachments.OpenFiles(t.TempDir(), attachments.FilesConfig{
		Clock: now, Wall: clock.System{}, Log: log, Base: "http://bellhop.test",
		Referenced: func(_ context.Context, ids []snowflake.Attachment) ([]snowflake.Attachment, error) { return ids, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: now, IDs: ids, Log: log})
	lab.ApplyWorld(t, dir, now, testWorld)
	s := &service{db: db}
	db.Subscribe(func(c *store.Change) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range c.Events {
			s.events = append(s.events, fmt.Sprintf("%s to %d/%d %b: %s", e.Name, e.To.Guild, e.To.Channel, e.To.Intents, e.Data))
			s.full = append(s.full, e.Full...)
		}
	})
	s.Webhooks = channelhook.New(channelhook.Config{
		Cache: states, Clock: now, IDs: ids, Directory: dir, Secrets: files, Log: log,
		Messages: messages.New(messages.Config{Cache: states, Clock: now, IDs: ids, Directory: dir, Files: files, Metrics: metrics.New("test"), Log: log}),
	})
	dir.Removals.Dependents = []directory.Dependent{s.Webhooks}
	return s
}

// take returns the committed events and forgets them.
func (s *service) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := strings.Join(s.events, "\n")
	s.events = nil
	return list
}

func value(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s *service) create(t *testing.T, by directory.Viewer, channel snowflake.Channel) wire.Webhook {
	t.Helper()
	h, err := s.Create(t.Context(), by, channel, value(t, `{"name":"CI"}`))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.create(t, game, 310)
	const general, other = `WEBHOOKS_UPDATE to 300/310 100000: {"guild_id":"300","channel_id":"310"}`, `WEBHOOKS_UPDATE to 300/311 100000: {"guild_id":"300","channel_id":"311"}`
	if got := s.take(); got != general {
		t.Errorf("after the creation: %s", got)
	}
	by := channelhook.Caller{Viewer: ada}
	if _, err := s.Edit(t.Context(), by, h.ID, value(t, `{"channel_id":"311"}`)); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); got != general+"\n"+other {
		t.Errorf("after the move: %s", got)
	}
	for id, want := range map[snowflake.Channel]int{310: 0, 311: 1} {
		if list, err := s.OfChannel(t.Context(), ada, id); err != nil || len(list) != want {
			t.Errorf("after the move: channel %v has %v, %v", id, list, err)
		}
	}
	if err := s.Delete(t.Context(), channelhook.Caller{Token: h.Token}, h.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); got != other {
		t.Errorf("after the deletion: %s", got)
	}
}

// TestTokens checks that a token opens only its own webhook, and that the store does not contain it.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := open(t)
	first, second := s.create(t, game, 310), s.create(t, ada, 310)
	if first.Token == second.Token || len(first.Token) != 68 {
		t.Errorf("tokens %q and %q", first.Token, second.Token)
	}
	for _, tt := range []struct {
		id    snowflake.Webhook
		token string
		want  bool
	}{
		{first.ID, first.Token, true},
		{second.ID, second.Token, true},
		{first.ID, second.Token, false},
		{first.ID, first.Token[:67], false},
		{1, first.Token, false},
	} {
		if got, err := s.Holds(t.Context(), tt.id, tt.token); got != tt.want || err != nil {
			t.Errorf("Holds(%v, %s) = %v, %v", tt.id, tt.token, got, err)
		}
	}
	err := s.db.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Webhooks.OfChannel(310)
		if slices.ContainsFunc(list, func(h store.Webhook) bool { return strings.Contains(fmt.Sprintf("%s%+v", h.Salt, h), first.Token) }) {
			t.Error("the store contains a token")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestChannelDeleted checks that the webhooks of a channel are deleted with it.
func TestChannelDeleted(t *testing.T) {
	t.Parallel()
	s := open(t)
	h, kept := s.create(t, game, 310), s.create(t, game, 311)
	if err := s.Directory.Guilds.DeleteChannel(t.Context(), 300, 310); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[snowflake.Webhook]bool{h.ID: false, kept.ID: true} {
		if _, err := s.Get(t.Context(), channelhook.Caller{Viewer: ada}, id); (err == nil) != want {
			t.Errorf("Get(%v): %v", id, err)
		}
	}
	err := s.db.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Webhooks.OfGuild(300)
		if len(list) != 1 {
			t.Errorf("stored: %+v", list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMessageEvents checks the events about messages of a webhook: they name the webhook and no member, and the app that
// created the webhook gets their content.
func TestMessageEvents(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.create(t, game, 310)
	s.take()
	r := messages.WebhookRequest{Request: messages.Request{Body: value(t, `{"content":"hi"}`)}, Open: s.Opener(h.ID, h.Token)}
	text, err := s.Messages.Execute(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	sent := value(t, string(text))
	id, err := snowflake.Parse[snowflake.Message](sent.Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	r.Body = value(t, `{"content":"changed"}`)
	if _, err := s.Messages.EditOfWebhook(t.Context(), r, id); err != nil {
		t.Fatal(err)
	}
	if err := s.Messages.DeleteOfWebhook(t.Context(), r, id); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(s.take(), "\n")
	if len(lines) != 3 {
		t.Fatalf("events:\n%s", strings.Join(lines, "\n"))
	}
	for i, name := range []string{"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE"} {
		if !strings.HasPrefix(lines[i], name+" to 300/310 1000000000: ") {
			t.Errorf("event %d: %s", i, lines[i])
		}
	}
	for _, line := range lines[:2] {
		_, data, _ := strings.Cut(line, ": ")
		v := value(t, data)
		if v.Get("webhook_id").Text() != h.ID.String() || v.Get("author").Get("id").Text() != h.ID.String() ||
			v.Get("application_id").Text() != "100" || v.Get("member").IsSet() || v.Get("guild_id").Text() != "300" {
			t.Errorf("event: %s", data)
		}
	}
	if !slices.Equal(s.full, []snowflake.Application{100, 100}) {
		t.Errorf("applications with the content: %v", s.full)
	}
}
