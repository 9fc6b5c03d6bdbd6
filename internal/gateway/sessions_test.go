package gateway_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// TestSessionsAreBounded checks that a new session above the bound closes the oldest session of the same owner, also one
// that waits for a resume.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"user-ada", "Bearer client-ada", "bot-echo"} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			s := open(t, func(c *gateway.Config) { c.Limits.Policy.Sessions.User, c.Limits.Policy.Sessions.Application = 2, 2 })
			s.grant(t, "client-ada", ada, "identify", "gateway.connect")
			s.grant(t, "client-bob", bob, "identify", "gateway.connect")
			other, _ := s.login(t, "user-bob", 0)
			otherClient, _ := s.login(t, "Bearer client-bob", 0)
			otherBot, _ := s.login(t, "bot-other", 0)
			first, _ := s.login(t, token, 0)
			second, _ := s.login(t, token, 0)
			third, _ := s.login(t, token, 0)
			if code := first.closed(); code != 4009 {
				t.Errorf("the oldest session is closed with %d, want 4009", code)
			}
			second.cut() // it can be resumed
			fourth, _ := s.login(t, token, 0)
			again := s.connect(t, usual)
			again.resume(token, second.id, second.seq)
			if p := again.want("op 9"); string(p.D) != "false" {
				t.Errorf("a session above the bound: op 9 with %s, want false", p.D)
			}
			for name, c := range map[string]*client{"third": third, "fourth": fourth, "other": other, "otherClient": otherClient, "otherBot": otherBot} {
				c.beat()
				t.Logf("%s is open", name)
			}
		})
	}
}

// lateClock is a clock whose timers of a second or more do not fire in a test: a session that starts counts for as long as it
// takes.
type lateClock struct{ clock.System }

// AfterFunc calls fn, an hour too late if d is a second or more.
func (c lateClock) AfterFunc(d time.Duration, fn func()) *clock.Timer {
	if d >= time.Second {
		d += time.Hour
	}
	return c.System.AfterFunc(d, fn)
}

// TestStartsAreBounded checks that no more sessions start at the same time than the bound allows, and that all start.
func TestStartsAreBounded(t *testing.T) {
	t.Parallel()
	const bound, sessions = 2, 10
	var starting, most atomic.Int32
	begun, finish := make(chan struct{}, sessions), make(chan struct{})
	s := open(t, func(c *gateway.Config) {
		c.Settings.MaxStarting = bound
		c.Wall = lateClock{}
		c.HasCommands = func(ctx context.Context, _ snowflake.Application) (bool, error) {
			n := starting.Add(1)
			defer starting.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			begun <- struct{}{}
			select {
			case <-finish:
			case <-ctx.Done():
			}
			return false, nil
		}
	})
	var logins sync.WaitGroup
	for range sessions {
		c := s.connect(t, usual)
		c.identify("bot-echo", 0)
		logins.Go(func() { c.want("READY") })
	}
	for n := range sessions {
		select {
		case <-begun:
		case <-time.After(waitTimeout):
			t.Fatalf("%d of %d sessions have begun to start, %d at the same time", n, sessions, starting.Load())
		}
		if n >= bound-1 { // as many as allowed wait: one may finish
			finish <- struct{}{}
		}
	}
	close(finish)
	logins.Wait()
	if n := most.Load(); n != bound {
		t.Errorf("%d sessions started at the same time, want %d", n, bound)
	}
}

// TestSlowStart checks that a session that takes long to start does not keep others from starting.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	release := sync.OnceFunc(func() { close(slow) })
	s := open(t, func(c *gateway.Config) {
		c.Settings.MaxStarting = 1
		c.HasCommands = func(_ context.Context, app snowflake.Application) (bool, error) {
			if app == echo {
				<-slow
			}
			return false, nil
		}
	})
	t.Cleanup(release) // before the gateway stops, also if the test fails
	first := s.connect(t, usual)
	first.identify("bot-echo", 0)
	s.waitFor(t, "the session of the bot", func() (bool, string) { return s.HasBot(echo), "no session" })
	second := s.connect(t, usual)
	second.identify("bot-other", 0)
	second.want("READY")
	release()
	first.want("READY")
}

// TestTooManyEventsWhileStarting checks that a session that loses events while it starts is invalidated, and that its
// client can identify again on the same connection.
func TestTooManyEventsWhileStarting(t *testing.T) {
	t.Parallel()
	slow, begun := make(chan struct{}), make(chan struct{}, 4)
	release := sync.OnceFunc(func() { close(slow) })
	s := open(t, func(c *gateway.Config) {
		c.HasCommands = func(context.Context, snowflake.Application) (bool, error) {
			begun <- struct{}{}
			<-slow
			return false, nil
		}
	})
	t.Cleanup(release)                    // before the gateway stops, also if the test fails
	other, _ := s.login(t, "user-ada", 0) // shows that the hub has delivered an event
	c := s.connect(t, usual)
	c.identify("bot-echo", 1)
	select {
	case <-begun:
	case <-time.After(waitTimeout):
		t.Fatal("the session does not start")
	}
	for range 1001 {
		s.bus.Deliver(events.Event{Name: "ENTITLEMENT_CREATE", Data: []byte(`{}`), To: events.Audience{Application: echo}})
	}
	s.bus.Deliver(events.Event{Name: "TYPING_START", Data: []byte(`{}`), To: events.Audience{Guild: lab, Intents: events.GuildMembers}})
	other.want("TYPING_START")
	release()
	if p := c.until("op 9"); string(p.D) != "false" {
		t.Errorf("op 9 with %s, want false", p.D)
	}
	c.identify("bot-echo", 0)
	c.want("READY") // of the new session
	if n := s.BotSessions(echo); n != 1 {
		t.Errorf("the bot has %d sessions, want 1", n)
	}
}

// meetingBots is a fake of Bots whose calls wait for each other.
type meetingBots struct{ arrived, all chan struct{} }

func (b *meetingBots) BotConnected(ctx context.Context, _ snowflake.Application) {
	b.arrived <- struct{}{}
	select {
	case <-b.all:
	case <-ctx.Done():
	}
}

func (*meetingBots) BotDisconnected(context.Context, snowflake.Application) {}

// TestBotsIdentifyInParallel checks that a bot does not wait while another bot is announced to other nodes.
func TestBotsIdentifyInParallel(t *testing.T) {
	t.Parallel()
	bots := &meetingBots{make(chan struct{}, 8), make(chan struct{})}
	s := open(t, func(c *gateway.Config) { c.Bots = bots })
	release := sync.OnceFunc(func() { close(bots.all) })
	t.Cleanup(release)
	var clients []*client
	for _, token := range []string{"bot-echo", "bot-other"} {
		c := s.connect(t, usual)
		c.identify(token, 0)
		clients = append(clients, c)
	}
	for n := range clients {
		select {
		case <-bots.arrived:
		case <-time.After(waitTimeout):
			t.Fatalf("%d of %d bots are announced at the same time", n, len(clients))
		}
	}
	release()
	for _, c := range clients {
		c.want("READY")
	}
}
