package lobbies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

// modelLobby is a simple model of a lobby.
type modelLobby struct {
	id       snowflake.Lobby
	members  []snowflake.User
	since    time.Duration // since the start of the test
	timeout  time.Duration
	deadline time.Duration
	gone     bool
}

// model is the expected result of random calls.
type model struct {
	*rapid.T

	h        *harness
	settings lobbies.Settings
	now      time.Duration
	lobbies  []*modelLobby
}

// TestModel makes random calls, moves the clock, restarts the service, and compares every lobby with the model.
func TestModel(t *testing.T) {
	t.Parallel()
	for _, activity := range []lobby.Activity{lobby.ConnectionsAndWrites, lobby.Connections} {
		t.Run(fmt.Sprint(activity), func(t *testing.T) {
			t.Parallel()
			settings := lobbies.Settings{Activity: activity}
			h := open(t, settings)
			rapid.Check(t, func(rt *rapid.T) {
				p := &model{T: rt, h: h, settings: settings, now: h.clock.Now().Sub(noon)}
				for range rapid.IntRange(1, 15).Draw(rt, "steps") {
					p.step()
					p.compare()
				}
			})
		})
	}
}

func (p *model) step() {
	ctx := p.h.t.Context()
	what := rapid.SampledFrom([]string{"create", "put", "put", "remove", "retime", "delete", "wait", "wait", "restart"}).Draw(p.T, "what")
	seconds := rapid.IntRange(5, 12).Draw(p.T, "seconds")
	if len(p.lobbies) == 0 {
		what = "create"
	}
	switch what {
	case "create":
		id := p.h.create(fmt.Sprintf(`{"idle_timeout_seconds":%d}`, seconds))
		l := &modelLobby{id: id, timeout: time.Duration(seconds) * time.Second, since: p.now}
		l.deadline = l.since + l.timeout
		p.lobbies = append(p.lobbies, l)
		return
	case "wait":
		p.wait(time.Duration(rapid.IntRange(1, 8000).Draw(p.T, "milliseconds")) * time.Millisecond)
		return
	case "restart":
		p.h.close()
		p.h.start(p.settings)
		for _, l := range p.lobbies {
			l.since = p.now
			l.deadline = p.now + l.timeout
		}
		return
	}
	l := rapid.SampledFrom(p.lobbies).Draw(p.T, "lobby")
	user := snowflake.User(rapid.Uint64Range(1, 3).Draw(p.T, "user"))
	var err error
	switch what {
	case "put":
		_, err = p.h.Members.Put(ctx, game, l.id, user, body(p.h.t, `{}`))
	case "remove":
		err = p.h.Members.Remove(ctx, game, l.id, user)
	case "retime":
		_, err = p.h.Edit(ctx, game, l.id, body(p.h.t, fmt.Sprintf(`{"idle_timeout_seconds":%d}`, seconds)))
	case "delete":
		if err := p.h.Delete(ctx, game, l.id); err != nil {
			p.Fatalf("Delete() = %v", err)
		}
		l.gone = true
		return
	}
	if (err != nil) != l.gone {
		p.Fatalf("%s = %v, deleted: %v", what, err, l.gone)
	}
	if !l.gone {
		l.write(what, user, time.Duration(seconds)*time.Second, p.now, p.settings.Activity)
	}
}

// write applies a call to the model.
func (l *modelLobby) write(what string, user snowflake.User, timeout, now time.Duration, activity lobby.Activity) {
	i := slices.Index(l.members, user)
	switch {
	case what == "put" && i < 0:
		l.members = append(l.members, user)
	case what == "remove" && i < 0:
		return // no effect, no activity
	case what == "remove":
		l.members = slices.Delete(l.members, i, i+1)
	case what == "retime":
		l.timeout = timeout
	}
	if activity == lobby.ConnectionsAndWrites {
		l.since = now
	}
	l.deadline = l.since + l.timeout
	if what == "retime" {
		l.deadline = max(l.deadline, now+lobby.MinIdleTimeout)
		l.since = l.deadline - l.timeout
	}
}

func (p *model) wait(d time.Duration) {
	p.h.advance(d)
	p.now += d
	for _, l := range p.lobbies {
		l.gone = l.gone || l.deadline <= p.now
	}
}

func (p *model) compare() {
	for i, l := range p.lobbies {
		parts := []string{"null"}
		for _, user := range l.members {
			parts = append(parts, fmt.Sprintf("%d:null:0:", user))
		}
		want := strings.Join(parts, " ")
		if l.gone {
			want = "unknown lobby"
		}
		if got := p.h.describe(l.id); got != want {
			p.Fatalf("lobby %d is %q after %v, want %q, due at %v", i, got, p.now, want, l.deadline)
		}
	}
}
