package gateway_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
)

// waitFor waits until look returns true. Its failure says what it waited for and what look saw last.
func (s *harness) waitFor(t *testing.T, what string, look func() (done bool, seen string)) {
	t.Helper()
	for end := time.Now().Add(waitTimeout); ; clock.Wait(t.Context(), clock.System{}, time.Millisecond) {
		done, seen := look()
		if done {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s, saw %s last", waitTimeout, what, seen)
		}
	}
}

// in publishes an event in the guild lab.
func (s *harness) in(channel events.Audience) {
	channel.Guild = lab
	s.bus.Publish(events.Event{Name: "TEST", Data: []byte(`{}`), To: channel})
}

// TestGuildChanges checks the events of sessions while their users join and leave guilds.
func TestGuildChanges(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := t.Context()
	bot, _ := s.login(t, "bot-other", guildsIntent)
	bot.want("GUILD_CREATE")
	person, _ := s.login(t, "user-bob", 0)

	if err := s.directory.Guilds.DeleteInstall(ctx, lab, other); err != nil {
		t.Fatal(err)
	}
	if p := bot.want("GUILD_DELETE"); string(p.D) != `{"id":"900000000000000001"}` {
		t.Errorf("a bot that was removed receives %s", p.D)
	}
	person.until("GUILD_MEMBER_REMOVE")
	s.in(events.Audience{})
	person.want("TEST")
	if received := bot.beat(); len(received) != 0 {
		t.Errorf("a bot that was removed receives %v", received)
	}

	if _, err := s.provision().PutGuildInstall(ctx, lab, world.GuildInstall{Application: other, Scopes: []string{"bot"}}); err != nil {
		t.Fatal(err)
	}
	bot.until("GUILD_CREATE")
	s.in(events.Audience{})
	bot.want("TEST")

	// Bob may see the channel vault and then no longer. Permissions are checked when an event is delivered, so each
	// step waits for the one before.
	receives := func(want ...string) {
		t.Helper()
		for _, name := range want {
			p := person.next()
			for p.name() != "TEST" && p.name() != "CHANNEL_UPDATE" {
				p = person.next()
			}
			if p.name() != name {
				t.Fatalf("bob receives %s, want %s of %v", p.name(), name, want)
			}
		}
	}
	put := func(o world.Overwrite) {
		t.Helper()
		if _, err := s.provision().PutChannel(ctx, lab, world.Channel{ID: vault, Name: "vault", Overwrites: []world.Overwrite{o}}); err != nil {
			t.Fatal(err)
		}
	}
	receives("TEST") // an event of the guild
	s.in(events.Audience{Channel: vault})
	s.in(events.Audience{})
	receives("TEST") // one of the two events
	put(world.Overwrite{ID: 900000000000000001, Type: world.RoleOverwrite, Allow: permission.ViewChannel})
	s.in(events.Audience{Channel: vault})
	receives("CHANNEL_UPDATE", "TEST")
	put(world.Overwrite{ID: 900000000000000001, Type: world.RoleOverwrite, Deny: permission.ViewChannel})
	s.in(events.Audience{Channel: vault})
	s.in(events.Audience{Kinds: events.People}) // marks the end
	receives("CHANNEL_UPDATE", "TEST")

	if err := s.directory.Guilds.Delete(ctx, lab); err != nil {
		t.Fatal(err)
	}
	person.want("GUILD_DELETE")
	s.in(events.Audience{})
	if received := person.beat(); len(received) != 0 {
		t.Errorf("bob receives %v of a deleted guild", received)
	}
}

// TestReset replaces the whole world while sessions are connected.
func TestReset(t *testing.T) {
	t.Parallel()
	s := open(t)
	bot, _ := s.login(t, "bot-echo", guildsIntent)
	bot.want("GUILD_CREATE")
	bot.want("GUILD_CREATE")
	stranger, _ := s.login(t, "user-bob", 0)
	w, err := world.Parse("world.yaml", []byte(`
users: [{id: "700000000000000001", username: ada, token: user-ada}]
applications: [{id: "1300000000000000001", name: Echo, owner: "700000000000000001", bot_token: bot-echo}]
guilds: [{id: "900000000000000005", name: New, owner: "700000000000000001", installs: [{application: "1300000000000000001", scopes: [bot]}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.provision().Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	bot.want("GUILD_DELETE")
	bot.want("GUILD_DELETE")
	bot.want("GUILD_CREATE")
	if got := stranger.closed(); got != 4004 {
		t.Errorf("a deleted user is closed with %d, want 4004", got)
	}
}

// TestDisconnect closes some of the connections.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	s := open(t)
	bot, _ := s.login(t, "bot-echo", 0)
	person, _ := s.login(t, "user-ada", 0)
	if n := s.Disconnect(func(w session.Owner) bool { return w.Application == echo }, 0); n != 1 {
		t.Errorf("%d connections closed, want 1", n)
	}
	if got := bot.closed(); got != 4000 {
		t.Errorf("closed with %d, want 4000", got)
	}
	person.beat()
}

// TestEventsLost publishes more events than the gateway can take: all sessions are invalidated.
func TestEventsLost(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) { c.Settings.Backlog = 4 })
	c, _ := s.login(t, "user-ada", 0)
	for done := make(chan struct{}); ; {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 5000 { // the bus is faster than the hub
				s.in(events.Audience{Channel: 5})
			}
		}()
		engines.Receive(t, "the publisher", done)
		c.send(`{"op":1,"d":null}`)
		if p := c.next(); p.Op == 9 {
			break
		}
	}
	for c.next().Op != 11 {
	}
	c.identify("user-ada", 0)
	for p := c.next(); p.name() != "READY"; p = c.next() {
		if p.Op != 9 { // events may have been lost once more meanwhile
			t.Fatalf("received %s %s, want READY", p.name(), p.D)
		}
		c.identify("user-ada", 0)
	}
}
