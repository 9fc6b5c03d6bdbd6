package gateway_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/gobwas/ws"
)

// TestCloses checks everything that makes the service close a connection.
func TestCloses(t *testing.T) {
	t.Parallel()
	s := open(t)
	identified := func(t *testing.T) *client {
		c, _ := s.login(t, "bot-echo", 0)
		return c
	}
	fresh := func(t *testing.T) *client { return s.connect(t, usual) }
	sends := func(text string) func(*client) { return func(c *client) { c.send(text) } }
	identifies := func(token, rest string) func(*client) {
		return sends(fmt.Sprintf(`{"op":2,"d":{"token":%q,"properties":{}%s}}`, token, rest))
	}
	for _, tt := range []struct {
		name string
		rule string // in the reference
		from func(*testing.T) *client
		does func(*client)
		want int
	}{
		{"unknown opcode", "3", identified, sends(`{"op":99,"d":null}`), 4001},
		{"an opcode of the service", "4", identified, sends(`{"op":10,"d":null}`), 4001},
		{"no JSON", "3", fresh, sends(`{"op":`), 4002},
		{"no opcode", "3", fresh, sends(`{"d":1}`), 4002},
		{"data of the wrong shape", "3", fresh, sends(`{"op":2,"d":[]}`), 4002},
		{"heartbeat of the wrong shape", "3", identified, sends(`{"op":1,"d":"x"}`), 4002},
		{"payload too long", "3", fresh, sends(`{"op":1,"d":null,"x":"` + strings.Repeat("y", 4097-24) + `"}`), 4002},
		{"payload far too long", "3", fresh, sends(`"` + strings.Repeat("y", 1<<20) + `"`), 4002},
		{"too long in parts", "3", fresh, func(c *client) {
			half := []byte(strings.Repeat(" ", 3000))
			c.frame(ws.NewFrame(ws.OpText, false, half))
			c.frame(ws.NewFrame(ws.OpContinuation, true, []byte(strings.Repeat(" ", 3000))))
		}, 4002},
		{"too long in the second part", "3", fresh, func(c *client) {
			c.frame(ws.NewFrame(ws.OpText, false, []byte(" ")))
			c.frame(ws.NewFrame(ws.OpContinuation, true, []byte(strings.Repeat(" ", 5000))))
		}, 4002},
		{"another payload within one in parts", "RFC 6455", fresh, func(c *client) {
			c.frame(ws.NewFrame(ws.OpText, false, []byte(`{"op":`)))
			c.frame(ws.NewTextFrame([]byte(`{"op":1,"d":null}`)))
		}, 1002},
		{"a length beyond what there is", "RFC 6455", fresh, func(c *client) {
			if _, err := c.conn.Write([]byte{0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}); err != nil {
				c.t.Fatal(err)
			}
		}, 1002},
		{"too many pings", "RFC 6455", fresh, func(c *client) {
			for range 601 {
				c.frame(ws.NewPingFrame(nil))
			}
		}, 4008},
		{"members before identify", "3", fresh, sends(`{"op":8,"d":{}}`), 4003},
		{"presence before identify", "3", fresh, sends(`{"op":3,"d":{}}`), 4003},
		{"an unknown token", "7", fresh, identifies("wrong", `,"intents":0`), 4004},
		{"no token", "7", fresh, identifies("", `,"intents":0`), 4004},
		{"an unknown scheme", "7", fresh, identifies("Basic bot-echo", `,"intents":0`), 4004},
		{"a scheme in lower case", "7", fresh, identifies("bot bot-echo", `,"intents":0`), 4004},
		{"a person's token as a bot's", "7", fresh, identifies("Bot user-ada", `,"intents":0`), 4004},
		{"resume with an unknown token", "9", fresh, sends(`{"op":6,"d":{"token":"wrong","session_id":"x","seq":1}}`), 4004},
		{"second identify", "6", identified, identifies("bot-echo", `,"intents":0`), 4005},
		{"resume on a session", "6", identified, sends(`{"op":6,"d":{"token":"bot-echo","session_id":"x","seq":1}}`), 4005},
		{"heartbeat from the future", "6", identified, sends(`{"op":1,"d":1000}`), 4007},
		{"shard beyond the count", "7", fresh, identifies("bot-echo", `,"intents":0,"shard":[2,2]`), 4010},
		{"negative shard", "7", fresh, identifies("bot-echo", `,"intents":0,"shard":[-1,2]`), 4010},
		{"half a shard", "7", fresh, identifies("bot-echo", `,"intents":0,"shard":[0]`), 4010},
		{"no intents", "7", fresh, identifies("bot-echo", ``), 4013},
		{"unknown intents", "10", fresh, identifies("bot-echo", `,"intents":1073741824`), 4013},
		{"unknown intents as text", "10", fresh, identifies("bot-echo", `,"intents":"1073741824"`), 4013},
		{"intents that are not decimal", "10", fresh, identifies("bot-echo", `,"intents":"0x1"`), 4002},
		{"negative intents as text", "10", fresh, identifies("bot-echo", `,"intents":"-1"`), 4002},
		{"the first unknown intent", "10", fresh, identifies("bot-echo", `,"intents":536870912`), 4013},
		{"no shards at all", "7", fresh, identifies("bot-echo", `,"intents":0,"shard":[0,0]`), 4010},
		{"intents that were not allowed", "10", fresh, identifies("bot-echo", `,"intents":256`), 4014},
		{"no properties", "7", fresh, sends(`{"op":2,"d":{"token":"bot-echo","intents":0}}`), 4002},
		{"old version", "2", func(t *testing.T) *client { return s.dial(t, "?v=5") }, func(*client) {}, 4012},
		{"no version", "2", func(t *testing.T) *client { return s.dial(t, "") }, func(*client) {}, 4012},
		{"another encoding", "2", func(t *testing.T) *client { return s.dial(t, "?v=10&encoding=etf") }, func(*client) {}, 4002},
		{"a frame without a mask", "RFC 6455", fresh, func(c *client) {
			if err := ws.WriteFrame(c.conn, ws.NewTextFrame([]byte(`{}`))); err != nil {
				c.t.Fatal(err)
			}
		}, 1002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := tt.from(t)
			tt.does(c)
			if got := c.closed(); got != tt.want {
				t.Errorf("closed with %d, want %d", got, tt.want)
			}
		})
	}
}

// TestAccepted checks unusual payloads that are valid.
func TestAccepted(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, tt := range []struct{ name, give string }{
		{"presence without activities", `{"op":3,"d":{"activities":null,"status":"online","since":null,"afk":false}}`},
		{"voice", `{"op":4,"d":{"guild_id":"1","channel_id":null}}`},
		{"soundboard", `{"op":31,"d":{"guild_ids":[]}}`},
		{"time spent", `{"op":41,"d":{}}`},
		{"lobby voice", `{"op":17,"d":{}}`},
		{"asking for lobby voice", `{"op":42,"d":{}}`},
		{"channel info", `{"op":43,"d":{"guild_id":"1","fields":[]}}`},
		{"members of the name twice", `{"op":1,"op":1,"d":null}`},
		{"other members", `{"op":1,"d":null,"s":null,"t":null,"more":1}`},
		{"heartbeat with zero", `{"op":1,"d":0}`},
		{"heartbeat with a number", `{"op":1,"d":1}`},
		{"heartbeat with qos", `{"op":40,"d":{"seq":1,"qos":{"ver":1}}}`},
		{"members of a guild of others", `{"op":8,"d":{"guild_id":"1","query":"","limit":0}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := s.login(t, "bot-echo", 0)
			c.send(tt.give)
			c.beat()
		})
	}
	t.Run("heartbeat before identify", func(t *testing.T) {
		t.Parallel()
		c := s.connect(t, usual)
		c.send(`{"op":1,"d":null}`)
		c.want("op 11")
		c.identify("bot-echo", 0)
		c.want("READY")
	})
	t.Run("fragmented payload with a ping between", func(t *testing.T) {
		t.Parallel()
		c, _ := s.login(t, "bot-echo", 0)
		c.frame(ws.NewFrame(ws.OpText, false, []byte(`{"op":1,`)))
		c.frame(ws.NewPingFrame([]byte("hi")))
		c.frame(ws.NewFrame(ws.OpContinuation, true, []byte(`"d":null}`)))
		f, err := c.receive()
		if err != nil || f.Header.OpCode != ws.OpPong || string(f.Payload) != "hi" {
			t.Errorf("received %v %q, %v, want a pong", f.Header.OpCode, f.Payload, err)
		}
		c.want("op 11")
	})
	t.Run("longest payload", func(t *testing.T) {
		t.Parallel()
		c, _ := s.login(t, "bot-echo", 0)
		text := `{"op":1,"d":null,"x":"`
		c.send(text + strings.Repeat("y", 4096-len(text)-2) + `"}`)
		c.want("op 11")
	})
	for _, query := range []string{"?v=9&encoding=json", "?v=10", "?v=10&encoding=json&compress=other&more=1"} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			c := s.connect(t, query)
			c.identify("bot-echo", 0)
			c.want("READY")
		})
	}
	for _, token := range []string{"bot-echo", "Bot bot-echo"} {
		t.Run("token "+token, func(t *testing.T) {
			t.Parallel()
			s.login(t, token, 0)
		})
	}
	t.Run("intents as text count", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		c := s.connect(t, usual)
		c.send(`{"op":2,"d":{"token":"bot-echo","intents":"1","properties":{"os":"linux"}}}`)
		c.want("READY")
		c.want("GUILD_CREATE") // of the intent GUILDS
	})
	t.Run("intents for users are ignored", func(t *testing.T) {
		t.Parallel()
		s.login(t, "bot-echo", 1<<27|1<<28|1<<17)
	})
}

// steppedClock is the clock of a machine whose time is set back.
type steppedClock struct {
	clock.System

	back atomic.Int64
}

func (c *steppedClock) Now() time.Time {
	return c.System.Now().Add(-time.Duration(c.back.Load())).Round(0) // without a monotonic reading
}

// TestSilentClientWithSteppedClock checks that a silent client is disconnected in time although the time of the machine is
// set back.
func TestSilentClientWithSteppedClock(t *testing.T) {
	t.Parallel()
	wall := &steppedClock{}
	s := open(t, func(c *gateway.Config) {
		c.Wall, c.ExpiryClock = wall, nil
		c.Settings.IdentifyTimeout, c.Settings.HeartbeatInterval = 3*time.Second, 3*time.Second
	})
	c, _ := s.login(t, "bot-echo", 0)
	wall.back.Store(int64(time.Hour))
	if got := c.closed(); got != 4000 {
		t.Errorf("a client without heartbeats is closed with %d, want 4000", got)
	}
}

// TestSilentClient checks when silent clients are disconnected.
func TestSilentClient(t *testing.T) {
	t.Parallel()
	s := open(t)
	silent := s.connect(t, usual)
	s.time.Advance(59 * time.Second)
	c, _ := s.login(t, "bot-echo", 0)
	s.time.Advance(10 * time.Second)
	if got := silent.closed(); got != 4003 {
		t.Errorf("a client that says nothing is closed with %d, want 4003", got)
	}
	s.time.Advance(40 * time.Second) // 50 of 61.875 seconds after READY
	c.beat()
	s.time.Advance(55 * time.Second)
	c.beat()
	s.time.Advance(70 * time.Second)
	if got := c.closed(); got != 4000 {
		t.Errorf("a client without heartbeats is closed with %d, want 4000", got)
	}
	again := s.connect(t, usual)
	again.resume("bot-echo", c.id, c.seq)
	again.want("RESUMED")
	again.cut()
	s.waitDetached(t)
	s.time.Advance(4 * time.Minute) // only the service's clock ends the session
	early := s.connect(t, usual)
	early.resume("bot-echo", c.id, again.seq)
	early.want("RESUMED")
	early.cut()
	s.waitDetached(t)
	s.clock.Advance(4 * time.Minute)
	late := s.connect(t, usual)
	late.resume("bot-echo", c.id, early.seq)
	if p := late.want("op 9"); string(p.D) != "false" {
		t.Errorf("a forgotten session is answered %s, want false", p.D)
	}
}

// limited opens a gateway with the default limits.
func limited(t *testing.T) *harness {
	t.Helper()
	return open(t, func(c *gateway.Config) {
		policy := ratelimit.Default()
		c.Limits.Policy = &policy
	})
}

func TestSendLimit(t *testing.T) {
	t.Parallel()
	s := limited(t)
	c, _ := s.login(t, "bot-echo", 0)
	for range 119 { // identify counts too
		c.beat()
	}
	s.time.Advance(time.Minute)
	for range 120 {
		c.beat()
	}
	c.send(`{"op":1,"d":null}`)
	if got := c.closed(); got != 4008 {
		t.Errorf("closed with %d, want 4008", got)
	}
}

func TestIdentifyLimit(t *testing.T) {
	t.Parallel()
	s := limited(t)
	s.login(t, "bot-echo", 0)
	c := s.connect(t, usual)
	c.identify("bot-echo", 0)
	if p := c.want("op 9"); string(p.D) != "false" {
		t.Errorf("one identify too many is answered %s, want false", p.D)
	}
	s.clock.Advance(5 * time.Second)
	c.identify("bot-echo", 0) // on the same connection
	c.want("READY")
	s.login(t, "bot-other", 0) // other applications are counted separately
	got := s.Starts(echo)
	if got.Total != 1000 || got.Remaining != 998 || got.AtOnce != 1 || got.ResetAfter <= 0 || got.ResetAfter > 24*3600*1000 {
		t.Errorf("Starts() = %+v", got)
	}
	for range 998 {
		s.clock.Advance(5 * time.Second)
		c, _ := s.login(t, "bot-echo", 0)
		c.cut()
	}
	s.clock.Advance(5 * time.Second)
	c = s.connect(t, usual)
	c.identify("bot-echo", 0)
	c.want("op 9")
	s.clock.Advance(24 * time.Hour)
	c.identify("bot-echo", 0)
	c.want("READY")
}
