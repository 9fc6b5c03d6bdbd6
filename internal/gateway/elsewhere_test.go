package gateway_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
)

// begin logs Echo in at a node, with its guilds, and waits until other nodes know of it.
func (d *node) begin(t *testing.T) *client {
	t.Helper()
	c, _ := d.login(t, "bot-echo", 1|512)
	c.want("GUILD_CREATE")
	c.want("GUILD_CREATE")
	d.settled(t, c)
	return c
}

// hears takes the numbers that are due and RESUMED, which stands before those that this node has heard since, then one more
// that a third node makes, and checks that none is missing.
func hears(t *testing.T, from *node, before uint64, c *client, want ...int) {
	t.Helper()
	from.publish(99)
	want = append(want, 99)
	resumed := false
	for seq := before; len(want) > 0 || !resumed; {
		p := c.next()
		if seq++; p.S == nil || *p.S != seq {
			t.Fatalf("heard %s %s, want number %d", p.name(), p.D, seq)
		}
		if p.name() == "RESUMED" && !resumed {
			resumed = true
			continue
		}
		if len(want) == 0 || string(p.D) != asText(want[0]) {
			t.Fatalf("heard %s %s, want %v", p.name(), p.D, want)
		}
		want = want[1:]
	}
}

// TestElsewhere goes on at another node, after each way in which a connection ends.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*node, *client)
	}{
		{"its connection broke", func(_ *node, c *client) { c.cut() }},
		{"its connection is still open", func(*node, *client) {}},
		{"its node was killed", func(d *node, _ *client) { d.kill() }},
		{"its node has stopped", func(d *node, c *client) {
			c.cut()
			d.stop()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 3)
			a, b, third := n.nodes[0], n.nodes[1], n.nodes[2]
			c := a.begin(t)
			for i := 1; i <= 3; i++ {
				third.publish(i)
				c.want("TEST")
			}
			was := *c // as it is now, whatever the end says
			tt.end(a, c)
			third.publish(4)
			third.publish(5)
			again := b.moved(t, &was, "bot-echo")
			hears(t, third, was.seq, again, 4, 5)
			// And on to a node that was not there, which knows the history from Redis alone.
			b.settled(t, again)
			b.kill()
			third.publish(6)
			last := n.join(t).moved(t, again, "bot-echo")
			hears(t, third, again.seq, last, 6)
		})
	}
}

// TestElsewhereLag resumes with a number that is older than what the node had sent.
func TestElsewhereLag(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"its node lives": false, "its node was killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 2)
			c := n.nodes[0].begin(t)
			for i := 1; i <= 5; i++ {
				n.nodes[1].publish(i)
				c.want("TEST")
			}
			if killed {
				n.nodes[0].kill()
			}
			c.seq -= 3
			again := n.nodes[1].moved(t, c, "bot-echo")
			hears(t, n.nodes[1], c.seq, again, 3, 4, 5)
		})
	}
}

func TestElsewhereRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		killed         bool
		token, session string
		ahead          uint64
		want           int // a close code, or 9 for an invalid session
	}{
		{"number never sent", false, "bot-echo", "", 1, 4007},
		{"number never sent, its node was killed", true, "bot-echo", "", 1, 9},
		{"token of another bot", false, "bot-other", "", 0, 9},
		{"token of a person", true, "user-ada", "", 0, 9},
		{"unknown session", false, "bot-echo", "0123456789abcdef0123456789abcdef", 0, 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 2)
			c := n.nodes[0].begin(t)
			if tt.killed {
				n.nodes[0].kill()
			}
			wrong := *c
			wrong.seq += tt.ahead
			if tt.session != "" {
				wrong.id = tt.session
			}
			again := n.nodes[1].moved(t, &wrong, tt.token)
			if tt.want == 9 {
				again.want("op 9")
			} else if got := again.closed(); got != tt.want {
				t.Errorf("closed with %d, want %d", got, tt.want)
			}
			if !tt.killed { // whose session it is has lost nothing
				n.nodes[1].publish(1)
				c.want("TEST")
			}
		})
	}
}

// TestElsewhereEnded cannot resume what a client has ended.
func TestElsewhereEnded(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	c.leave(1000)
	n.nodes[0].waitGone(t)
	n.nodes[1].moved(t, c, "bot-echo").want("op 9")
}

// TestElsewhereAside goes on after a list of members, which no history has. A node that was killed before it could tell how
// its session stands after that leaves nothing to go on from.
func TestElsewhereAside(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{"told": true, "not told": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 2)
			a, b := n.nodes[0], n.nodes[1]
			c := a.begin(t)
			a.sessions.numb.Store(!told)
			c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","user_ids":["` + bob.String() + `"]}}`)
			c.want("GUILD_MEMBERS_CHUNK")
			if told {
				a.settled(t, c)
			}
			a.kill()
			b.publish(1)
			again := b.moved(t, c, "bot-echo")
			if told {
				hears(t, b, c.seq, again, 1)
			} else {
				again.want("op 9")
			}
		})
	}
}

// TestElsewhereAsideGiven hands over what no history has.
func TestElsewhereAsideGiven(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","user_ids":["` + bob.String() + `"]}}`)
	c.want("GUILD_MEMBERS_CHUNK")
	c.seq -= 2 // neither that nor the last guild has come
	again := n.nodes[1].moved(t, c, "bot-echo")
	again.want("GUILD_CREATE")
	again.want("GUILD_MEMBERS_CHUNK")
	again.want("RESUMED")
}

// inLab is an event for those in a guild, in one of its channels or in none.
func inLab(n int, guild snowflake.Guild, channel snowflake.Channel) events.Event {
	return events.Event{Name: "TEST", Data: []byte(asText(n)), To: events.Audience{Guild: guild, Channel: channel, Intents: events.GuildMessages}}
}

// TestElsewhereGuilds counts guilds that come and go, and hears of those alone that its session is in.
func TestElsewhereGuilds(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	c := a.begin(t)
	self := snowflake.User(echo)
	b.bus.Publish(events.Event{Change: &events.Change{Guild: attic, Left: self}})
	c.want("GUILD_DELETE")
	b.bus.Publish(inLab(1, attic, 0)) // not for it
	b.bus.Publish(inLab(2, lab, 0))
	c.want("TEST")
	a.kill()
	b.bus.Publish(inLab(3, attic, 0)) // not for it
	b.bus.Publish(events.Event{Change: &events.Change{Guild: attic, Joined: self}})
	b.bus.Publish(inLab(4, attic, 0))
	again := b.moved(t, c, "bot-echo")
	again.want("GUILD_CREATE")
	hears(t, b, again.seq, again, 4)
	b.bus.Publish(inLab(5, attic, 0))
	if p := again.want("TEST"); string(p.D) != "5" {
		t.Errorf("heard %s", p.D)
	}
}

// TestElsewhereDoubt counts events of a channel, and begins anew when nobody can tell any more who saw them.
func TestElsewhereDoubt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change events.Change
		after  bool // the session has gone on
		want   bool // that it can
	}{
		{"the guild changes", events.Change{Guild: lab}, false, false},
		{"the guild changes right after", events.Change{Guild: lab}, true, false},
		{"somebody else comes", events.Change{Guild: lab, Joined: bob}, false, true},
		{"somebody else comes right after", events.Change{Guild: lab, Joined: bob}, true, true},
		{"another guild changes", events.Change{Guild: attic}, false, true},
		{"everything changes", events.Change{Everything: true}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 2)
			a, b := n.nodes[0], n.nodes[1]
			c := a.begin(t)
			b.bus.Publish(inLab(1, lab, hall))
			b.bus.Publish(inLab(2, lab, vault))
			c.want("TEST")
			c.want("TEST")
			a.kill()
			b.bus.Publish(inLab(3, lab, hall))
			if !tt.after {
				b.bus.Publish(events.Event{Change: &tt.change})
			}
			again := b.moved(t, c, "bot-echo")
			if !tt.want && !tt.after {
				again.want("op 9")
				return
			}
			hears(t, b, c.seq, again, 3)
			if tt.after {
				b.bus.Publish(events.Event{Change: &tt.change})
			}
			if !tt.want {
				again.want("op 9")
				return
			}
			b.publish(4)
			again.want("TEST")
		})
	}
}

// TestElsewhereFar goes on from so far back that no node has all of it in memory: what stands in entries of hundreds, most of
// it for others, is read from Redis and then from memory.
func TestElsewhereFar(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	c := a.begin(t)
	a.kill()
	all := b.bus.Subscribe(1 << 14)
	defer all.Close()
	const burst, bursts = 5000, 9
	var want []int
	for i := range bursts {
		for j := range burst {
			if j == burst/2 {
				b.publish(i)
				want = append(want, i)
			}
			b.bus.Publish(events.Event{Name: "TEST", Data: []byte("0"), To: events.Audience{Application: other}})
		}
		for heard := 0; heard <= burst; {
			e, ok := <-all.Events()
			if !ok {
				t.Fatal(all.Err())
			}
			if e.Name == "TEST" {
				heard++
			}
		}
	}
	again := b.moved(t, c, "bot-echo")
	hears(t, b, c.seq, again, want...)
}
