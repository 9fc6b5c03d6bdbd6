package gateway_test

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// begin logs Echo in at a node and waits until the session is published.
func (d *node) begin(t *testing.T) *client {
	t.Helper()
	c, _ := d.login(t, "bot-echo", 1|512)
	c.want("GUILD_CREATE")
	c.want("GUILD_CREATE")
	d.waitPublished(t, c)
	return c
}

// wantResumed checks the missed events by their numbers or their names, RESUMED, and one more event from another node.
// RESUMED comes before events that the node has not received yet.
func wantResumed(t *testing.T, from *node, before uint64, c *client, want ...any) {
	t.Helper()
	from.publish(99)
	want = append(want, 99)
	resumed := false
	for seq := before; len(want) > 0 || !resumed; {
		p := c.next()
		if seq++; p.S == nil || *p.S != seq {
			t.Fatalf("received %s %s, want number %d", p.name(), p.D, seq)
		}
		if p.name() == "RESUMED" && !resumed {
			resumed = true
			continue
		}
		if len(want) == 0 || want[0] != p.name() && fmt.Sprint(want[0]) != string(p.D) {
			t.Fatalf("received %s %s, want %v", p.name(), p.D, want)
		}
		want = want[1:]
	}
}

// TestRestore resumes at another node after each way in which a connection can end.
func TestRestore(t *testing.T) {
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
			was := *c // the state before the end
			tt.end(a, c)
			third.publish(4)
			third.publish(5)
			again := b.resumeFrom(t, &was, "bot-echo")
			wantResumed(t, third, was.seq, again, 4, 5)
			// Then resume at a new node that knows the history only from Redis.
			b.waitPublished(t, again)
			b.kill()
			third.publish(6)
			last := n.join(t).resumeFrom(t, again, "bot-echo")
			wantResumed(t, third, again.seq, last, 6)
		})
	}
}

// TestRestoreMissed resumes with an older sequence number than the node had sent.
func TestRestoreMissed(t *testing.T) {
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
			again := n.nodes[1].resumeFrom(t, c, "bot-echo")
			wantResumed(t, n.nodes[1], c.seq, again, 3, 4, 5)
		})
	}
}

func TestRestoreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		killed         bool
		token, session string
		ahead          uint64
		want           int // close code, or 9 for an invalid session
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
			again := n.nodes[1].resumeFrom(t, &wrong, tt.token)
			if tt.want == 9 {
				again.want("op 9")
			} else if got := again.closed(); got != tt.want {
				t.Errorf("closed with %d, want %d", got, tt.want)
			}
			if !tt.killed { // the owner can still resume
				n.nodes[1].publish(1)
				c.want("TEST")
			}
		})
	}
}

// TestRestoreEnded checks that a session that its client has ended cannot be resumed.
func TestRestoreEnded(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	c.leave(1000)
	n.nodes[0].waitClosed(t)
	n.nodes[1].resumeFrom(t, c, "bot-echo").want("op 9")
}

// TestRestorePrivate resumes after a list of members, which is not in the history. If a node was killed before it
// published the state after it, the session cannot be resumed.
func TestRestorePrivate(t *testing.T) {
	t.Parallel()
	for name, published := range map[string]bool{"published": true, "not published": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 2)
			a, b := n.nodes[0], n.nodes[1]
			c := a.begin(t)
			a.sessions.putFails.Store(!published)
			c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","user_ids":["` + bob.String() + `"]}}`)
			c.want("GUILD_MEMBERS_CHUNK")
			if published {
				a.waitPublished(t, c)
			}
			a.kill()
			b.publish(1)
			again := b.resumeFrom(t, c, "bot-echo")
			if published {
				wantResumed(t, b, c.seq, again, 1)
			} else {
				again.want("op 9")
			}
		})
	}
}

// TestRestorePrivateHandedOver hands over events that are not in the history.
func TestRestorePrivateHandedOver(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	c.send(`{"op":8,"d":{"guild_id":"` + lab.String() + `","user_ids":["` + bob.String() + `"]}}`)
	c.want("GUILD_MEMBERS_CHUNK")
	c.seq-- // the client has missed the list
	again := n.nodes[1].resumeFrom(t, c, "bot-echo")
	again.want("GUILD_MEMBERS_CHUNK")
	again.want("RESUMED")
}

// inLab returns an event for a guild, or for one of its channels.
func inLab(n int, guild snowflake.Guild, channel snowflake.Channel) events.Event {
	return events.Event{Name: "TEST", Data: []byte(asText(n)), To: events.Audience{Guild: guild, Channel: channel, Intents: events.GuildMessages}}
}

// TestRestoreGuilds checks that a restored session has the right guilds and counts GUILD_CREATE and GUILD_DELETE.
func TestRestoreGuilds(t *testing.T) {
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
	again := b.resumeFrom(t, c, "bot-echo")
	wantResumed(t, b, c.seq, again, "GUILD_CREATE", 4)
	b.bus.Publish(inLab(5, attic, 0))
	if p := again.want("TEST"); string(p.D) != "5" {
		t.Errorf("received %s", p.D)
	}
}

// TestRestoreAssumption restores a session that got events of a channel. The session is invalidated if permissions
// change so that the count may be wrong.
func TestRestoreAssumption(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change events.Change
		after  bool // the change comes after the restore
		want   bool // the session remains valid
	}{
		{"the guild changes", events.Change{Guild: lab}, false, false},
		{"the guild changes right after", events.Change{Guild: lab}, true, false},
		{"another user joins", events.Change{Guild: lab, Joined: bob}, false, true},
		{"another user joins right after", events.Change{Guild: lab, Joined: bob}, true, true},
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
			again := b.resumeFrom(t, c, "bot-echo")
			if !tt.want && !tt.after {
				again.until("op 9")
				return
			}
			wantResumed(t, b, c.seq, again, 3)
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

// TestRestoreFar resumes from so far back that the history has to be read from the store and then from memory.
func TestRestoreFar(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	c := a.begin(t)
	a.kill()
	b.Interest.Add(events.AccountPartition(snowflake.User(other))) // it reads the events of others, and not those of the session
	all := b.bus.Subscribe(1 << 14)
	defer all.Close()
	const burst, bursts = 5000, 9
	var want []any
	for i := range bursts {
		for j := range burst {
			if j == burst/2 {
				b.publish(i)
				want = append(want, i)
			}
			b.bus.Publish(events.Event{Name: "TEST", Data: []byte("0"), To: events.Audience{Application: other}})
		}
		for received := 0; received < burst; {
			if err := all.Err(); err != nil {
				t.Fatal(err)
			}
			if e := engines.Receive(t, "the next event", all.Events()); e.Name == "TEST" {
				received++
			}
		}
	}
	again := b.resumeFrom(t, c, "bot-echo")
	wantResumed(t, b, c.seq, again, want...)
}
