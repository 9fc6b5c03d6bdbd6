package gateway_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
)

// waitDetached waits until no session is connected.
func (s *harness) waitDetached(t *testing.T) {
	t.Helper()
	s.disconnectAll(t, func(w session.Owner) bool { return w.Kind != 0 })
}

// publish publishes an event for Echo with a number in it.
func (s *harness) publish(n int) {
	s.bus.Publish(events.Event{Name: "TEST", Data: []byte(strconv.Itoa(n)), To: events.Audience{Application: echo}})
}

// waitDelivered waits until all published events were delivered.
func (s *harness) waitDelivered(t *testing.T) {
	t.Helper()
	s.waitDeliveredTo(t, "bot-other", other)
}

// waitDeliveredTo waits until all published events were delivered, with a new session of the given bot.
func (s *harness) waitDeliveredTo(t *testing.T, bot string, app snowflake.Application) {
	t.Helper()
	witness, _ := s.login(t, bot, 0)
	s.bus.Publish(events.Event{Name: "END", Data: []byte(`{}`), To: events.Audience{Application: app}})
	witness.until("END")
}

// numbers reads events until RESUMED and returns the numbers in them.
func (c *client) numbers() []int {
	c.t.Helper()
	var list []int
	for {
		p := c.next()
		if p.name() == "RESUMED" {
			return list
		}
		n, err := strconv.Atoi(string(p.D))
		if err != nil {
			c.t.Fatalf("received %s %s", p.name(), p.D)
		}
		list = append(list, n)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*client)
		want bool // the session can be resumed
	}{
		{"after the connection broke", (*client).cut, true},
		{"after 4200", func(c *client) { c.leave(4200) }, true},
		{"after 1012", func(c *client) { c.leave(1012) }, true},
		{"after a close without a code", func(c *client) { c.frame(ws.NewCloseFrame(nil)) }, true},
		{"after 1000", func(c *client) { c.leave(1000) }, false},
		{"after 1001", func(c *client) { c.leave(1001) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			c, _ := s.login(t, "bot-echo", 0)
			s.publish(1)
			c.want("TEST")
			tt.end(c)
			s.waitClosed(t)
			s.publish(2)
			s.publish(3)
			s.waitDelivered(t)
			again := s.connect(t, usual)
			again.resume("Bot bot-echo", c.id, c.seq)
			if !tt.want {
				again.want("op 9")
				again.identify("bot-echo", 0) // on the same connection
				again.want("READY")
				return
			}
			if got := again.numbers(); !slices.Equal(got, []int{2, 3}) {
				t.Errorf("received %v, want 2 and 3", got)
			}
			if again.seq != 5 {
				t.Errorf("RESUMED has number %d, want 5", again.seq)
			}
			s.publish(4)
			if p := again.want("TEST"); string(p.D) != "4" || *p.S != 6 {
				t.Errorf("received %s as number %d", p.D, *p.S)
			}
		})
	}
}

// TestDisconnectWithoutACloseFrame checks that code 1006, which no close frame can have, cuts a connection, and that its session resumes.
func TestDisconnectWithoutACloseFrame(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	if n := s.Disconnect(func(session.Owner) bool { return true }, 1006); n != 1 {
		t.Fatalf("%d connections were cut, want 1", n)
	}
	if f, err := c.receive(); err == nil {
		t.Fatalf("received a frame: %v", f.Header)
	}
	s.publish(1)
	s.waitDelivered(t)
	again := s.connect(t, usual)
	again.resume("Bot bot-echo", c.id, c.seq)
	if got := again.numbers(); !slices.Equal(got, []int{1}) {
		t.Errorf("received %v, want 1", got)
	}
}

// waitClosed waits until all connections are closed.
func (s *harness) waitClosed(t *testing.T) {
	t.Helper()
	s.disconnectAll(t, func(session.Owner) bool { return true })
}

// disconnectAll disconnects the connections that pick chooses until none is left.
func (s *harness) disconnectAll(t *testing.T, pick func(session.Owner) bool) {
	t.Helper()
	s.waitFor(t, "all connections to close", func() (bool, string) {
		open := s.Disconnect(pick, 0)
		return open == 0, strconv.Itoa(open) + " open connections"
	})
}

func TestResumeRefused(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *gateway.Config) { c.Settings.ReplayEvents = 3 })
	c, _ := s.login(t, "bot-echo", 0)
	for n := range 5 {
		s.publish(n)
		c.want("TEST")
	}
	for _, tt := range []struct {
		name           string
		token, session string
		seq            uint64
		want           int // close code, 9 for an invalid session, 0 for success
	}{
		{"number never sent", "bot-echo", c.id, c.seq + 1, 4007},
		{"number too old", "bot-echo", c.id, 2, 9},
		{"unknown session", "bot-echo", "0123456789abcdef0123456789abcdef", 1, 9},
		{"token of another bot", "bot-other", c.id, c.seq, 9},
		{"token of a person", "user-ada", c.id, c.seq, 9},
		{"still connected", "bot-echo", c.id, 3, 0},
	} {
		again := s.connect(t, usual)
		again.resume(tt.token, tt.session, tt.seq)
		switch tt.want {
		case 0:
			if got := again.numbers(); !slices.Equal(got, []int{2, 3, 4}) {
				t.Errorf("%s: received %v, want the last three", tt.name, got)
			}
			if got := c.closed(); got != 4000 {
				t.Errorf("%s: the old connection is closed with %d, want 4000", tt.name, got)
			}
		case 9:
			again.want("op 9")
		default:
			if got := again.closed(); got != tt.want {
				t.Errorf("%s: closed with %d, want %d", tt.name, got, tt.want)
			}
		}
	}
}

// TestResumeInitial checks that the events of the start are not kept: a client that missed one of them identifies again.
func TestResumeInitial(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", int(events.Guilds))
	c.want("GUILD_CREATE")
	c.want("GUILD_CREATE")
	s.publish(1)
	c.want("TEST") // the start is over
	for _, tt := range []struct {
		seq  uint64
		want string
	}{{0, "op 9"}, {2, "op 9"}, {3, "TEST"}} {
		again := s.connect(t, usual)
		again.resume("bot-echo", c.id, tt.seq)
		again.want(tt.want)
	}
}

// TestResumeUnderCuts breaks the connection again and again while events are published. Every event arrives once.
func TestResumeUnderCuts(t *testing.T) {
	t.Parallel()
	const total, rounds = 600, 12
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range total {
			s.publish(n)
			if n%50 == 0 {
				clock.Wait(t.Context(), clock.System{}, time.Millisecond)
			}
		}
	}()
	var received []int
	take := func(c *client, most int) {
		for range most {
			p := c.next()
			if p.name() == "TEST" {
				n, err := strconv.Atoi(string(p.D))
				if err != nil {
					t.Fatal(err)
				}
				received = append(received, n)
			}
		}
	}
	for round := range rounds {
		take(c, 3+7*round%11)
		c.cut()
		again := s.connect(t, usual)
		again.resume("bot-echo", c.id, c.seq)
		again.id = c.id
		c = again
	}
	engines.Receive(t, "the publisher", done)
	for len(received) < total {
		take(c, 1)
	}
	for n, got := range received {
		if n != got {
			t.Fatalf("event %d came as %d", got, n)
		}
	}
}

// TestRestart restarts the service while a client is connected.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	go s.stop()
	c.want("op 7")
	if got := c.closed(); got != 4000 {
		t.Errorf("closed with %d, want 4000", got)
	}
	s.stop()
	next := open(t)
	again := next.connect(t, usual)
	again.resume("bot-echo", c.id, c.seq)
	again.want("op 9")
	again.identify("bot-echo", 0)
	again.want("READY")
}

// TestSlowClient does not read until the service has closed the connection. After a resume all events arrive.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	if err := c.conn.(interface{ SetReadBuffer(int) error }).SetReadBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	const total = 900
	pad := fmt.Sprintf("%1000d", 7)
	for n := range total {
		s.bus.Publish(events.Event{Name: "TEST", Data: []byte(`["` + strconv.Itoa(n) + pad + `"]`), To: events.Audience{Application: echo}})
	}
	if got := c.closed(); got != 4000 {
		t.Fatalf("closed with %d, want 4000", got)
	}
	received := int(c.seq) - 1
	if received >= total {
		t.Fatal("nothing was held back")
	}
	s.waitDelivered(t) // an event after the resume would follow RESUMED
	again := s.connect(t, usual)
	again.resume("bot-echo", c.id, c.seq)
	for again.until("TEST"); int(again.seq) < total+1; again.next() {
	}
	again.want("RESUMED")
}

// TestShed checks that sessions drop the older half of their events when memory is short, and that a client that does not read
// is disconnected.
func TestShed(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, _ := s.login(t, "bot-echo", 0)
	for n := range 10 { // the numbers 2 to 11, after READY
		s.publish(n)
		c.want("TEST")
	}
	s.Shed()
	for _, tt := range []struct {
		after uint64
		want  string
	}{{5, "op 9"}, {6, "TEST"}} {
		again := s.connect(t, usual)
		again.resume("bot-echo", c.id, tt.after)
		again.want(tt.want)
	}
	slow, _ := s.login(t, "bot-other", 0)
	if err := slow.conn.(interface{ SetReadBuffer(int) error }).SetReadBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first half is being written while the second waits
		for range 100 {
			data := fmt.Appendf(nil, `"%4000d"`, 7)
			s.bus.Publish(events.Event{Name: "TEST", Data: data, To: events.Audience{Application: other}})
		}
		s.waitDeliveredTo(t, "bot-echo", echo)
	}
	s.Shed()
	if got := slow.closed(); got != 4000 {
		t.Errorf("closed with %d, want 4000", got)
	}
}

// TestShedSessions checks that the older half of the sessions without a connection ends when memory is short.
func TestShedSessions(t *testing.T) {
	t.Parallel()
	s := open(t)
	detach := func() *client {
		c, _ := s.login(t, "bot-echo", 0)
		c.cut()
		s.waitClosed(t)
		return c
	}
	resumed, older, newer := detach(), detach(), detach()
	connected := s.connect(t, usual)
	connected.resume("bot-echo", resumed.id, resumed.seq)
	connected.want("RESUMED")
	s.Shed()
	for _, tt := range []struct {
		session *client
		want    string
	}{{older, "op 9"}, {newer, "RESUMED"}} {
		c := s.connect(t, usual)
		c.resume("bot-echo", tt.session.id, tt.session.seq)
		c.want(tt.want)
	}
	if missed := connected.beat(); missed != nil {
		t.Errorf("the connected client received %v", missed)
	}
	if n := s.BotSessions(echo); n != 2 {
		t.Errorf("Echo has %d sessions, want 2", n)
	}
}
