package gateway_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// TestAudience publishes one event to each kind of audience and checks which sessions receive it.
func TestAudience(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	s.grant(t, "client-bob", bob, "sdk.social_layer_presence")
	const content, messages = int(events.MessageContent), int(events.GuildMessages)
	sessions := map[string]*client{}
	login := func(name, token string, intents int, more ...string) {
		c, _ := s.login(t, token, intents, more...)
		c.beat()
		sessions[name] = c
	}
	login("first", "bot-echo", messages|content, `"shard":[0,2]`)
	login("second", "bot-echo", messages|content, `"shard":[1,2]`)
	login("whole", "bot-echo", 0)
	login("other", "bot-other", messages)
	login("ada", "user-ada", 0)
	login("bob", "user-bob", 0)
	login("tablet", "user-bob", 0)
	login("game", "Bearer client-bob", 0)
	// Echo's two shards: the one of the guild and the other.
	near, far := "first", "second"
	if !(session.Shard{ID: 0, Count: 2}).Owns(lab) {
		near, far = far, near
	}
	for _, tt := range []struct {
		name string
		to   events.Audience
		want []string
	}{
		{"people", events.Audience{Users: []snowflake.User{ada, bob}}, []string{"ada", "bob", "tablet"}},
		{"one session", events.Audience{Users: []snowflake.User{bob}, Session: sessions["tablet"].id}, []string{"tablet"}},
		{"a session that is not there", events.Audience{Users: []snowflake.User{bob}, Session: "x"}, []string{"bob", "tablet"}},
		{"a session of another user", events.Audience{Users: []snowflake.User{bob}, Session: sessions["ada"].id}, []string{"bob", "tablet"}},
		{"people through an app", events.Audience{Users: []snowflake.User{ada, bob}, Application: echo}, []string{"game"}},
		{"an app in a guild", events.Audience{Application: echo, Guild: lab}, []string{near, "whole"}},
		{"an app in the other guild", events.Audience{Application: echo, Guild: attic}, []string{far, "whole"}},
		{"an app without a guild", events.Audience{Application: echo}, []string{"first", "whole"}},
		{"an app that asked for it", events.Audience{Application: echo, Intents: events.GuildMessages}, []string{"first"}},
		{"a guild", events.Audience{Guild: lab}, []string{near, "whole", "other", "ada", "bob", "tablet"}},
		{"a guild but for one", events.Audience{Guild: lab, Except: []snowflake.User{bob}}, []string{near, "whole", "other", "ada"}},
		{"bots of a guild", events.Audience{Guild: lab, Kinds: events.Bots}, []string{near, "whole", "other"}},
		{"people of a guild", events.Audience{Guild: lab, Kinds: events.People}, []string{"ada", "bob", "tablet"}},
		{"by intents", events.Audience{Guild: lab, Intents: events.GuildMessages}, []string{near, "other", "ada", "bob", "tablet"}},
		{"a channel that all see", events.Audience{Guild: lab, Channel: hall}, []string{near, "whole", "other", "ada", "bob", "tablet"}},
		{"a channel that few see", events.Audience{Guild: lab, Channel: vault}, []string{near, "whole", "ada"}},
		{"a channel that is not there", events.Audience{Guild: lab, Channel: 5}, nil},
		{"those who manage the guild", events.Audience{Guild: lab, Needs: permission.ManageGuild | permission.BanMembers}, []string{"ada"}},
		{"those who manage a channel", events.Audience{Guild: lab, Channel: vault, Needs: permission.ManageMessages}, []string{"ada"}},
		{"one of two permissions", events.Audience{Guild: lab, Channel: vault, Needs: permission.ManageMessages | permission.ViewChannel}, []string{near, "whole", "ada"}},
		{"a guild that is not there", events.Audience{Guild: 5}, nil},
	} {
		s.bus.Publish(events.Event{Name: "TEST", Data: []byte(`{}`), To: tt.to})
		s.bus.Publish(events.Event{Name: "END", Data: []byte(`{}`), To: events.Audience{Users: []snowflake.User{ada, bob}}})
		s.bus.Publish(events.Event{Name: "END", Data: []byte(`{}`), To: events.Audience{Users: []snowflake.User{bob}, Application: echo}})
		for _, app := range []snowflake.Application{echo, other} {
			for _, guild := range []snowflake.Guild{lab, attic} {
				s.bus.Publish(events.Event{Name: "END", Data: []byte(`{}`), To: events.Audience{Application: app, Guild: guild}})
			}
		}
		for name, c := range sessions {
			received := c.next().name() == "TEST"
			if received {
				c.want("END")
			}
			if name == "whole" || name == "other" { // in both guilds
				c.want("END")
			}
			if want := slices.Contains(tt.want, name); received != want {
				t.Errorf("%s: %s received it: %v, want %v", tt.name, name, received, want)
			}
		}
	}
}

// TestReduced checks that only bots that may read message content get it.
func TestReduced(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	reader, _ := s.login(t, "bot-echo", int(events.MessageContent))
	bare, _ := s.login(t, "bot-echo", 0)
	other1, _ := s.login(t, "bot-other", 0)
	person, _ := s.login(t, "user-ada", 0)
	for _, tt := range []struct {
		name string
		full []snowflake.Application
		want map[*client]string
	}{
		{"no application is named", nil, map[*client]string{reader: `"whole"`, bare: `"part"`, other1: `"part"`, person: `"whole"`}},
		{"for one app", []snowflake.Application{other}, map[*client]string{reader: `"whole"`, bare: `"part"`, other1: `"whole"`, person: `"whole"`}},
	} {
		s.bus.Publish(events.Event{
			Name: "TEST", Data: []byte(`"whole"`), Reduced: []byte(`"part"`), Full: tt.full, To: events.Audience{Guild: lab},
		})
		for c, want := range tt.want {
			if p := c.want("TEST"); string(p.D) != want {
				t.Errorf("%s: received %s, want %s", tt.name, p.D, want)
			}
		}
	}
}

// TestPeople checks the events for users' sessions.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, p := s.login(t, "user-bob", 0)
	var ready struct {
		User   struct{ ID string }
		Guilds []struct {
			Name     string
			Channels []struct{ Name string }
			Members  []struct{ Nick string }
		}
		Application *struct{}
		Shard       []int
	}
	c.read(p.D, &ready)
	if ready.User.ID != bob.String() || len(ready.Guilds) != 1 || ready.Guilds[0].Name != "Lab" || len(ready.Guilds[0].Channels) != 2 ||
		ready.Guilds[0].Members[0].Nick != "Bobby" || ready.Application != nil || ready.Shard != nil {
		t.Errorf("READY = %s", p.D)
	}
	if received := c.beat(); len(received) > 0 {
		t.Errorf("a person received %v besides", received)
	}
}

// TestClients checks the events for sessions of an application's clients.
func TestClients(t *testing.T) {
	t.Parallel()
	lobbies := &oneLobby{make(chan string, 9)}
	s := open(t, func(c *gateway.Config) { c.Lobbies = lobbies })
	s.grant(t, "weak", bob, "identify")
	s.grant(t, "half", bob, "gateway.connect")
	s.grant(t, "good", bob, "identify", "gateway.connect")
	for _, token := range []string{"Bearer weak", "Bearer half", "good", "Bearer bot-echo"} {
		c := s.connect(t, usual)
		c.send(`{"op":2,"d":{"token":"` + token + `","properties":{}}}`)
		if got := c.closed(); got != 4004 {
			t.Errorf("%s: closed with %d, want 4004", token, got)
		}
	}
	if s.Connected(echo, bob) {
		t.Error("bob is connected before READY")
	}
	c, p := s.login(t, "Bearer good", 0)
	var ready struct {
		Type    string `json:"session_type"`
		Scopes  []string
		User    struct{ ID, Email string }
		Guilds  []struct{}
		Lobbies []struct{}
	}
	c.read(p.D, &ready)
	if ready.Type != "oauth" || len(ready.Scopes) != 2 || ready.User.ID != bob.String() || ready.Guilds == nil || ready.Lobbies != nil {
		t.Errorf("READY = %s", p.D)
	}
	if p := c.want("LOBBY_CREATE"); string(p.D) != `{"id":"5"}` {
		t.Errorf("LOBBY_CREATE = %s", p.D)
	}
	if call := engines.Receive(t, "the call of the lobbies", lobbies.calls); call != "connected 700000000000000002" {
		t.Errorf("got %q", call)
	}
	if !s.Connected(echo, bob) || s.Connected(other, bob) || s.Connected(echo, ada) {
		t.Error("Connected() is wrong")
	}
	both := slices.Values([]snowflake.User{ada, bob})
	if here, elsewhere := s.ConnectedUsers(echo, both), s.ConnectedUsers(other, both); !slices.Equal(here, []snowflake.User{bob}) || len(elsewhere) > 0 {
		t.Errorf("ConnectedUsers() = %v, and %v for another application", here, elsewhere)
	}
	capable, p := s.login(t, "Bearer good", 0, `"capabilities":65536`)
	capable.read(p.D, &ready)
	if len(ready.Lobbies) != 1 {
		t.Errorf("READY = %s, want the lobby in it", p.D)
	}
	c.leave(1000)
	capable.cut() // it can still resume
	s.waitClosed(t)
	if !s.Connected(echo, bob) {
		t.Error("Connected() = false for bob, who can still resume")
	}
	s.clock.Advance(4 * time.Minute)
	if len(lobbies.calls) != 1 {
		t.Error("the lobbies learn of the end of the session after the clock was moved, want it before")
	}
	if call := engines.Receive(t, "the call of the lobbies", lobbies.calls); call != "disconnected 700000000000000002" || s.Connected(echo, bob) {
		t.Errorf("got %q, connected %v", call, s.Connected(echo, bob))
	}
}

// TestTokenRevoked checks that a session ends when its token is revoked.
func TestTokenRevoked(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.grant(t, "good", bob, "identify", "gateway.connect")
	c, _ := s.login(t, "Bearer good", 0)
	c.beat()
	s.revoke(t, "good")
	if got := c.closed(); got != 4004 {
		t.Errorf("closed with %d, want 4004", got)
	}
	again := s.connect(t, usual)
	again.resume("Bearer good", c.id, c.seq)
	if got := again.closed(); got != 4004 {
		t.Errorf("resume: closed with %d, want 4004", got)
	}
}

// sharedStore is a store that other nodes write to as well. It counts the queries that confirm cached members.
type sharedStore struct {
	store.Store

	confirmed atomic.Int64
}

func (*sharedStore) Shared() bool { return true }

func (s *sharedStore) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	if slices.ContainsFunc(subjects, func(of store.Subject) bool { return of.Kind == store.KindMember }) {
		s.confirmed.Add(1)
	}
	return s.Store.Revisions(ctx, subjects...)
}

// TestOneViewPerEvent checks that one query confirms for all recipients of an event that they see its channel.
func TestOneViewPerEvent(t *testing.T) {
	t.Parallel()
	db := &sharedStore{}
	s := openOn(t, func(on store.Store) store.Store { db.Store = on; return db })
	var sessions []*client
	for _, token := range []string{"user-ada", "user-bob", "user-bob", "bot-echo", "bot-other"} {
		c, _ := s.login(t, token, 0)
		c.beat()
		sessions = append(sessions, c)
	}
	for _, want := range []int64{1, 0} { // the hub remembers who sees a channel
		before := db.confirmed.Load()
		s.bus.Deliver(events.Event{Name: "TEST", Data: []byte(`{}`), To: events.Audience{Guild: lab, Channel: hall}})
		for _, c := range sessions {
			c.want("TEST")
		}
		if got := db.confirmed.Load() - before; got != want {
			t.Errorf("an event to %d sessions took %d queries, want %d", len(sessions), got, want)
		}
	}
}
