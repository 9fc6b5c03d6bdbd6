package gateway_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
)

// guildsIn returns the ids of the guilds in READY.
func (c *client) guildsIn(ready payload) []string {
	c.t.Helper()
	var list struct {
		Guilds []struct {
			ID          string
			Unavailable bool
		}
	}
	c.read(ready.D, &list)
	var ids []string
	for _, g := range list.Guilds {
		if !g.Unavailable {
			c.t.Errorf("guild %s is shown whole in READY", g.ID)
		}
		ids = append(ids, g.ID)
	}
	return ids
}

// TestHello checks that the first frame contains the heartbeat interval (6.1).
func TestHello(t *testing.T) {
	t.Parallel()
	c := open(t).dial(t, usual)
	var hello struct {
		Interval int `json:"heartbeat_interval"`
	}
	p := c.want("op 10")
	if c.read(p.D, &hello); hello.Interval != 41250 || p.S != nil || p.T != nil {
		t.Errorf("hello %s", p.D)
	}
}

// TestAddress checks that clients get the address that they connected to, or the configured one (clients 12).
func TestAddress(t *testing.T) {
	t.Parallel()
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for _, tt := range []struct{ name, set, host, url, want string }{
		{"where it came", "", "a.example:81", "http://x/", "ws://a.example:81/gateway/"},
		{"over TLS", "", "a.example:81", "https://x/", "wss://a.example:81/gateway/"},
		{"without a port", "", "127.0.0.1", "http://x/", "ws://127.0.0.1:8080/gateway/"},
		{"as it was set", "wss://public.example/gateway/", "a.example:81", "http://x/", "wss://public.example/gateway/"},
	} {
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), http.MethodGet, tt.url, nil)
		r.Host = tt.host
		g := &gateway.Gateway{Config: gateway.Config{URL: tt.set}}
		if got := g.Address(r); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	c, p := open(t, func(c *gateway.Config) { c.URL = "wss://public.example/gateway/" }).login(t, "bot-echo", 0)
	var ready struct {
		URL string `json:"resume_gateway_url"`
	}
	if c.read(p.D, &ready); ready.URL != "wss://public.example/gateway/" {
		t.Errorf("READY says to resume at %s", ready.URL)
	}
}

// TestVersions checks that READY contains the requested version (2, 8).
func TestVersions(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, v := range []int{9, 10} {
		c := s.connect(t, fmt.Sprintf("?v=%d&encoding=json", v))
		c.identify("bot-echo", 0)
		var ready struct{ V int }
		if c.read(c.want("READY").D, &ready); ready.V != v {
			t.Errorf("v=%d: READY has v %d", v, ready.V)
		}
	}
}

// TestIdentifyMembers checks that additional properties of Identify are accepted (7).
func TestIdentifyMembers(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, member := range []string{
		`"compress":true`, `"large_threshold":0`, `"large_threshold":1000`, `"shard":[0,1]`, `"shard":null`, `"capabilities":8189`,
		`"presence":{"activities":[{"name":"x","type":0}],"status":"dnd","since":null,"afk":false}`, `"presence":null`,
		`"client_state":{"guild_versions":{}}`, `"unknown":1`,
	} {
		c, _ := s.login(t, "bot-echo", 0, member)
		c.beat() // in text frames, whatever Identify said about compression
	}
}

// TestNeedsShards checks that a bot with too many guilds for one shard is closed with 4011 (10).
func TestNeedsShards(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) { c.Settings.MaxGuilds = 1 })
	c := s.connect(t, usual)
	c.identify("bot-echo", 0)
	if got := c.closed(); got != 4011 {
		t.Errorf("closed with %d, want 4011", got)
	}
	s.login(t, "bot-echo", 0, `"shard":[0,2]`)
	person, _ := s.login(t, "user-ada", 0) // users have no shards
	person.beat()
}

// TestShards checks that each shard gets its own guilds, and all shards together get all guilds (10).
func TestShards(t *testing.T) {
	t.Parallel()
	s := open(t)
	seen := map[string]int{}
	for id := range uint32(2) {
		c, ready := s.login(t, "bot-echo", guildsIntent, fmt.Sprintf(`"shard":[%d,2]`, id))
		for _, guild := range c.guildsIn(ready) {
			seen[guild]++
			if p := c.want("GUILD_CREATE"); !strings.Contains(string(p.D), `"id":"`+guild+`"`) {
				t.Errorf("shard %d receives of %.60s, want guild %s", id, p.D, guild)
			}
		}
		if received := c.beat(); len(received) > 0 {
			t.Errorf("shard %d receives %v besides", id, received)
		}
	}
	if len(seen) != 2 || seen[lab.String()] != 1 || seen[attic.String()] != 1 {
		t.Errorf("guilds by how many shards list them: %v", seen)
	}
}

// TestWithoutGuilds checks that a bot without the intent GUILDS gets the guilds in READY and no GUILD_CREATE (8).
func TestWithoutGuilds(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, ready := s.login(t, "bot-echo", 0)
	if got := c.guildsIn(ready); len(got) != 2 {
		t.Errorf("READY lists %v, want two guilds", got)
	}
	if received := c.beat(); len(received) > 0 {
		t.Errorf("received %v", received)
	}
}

// TestPrivilegedIntents checks that each privileged intent needs its flag (7, close code 4014).
func TestPrivilegedIntents(t *testing.T) {
	t.Parallel()
	s := open(t)
	intents := []int{1 << 1, 1 << 8, 1 << 15}
	for _, bit := range intents {
		c := s.connect(t, usual)
		c.identify("bot-echo", bit)
		if got := c.closed(); got != 4014 {
			t.Errorf("intents %d: closed with %d, want 4014", bit, got)
		}
		if want := "Disallowed intent(s): "; !strings.HasPrefix(c.reason, want) || !strings.HasSuffix(c.reason, ". See intents in the world file.") {
			t.Errorf("intents %d: the reason is %q, want the name of the intent and where to switch it on", bit, c.reason)
		}
	}
	s.allow(t)
	for _, bit := range intents {
		s.login(t, "bot-echo", bit)
	}
}

// TestCloseAnswerKeepsSession checks that a client's answer to a close frame of the service does not end the session,
// not even with 1000 (5).
func TestCloseAnswerKeepsSession(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	s.Disconnect(func(w session.Owner) bool { return w.Application == echo }, 0)
	for {
		f, err := c.receive()
		if err != nil {
			t.Fatal(err)
		}
		if f.Header.OpCode == ws.OpClose {
			break
		}
	}
	c.leave(1000)
	s.waitClosed(t)
	again := s.connect(t, usual)
	again.resume("bot-echo", c.id, c.seq)
	again.want("RESUMED")
}

// TestReadyFirst checks that READY comes first, then the guilds, then other events (6.2, 8).
func TestReadyFirst(t *testing.T) {
	t.Parallel()
	s := open(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				s.bus.Publish(events.Event{Name: "TEST", Data: []byte(`{}`), To: events.Audience{Application: echo}})
				if n%20 == 0 {
					clock.Wait(t.Context(), clock.System{}, time.Millisecond) // slower than the hub
				}
			}
		}
	}()
	for range 20 {
		c := s.connect(t, usual)
		c.identify("bot-echo", guildsIntent)
		for _, name := range []string{"READY", "GUILD_CREATE", "GUILD_CREATE"} {
			c.want(name)
		}
		c.cut()
	}
	close(stop)
	engines.Receive(t, "the publisher", stopped)
}

// TestLargeThreshold checks that large_threshold, between 50 and 250, decides whether GUILD_CREATE contains all members
// (7).
func TestLargeThreshold(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.allow(t)
	w := world.World{Guilds: []world.Guild{{ID: lab, Name: "Lab", Owner: ada}}}
	for i := range 96 { // in addition to four
		id := snowflake.User(700000000000001000 + i)
		w.Users = append(w.Users, world.User{ID: id, Username: fmt.Sprint("user", i)})
		w.Guilds[0].Members = append(w.Guilds[0].Members, world.Member{User: id})
	}
	if _, err := s.provision().Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	const presences = 1 << 8
	for _, tt := range []struct {
		intents int
		member  string
		shown   int
	}{
		{guildsIntent | presences, `"large_threshold":100`, 100},
		{guildsIntent | presences, `"large_threshold":99`, 1},
		{guildsIntent | presences, `"large_threshold":1000`, 100},
		{guildsIntent | presences, `"x":0`, 1},
		{guildsIntent, `"large_threshold":250`, 1}, // without the intent: only itself
	} {
		c, _ := s.login(t, "bot-echo", tt.intents, tt.member)
		var guild struct {
			Large   bool
			Count   int `json:"member_count"`
			Members []struct{}
		}
		p := c.want("GUILD_CREATE")
		c.read(p.D, &guild)
		if len(guild.Members) != tt.shown || guild.Count != 100 {
			t.Errorf("%s, intents %d: %d of %d members, want %d of 100", tt.member, tt.intents, len(guild.Members), guild.Count, tt.shown)
		}
	}
}
