package gateway_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
)

// seen is a presence as clients get it.
type seen struct {
	User       struct{ ID, Username string }
	Guild      string `json:"guild_id"`
	Status     string
	Activities []struct {
		Name      string
		Type      int
		State     *string
		Details   *string
		CreatedAt int64 `json:"created_at"`
	}
	Client map[string]string `json:"client_status"`
}

// watch logs in a bot that gets presences, and returns those of GUILD_CREATE of the lab.
func watch(t *testing.T, s *harness, token string) (*client, []seen) {
	t.Helper()
	c, _ := s.login(t, token, int(events.Guilds|events.GuildPresences))
	for {
		var g struct {
			ID        string
			Presences []seen
		}
		c.read(c.until("GUILD_CREATE").D, &g)
		if g.ID == lab.String() {
			return c, g.Presences
		}
	}
}

// wantPresence waits for PRESENCE_UPDATE of a user in the lab.
func wantPresence(t *testing.T, c *client, username, status string) seen {
	t.Helper()
	for {
		var got seen
		c.read(c.until("PRESENCE_UPDATE").D, &got)
		if got.User.Username != username || got.Guild != lab.String() {
			continue // of the bots themselves, and of the other guild
		}
		if got.Status != status {
			t.Fatalf("%s is %+v, want %s", username, got, status)
		}
		return got
	}
}

// TestPresence changes the presences of a person. Bots with the intent get them.
func TestPresence(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	c, _ := watch(t, s, "bot-echo")
	person, _ := s.login(t, "user-bob", 0)
	if got := wantPresence(t, c, "bob", "online"); len(got.Client) != 1 || got.Client["web"] != "online" || got.Activities == nil {
		t.Errorf("a person who connects is %+v", got)
	}
	person.send(`{"op":3,"d":{"since":null,"status":"idle","afk":false,"activities":[{"name":"chess","type":0,"details":"endgame"},{"type":0}]}}`)
	got := wantPresence(t, c, "bob", "idle")
	if len(got.Activities) != 1 || got.Activities[0].Name != "chess" || got.Activities[0].Details == nil || got.Activities[0].CreatedAt == 0 {
		t.Errorf("the activities are %+v", got.Activities)
	}
	_, present := watch(t, s, "bot-echo")
	var names []string
	for _, p := range present {
		names = append(names, p.User.Username+" "+p.Status+" "+p.Guild)
	}
	if list := strings.Join(names, ", "); !strings.Contains(list, "bob idle ") || strings.Contains(list, "ada") || strings.Contains(list, lab.String()) {
		t.Errorf("GUILD_CREATE has the presences %s, want bob's", list)
	}
	c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","user_ids":["700000000000000001","700000000000000002"],"presences":true}}`)
	var chunk struct{ Presences []seen }
	c.read(c.until("GUILD_MEMBERS_CHUNK").D, &chunk)
	if len(chunk.Presences) != 1 || chunk.Presences[0].Status != "idle" {
		t.Errorf("the members have the presences %+v, want bob's", chunk.Presences)
	}
	person.send(`{"op":3,"d":{"since":null,"status":"invisible","afk":false,"activities":[]}}`)
	if got := wantPresence(t, c, "bob", "offline"); len(got.Client) != 0 || len(got.Activities) != 0 {
		t.Errorf("an invisible person is %+v", got)
	}
	person.send(`{"op":3,"d":{"since":null,"status":"dnd","afk":false,"activities":null}}`)
	wantPresence(t, c, "bob", "dnd")
	second, _ := s.login(t, "user-bob", 0)
	wantPresence(t, c, "bob", "online") // of the second session
	second.leave(ws.StatusNormalClosure)
	wantPresence(t, c, "bob", "dnd")
	person.leave(ws.StatusNormalClosure)
	wantPresence(t, c, "bob", "offline")
	s.SetPresence(bob, presence.Presence{Status: presence.Idle})
	wantPresence(t, c, "bob", "idle")
	s.ForgetPresences()
	wantPresence(t, c, "bob", "offline")
}

// TestBotPresence identifies with a presence. Bots show only the fields that they may set.
func TestBotPresence(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	c, _ := watch(t, s, "bot-echo")
	bot, _ := s.login(t, "bot-other", 0, `"presence":{"status":"dnd","since":null,"afk":false,`+
		`"activities":[{"name":"Custom Status","type":4,"state":"busy","details":"no","emoji":{"name":"x"}}]}`)
	got := wantPresence(t, c, "Other", "dnd")
	if len(got.Activities) != 1 || got.Activities[0].Type != 4 || got.Activities[0].State == nil || got.Activities[0].Details != nil {
		t.Errorf("the activities are %+v", got.Activities)
	}
	bot.send(`{"op":3,"d":{"status":"busy","activities":[],"since":null,"afk":false}}`)
	if code := bot.closed(); code != 4002 {
		t.Errorf("an unknown status closes with %d, want 4002", code)
	}
}

// TestPresenceLimit sends more updates than the limit allows.
func TestPresenceLimit(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) {
		c.Limits.Policy.Routes[ratelimit.GatewayPresence] = ratelimit.Default().Routes[ratelimit.GatewayPresence]
	})
	s.allow(t)
	c, _ := watch(t, s, "bot-echo")
	person, _ := s.login(t, "user-bob", 0)
	wantPresence(t, c, "bob", "online")
	for _, status := range []string{"idle", "dnd", "idle", "dnd", "idle"} {
		person.send(`{"op":3,"d":{"status":"` + status + `","activities":[],"since":null,"afk":false}}`)
		wantPresence(t, c, "bob", status)
	}
	person.send(`{"op":3,"d":{"status":"dnd","activities":[],"since":null,"afk":false}}`) // dropped
	person.beat()
	person.leave(ws.StatusNormalClosure)
	wantPresence(t, c, "bob", "offline")
}

// TestPresenceOnNodes checks that bots on all nodes see a person of any node.
func TestPresenceOnNodes(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	a.allow(t)
	c, _ := watch(t, b.harness, "bot-echo")
	person, _ := a.login(t, "user-bob", 0)
	wantPresence(t, c, "bob", "online")
	person.send(`{"op":3,"d":{"status":"dnd","activities":[],"since":null,"afk":false}}`)
	wantPresence(t, c, "bob", "dnd")
	// The presence of the bot comes back from the event log, maybe after that of the person.
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, list := watch(t, b.harness, "bot-echo")
		if len(list) == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s for GUILD_CREATE on the other node with the presences of the bot and the person, got %+v", list)
		}
	}
	person.leave(ws.StatusNormalClosure)
	wantPresence(t, c, "bob", "offline")
}

// TestPresenceWithoutGuild logs in a user who is in no guild. The other nodes do not get the presence before the user joins one.
func TestPresenceWithoutGuild(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	a.allow(t)
	apply := func(text string) {
		t.Helper()
		w, err := world.Parse("world.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.provision().Apply(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	const carl snowflake.User = 700000000000000003
	apply(`users: [{id: "700000000000000003", username: carl, token: user-carl}]`)
	c, _ := watch(t, b.harness, "bot-echo")
	person, _ := a.login(t, "user-carl", 0)
	person.send(`{"op":3,"d":{"status":"idle","activities":[],"since":null,"afk":false}}`)
	bobs, _ := a.login(t, "user-bob", 0)
	wantPresence(t, c, "bob", "online")
	bobs.send(`{"op":3,"d":{"status":"dnd","activities":[],"since":null,"afk":false}}`)
	wantPresence(t, c, "bob", "dnd") // by now carl's presence was looked at
	if b.Online(carl) {
		t.Error("the other node knows the presence of a user without guilds")
	}
	apply(`guilds: [{id: "900000000000000009", name: Loft, owner: "700000000000000001", members: [{user: "700000000000000003"}],
  installs: [{application: "1300000000000000001", scopes: [bot]}]}]`)
	for {
		var got seen
		c.read(c.until("PRESENCE_UPDATE").D, &got)
		if got.User.Username == "carl" && got.Guild == "900000000000000009" {
			if got.Status != "idle" || !b.Online(carl) {
				t.Errorf("carl is %+v, online: %v", got, b.Online(carl))
			}
			break
		}
	}
	person.leave(ws.StatusNormalClosure)
	b.waitFor(t, "carl to go offline", func() (bool, string) { return !b.Online(carl), "online" })
}

// TestManySessions opens and closes sessions of a user with other presences. Others see the strongest, and of equal ones the newest.
func TestManySessions(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	c, _ := watch(t, s, "bot-echo")
	playing := func(status, game string) *client {
		t.Helper()
		p, _ := s.login(t, "user-bob", 0, `"presence":{"status":"`+status+`","since":null,"afk":false,"activities":[{"name":"`+game+`","type":0}]}`)
		return p
	}
	want := func(status, game string) {
		t.Helper()
		if got := wantPresence(t, c, "bob", status); len(got.Activities) != 1 || got.Activities[0].Name != game {
			t.Fatalf("bob is %+v, want %s", got, game)
		}
	}
	idle := playing("idle", "chess")
	want("idle", "chess")
	first := playing("online", "go")
	want("online", "go")
	second := playing("online", "bridge")
	want("online", "bridge")
	busy := playing("dnd", "poker") // weaker: no event
	busy.beat()                     // the answer comes when the start of the session has ended, and with it its presence is known
	second.leave(ws.StatusNormalClosure)
	want("online", "go")
	first.leave(ws.StatusNormalClosure)
	want("dnd", "poker")
	idle.send(`{"op":3,"d":{"status":"online","activities":[{"name":"whist","type":0}],"since":null,"afk":false}}`)
	want("online", "whist")
	busy.leave(ws.StatusNormalClosure) // weaker: no event
	s.waitFor(t, "the end of the weaker session", func() (bool, string) { return !s.HasSession(busy.id), "the session" })
	idle.leave(ws.StatusNormalClosure)
	wantPresence(t, c, "bob", "offline")
}
