package lobbies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestIdle checks when idle lobbies are deleted.
func TestIdle(t *testing.T) {
	t.Parallel()
	const instant = time.Millisecond
	for _, tt := range []struct {
		name     string
		settings lobbies.Settings
		make     string
		do       func(t *testing.T, h *harness, id snowflake.Lobby) // called after 4 seconds
		lives    time.Duration                                      // how long the lobby exists after that
	}{
		{name: "five seconds", make: `{"idle_timeout_seconds":5}`, lives: time.Second},
		{name: "the default is 300", make: `{}`, lives: 296 * time.Second},
		{name: "a week", make: `{"idle_timeout_seconds":604800}`, lives: 604796 * time.Second},
		{name: "members who are not connected do not count", make: `{"members":[{"id":"700000000000000001"}],"idle_timeout_seconds":5}`, lives: time.Second},
		{name: "a read does not count", make: `{"idle_timeout_seconds":5}`, do: func(_ *testing.T, h *harness, id snowflake.Lobby) { h.describe(id) }, lives: time.Second},
		{name: "an edit counts", make: `{"idle_timeout_seconds":5}`, do: edit(`{"metadata":{}}`), lives: 5 * time.Second},
		{name: "an edit of nothing counts", make: `{"idle_timeout_seconds":5}`, do: edit(`{}`), lives: 5 * time.Second},
		{name: "a member counts", make: `{"idle_timeout_seconds":5}`, do: func(t *testing.T, h *harness, id snowflake.Lobby) {
			t.Helper()
			_, err := h.Members.Put(t.Context(), game, id, ada, body(t, `{}`))
			h.wantErr(err, nil)
		}, lives: 5 * time.Second},
		{name: "a message counts", make: `{"idle_timeout_seconds":5,"members":[{"id":"700000000000000001"}]}`, do: func(t *testing.T, h *harness, id snowflake.Lobby) {
			t.Helper()
			_, err := h.Messages.Send(t.Context(), game, id, ada, body(t, `{"content":"hi"}`))
			h.wantErr(err, nil)
		}, lives: 5 * time.Second},
		{name: "many members count", make: `{"idle_timeout_seconds":5}`, do: func(t *testing.T, h *harness, id snowflake.Lobby) {
			t.Helper()
			_, err := h.Members.Bulk(t.Context(), game, id, body(t, `[{"id":"700000000000000001"}]`))
			h.wantErr(err, nil)
		}, lives: 5 * time.Second},
		{name: "removing a member counts", make: `{"idle_timeout_seconds":5,"members":[{"id":"700000000000000001"}]}`, do: remove(ada), lives: 5 * time.Second},
		{name: "removing a user who is not a member does not count", make: `{"idle_timeout_seconds":5,"members":[{"id":"700000000000000001"}]}`, do: remove(bob), lives: time.Second},
		{name: "a refused request does not count", make: `{"idle_timeout_seconds":5}`, do: func(t *testing.T, h *harness, id snowflake.Lobby) {
			t.Helper()
			_, err := h.Members.Put(t.Context(), game, id, snowflake.User(other), body(t, `{}`))
			if err == nil {
				t.Error("a bot is let in")
			}
		}, lives: time.Second},
		{name: "connections: no write counts", settings: lobbies.Settings{Activity: lobby.Connections}, make: `{"idle_timeout_seconds":5,"members":[{"id":"700000000000000001"}]}`, do: remove(ada), lives: time.Second},
		{name: "a shorter time counts from now", make: `{}`, do: edit(`{"idle_timeout_seconds":5}`), lives: 5 * time.Second},
		{name: "a longer time counts from now", make: `{"idle_timeout_seconds":5}`, do: edit(`{"idle_timeout_seconds":60}`), lives: 60 * time.Second},
		{name: "connections: an edit does not count", settings: lobbies.Settings{Activity: lobby.Connections}, make: `{"idle_timeout_seconds":5}`, do: edit(`{"metadata":{}}`), lives: time.Second},
		{name: "connections: a shorter time is not over at once", settings: lobbies.Settings{Activity: lobby.Connections}, make: `{}`, do: edit(`{"idle_timeout_seconds":6}`), lives: 5 * time.Second},
		{name: "connections: a longer time counts from the start", settings: lobbies.Settings{Activity: lobby.Connections}, make: `{"idle_timeout_seconds":5}`, do: edit(`{"idle_timeout_seconds":60}`), lives: 56 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, tt.settings)
			id := h.create(tt.make)
			h.advance(4 * time.Second)
			if tt.do != nil {
				tt.do(t, h, id)
			}
			before := h.describe(id)
			h.advance(tt.lives - instant)
			h.want(id, before)
			h.advance(instant)
			h.want(id, "unknown lobby")
			if ids, err := h.Presence.LobbiesOf(t.Context(), game, ada); err != nil || len(ids) != 0 {
				t.Errorf("LobbiesOf() = %v, %v: members outlive the lobby", ids, err)
			}
		})
	}
}

func edit(text string) func(*testing.T, *harness, snowflake.Lobby) {
	return func(t *testing.T, h *harness, id snowflake.Lobby) {
		t.Helper()
		_, err := h.Edit(t.Context(), game, id, body(t, text))
		h.wantErr(err, nil)
	}
}

func remove(user snowflake.User) func(*testing.T, *harness, snowflake.Lobby) {
	return func(t *testing.T, h *harness, id snowflake.Lobby) {
		t.Helper()
		h.wantErr(h.Members.Remove(t.Context(), game, id, user), nil)
	}
}

// TestIdleSecret checks that joining with a secret restarts the idle time, and that only a given idle timeout replaces
// the old one.
func TestIdleSecret(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.join(game, ada, `{"secret":"s","idle_timeout_seconds":5}`)
	for _, again := range []string{`{"secret":"s"}`, `{"secret":"s","idle_timeout_seconds":null}`} {
		h.advance(4 * time.Second)
		if got := h.join(game, ada, again); got != id {
			t.Fatal("the lobby was deleted although a user joined")
		}
	}
	h.advance(4 * time.Second)
	h.join(game, bob, `{"secret":"s","idle_timeout_seconds":60}`)
	h.advance(59 * time.Second)
	h.want(id, "null 1:null:0: 2:null:0:")
	h.advance(time.Second)
	h.want(id, "unknown lobby")
	if next := h.join(game, ada, `{"secret":"s"}`); next == id {
		t.Error("a secret leads to a deleted lobby")
	} else {
		h.advance(299 * time.Second)
		h.want(next, "null 1:null:0:") // the default
	}
}

func TestIdleManyAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	var ids []snowflake.Lobby
	for i := range 300 { // more than a sweep reads at a time
		ids = append(ids, h.create(fmt.Sprintf(`{"idle_timeout_seconds":%d}`, 5+i%3)))
	}
	h.advance(6 * time.Second)
	for i, id := range ids {
		want := "unknown lobby"
		if i%3 == 2 {
			want = "null"
		}
		if got := h.describe(id); got != want {
			t.Fatalf("lobby %d is %q, want %q", i, got, want)
		}
	}
	h.advance(time.Hour)
	h.read(func(r store.Reader) error {
		due, err := r.Lobbies.Due(10)
		if len(due) != 0 {
			t.Errorf("%d lobbies are left", len(due))
		}
		return err
	})
}

// TestIdleRestart checks that the time while the service did not run does not count.
func TestIdleRestart(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{"idle_timeout_seconds":60}`)
	h.advance(50 * time.Second)
	h.close()
	h.advance(time.Hour)
	h.start(lobbies.Settings{})
	h.advance(59 * time.Second)
	h.want(id, "null")
	h.advance(time.Second)
	h.want(id, "unknown lobby")
}

// TestIdleMovedClock starts the service on data that a service with a clock far ahead has written. The idle time starts
// with the service.
func TestIdleMovedClock(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.advance(100 * 24 * time.Hour)
	var ids []snowflake.Lobby
	for range 300 { // more than are read at a time
		ids = append(ids, h.create(`{"idle_timeout_seconds":60}`))
	}
	h.close()
	h.clock = clock.NewMovable(stillClock{h.asked})
	h.start(lobbies.Settings{})
	h.advance(59 * time.Second)
	h.want(ids[0], "null")
	listed, err := h.List(t.Context(), game, 0, 1)
	if err != nil || listed[0].Ends == nil || !listed[0].Ends.Equal(noon.Add(time.Minute)) {
		t.Errorf("List() = %+v, %v", listed, err)
	}
	h.advance(time.Second)
	for _, id := range ids {
		h.want(id, "unknown lobby")
	}
}

func TestIdleConnected(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{Activity: lobby.Connections})
	h.events.connect(ada)
	id := h.create(`{"idle_timeout_seconds":60,"members":[{"id":"700000000000000001"},{"id":"700000000000000002"}]}`)
	empty := h.create(`{"idle_timeout_seconds":60,"members":[{"id":"700000000000000002"}]}`)
	h.advance(time.Hour + 30*time.Second)
	h.want(id, "null 1:null:0: 2:null:0:")
	h.want(empty, "unknown lobby")
	h.events.disconnect(ada)
	h.wantErr(h.Presence.ClientDisconnected(t.Context(), game, ada), nil)
	h.advance(59 * time.Second)
	h.want(id, "null 1:null:0: 2:null:0:")
	h.advance(time.Second)
	h.want(id, "unknown lobby")
}

// TestIdleStopped checks that no lobby is deleted after Run has returned.
func TestIdleStopped(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{"idle_timeout_seconds":5}`)
	h.stop()
	h.advance(time.Hour)
	h.want(id, "null")
}
