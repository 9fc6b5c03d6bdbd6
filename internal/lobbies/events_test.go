package lobbies_test

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// eventRecorder records lobby events and knows which users are connected.
type eventRecorder struct {
	mu      sync.Mutex
	clients map[snowflake.User]bool // of game
	list    []events.Event
}

// Publish records an event of a lobby. It ignores the events of the directory.
func (r *eventRecorder) Publish(e events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.HasPrefix(e.Name, "LOBBY_") {
		return
	}
	r.list = append(r.list, e)
}

// committed records the events of a change.
func (r *eventRecorder) committed(c *store.Change) {
	for _, e := range c.Events {
		r.Publish(e.Event)
	}
}

func (r *eventRecorder) connected(app snowflake.Application, user snowflake.User) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return app == game && r.clients[user]
}

func (r *eventRecorder) connectedUsers(_ context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User {
	return slices.Collect(func(yield func(snowflake.User) bool) {
		for u := range users {
			if r.connected(app, u) && !yield(u) {
				return
			}
		}
	})
}

func (r *eventRecorder) connect(users ...snowflake.User) { r.setConnected(true, users) }

func (r *eventRecorder) disconnect(users ...snowflake.User) { r.setConnected(false, users) }

func (r *eventRecorder) setConnected(connected bool, users []snowflake.User) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clients == nil {
		r.clients = map[snowflake.User]bool{}
	}
	for _, u := range users {
		r.clients[u] = connected
	}
}

func (r *eventRecorder) take() []events.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// line returns an event as a line of the golden file.
func line(t *testing.T, e events.Event) string {
	t.Helper()
	intent := events.Lobbies
	if e.Name == "LOBBY_DELETE" {
		intent = events.LobbyDelete
	}
	if e.To.Application != game || e.To.Intents != intent {
		t.Errorf("%s has the audience %+v", e.Name, e.To)
	}
	var to []string
	for _, u := range e.To.Users {
		to = append(to, short(u))
	}
	return fmt.Sprintf("%s to %s %s\n", e.Name, strings.Join(to, " "), e.Data)
}

// TestEvents compares the events of every kind of change with a golden file. Ada and Bob are connected, Eve is not.
func TestEvents(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	h.events.connect(ada, bob)
	ctx := t.Context()
	var id, secret snowflake.Lobby
	var sent snowflake.Message
	member := func(n int) snowflake.User { return 700000000000000000 + snowflake.User(n) }
	put := func(n int, text string) error {
		_, err := h.Members.Put(ctx, game, id, member(n), body(t, text))
		return err
	}
	edit := func(text string) error { _, err := h.Edit(ctx, game, id, body(t, text)); return err }
	send := func(text string) error {
		m, err := h.Messages.Send(ctx, game, id, ada, body(t, text))
		if err == nil {
			sent = m.ID
		}
		return err
	}
	var got strings.Builder
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"created with ada and eve", func() error {
			id = h.create(`{"metadata":{"map":"dust"},"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000003"}]}`)
			return nil
		}},
		{"bob joins", func() error { return put(2, `{"metadata":{"team":"red"},"additional_name":"Vex"}`) }},
		{"nothing changes", func() error { return put(2, `{"metadata":{"team":"red"}}`) }},
		{"bob changes", func() error { return put(2, `{"metadata":{"team":"blue"}}`) }},
		{"metadata", func() error { return edit(`{"metadata":{"map":"mill"}}`) }},
		{"a change that members do not see", func() error {
			return edit(`{"idle_timeout_seconds":60,"override_event_webhooks_url":"https://game.example/"}`)
		}},
		{"linked", func() error { return h.link(id, ada, general) }},
		{"unlinked", func() error { return h.link(id, ada, 0) }},
		{"ada sends a message", func() error { return send(`{"content":"hi","metadata":{"a":"b"}}`) }},
		{"moderated", func() error { return h.Messages.Moderate(ctx, game, id, sent, body(t, `{"verdict":"fine"}`)) }},
		{"eve is removed, another is added, ada changes", func() error {
			_, err := h.Members.Bulk(ctx, game, id, body(t, `[{"id":"700000000000000003","remove_member":true},{"id":"700000000000000004"},{"id":"700000000000000001","flags":0}]`))
			return err
		}},
		{"bob is removed", func() error { return h.Members.Remove(ctx, game, id, bob) }},
		{"replaced", func() error {
			return edit(`{"metadata":null,"members":[{"id":"700000000000000002"},{"id":"700000000000000003"}]}`)
		}},
		{"eve connects", func() error { h.events.connect(eve); return h.Presence.ClientConnected(ctx, game, eve) }},
		{"bob disconnects", func() error { h.events.disconnect(bob); return h.Presence.ClientDisconnected(ctx, game, bob) }},
		{"bob connects", func() error { h.events.connect(bob); return h.Presence.ClientConnected(ctx, game, bob) }},
		{"ada joins by a secret", func() error {
			st, err := h.Join(ctx, game, ada, body(t, `{"secret":"x","member_metadata":{"c":"d"}}`))
			secret = st.ID
			return err
		}},
		{"bob joins by the secret", func() error { _, err := h.Join(ctx, game, bob, body(t, `{"secret":"x"}`)); return err }},
		{"ada leaves", func() error { return h.Members.Leave(ctx, game, secret, ada) }},
		{"deleted", func() error { return h.Delete(ctx, game, id) }},
		{"deleted again", func() error { return h.Delete(ctx, game, id) }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		fmt.Fprintf(&got, "-- %s --\n", step.name)
		for _, e := range h.events.take() {
			got.WriteString(line(t, e))
		}
	}
	golden(t, "testdata/events.txt", got.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// TestLobbiesOf checks the lobbies that a client gets with READY.
func TestLobbiesOf(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.events.connect(ada)
	h.create(`{"members":[{"id":"700000000000000001"},{"id":"700000000000000002"}]}`)
	h.create(`{"members":[{"id":"700000000000000002"}]}`)
	h.create(`{"metadata":{"a":"b"},"members":[{"id":"700000000000000001"}]}`)
	shown, err := h.Presence.LobbiesOf(t.Context(), game, ada)
	if err != nil {
		t.Fatal(err)
	}
	made := h.events.take()
	if len(shown) != 2 || len(made) != 2 {
		t.Fatalf("LobbiesOf() = %d lobbies, want %d", len(shown), len(made))
	}
	for i := range shown {
		if string(shown[i]) != string(made[i].Data) {
			t.Errorf("LobbiesOf() shows %s, LOBBY_CREATE %s", shown[i], made[i].Data)
		}
	}
	if shown, err := h.Presence.LobbiesOf(t.Context(), other, ada); err != nil || len(shown) != 0 {
		t.Errorf("of another application LobbiesOf() = %s, %v", shown, err)
	}
}

// TestEventsShared checks that a full lobby renders as many events as one with two members.
func TestEventsShared(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.createFull()
	h.wantErr(h.Members.Remove(t.Context(), game, id, 1000), nil)
	for n := range 1000 {
		h.events.connect(1000 + snowflake.User(n))
	}
	if _, err := h.Members.Put(t.Context(), game, id, 1000, body(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	heard := h.events.take()
	if len(heard) != 2 || len(heard[0].To.Users) != 1 || len(heard[1].To.Users) != 999 {
		t.Errorf("the last of 1000 makes %d events", len(heard))
	}
}

// TestEventsInOrder adds and removes a member from many goroutines. The other members get LOBBY_MEMBER_ADD and
// LOBBY_MEMBER_REMOVE alternately.
func TestEventsInOrder(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.events.connect(ada, bob)
	id := h.create(`{"members":[{"id":"700000000000000002"}]}`)
	h.events.take()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, err := h.Members.Put(t.Context(), game, id, ada, body(t, `{}`)); err != nil {
					t.Error(err)
				}
				if err := h.Members.Remove(t.Context(), game, id, ada); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	next := map[string]string{
		"LOBBY_CREATE": "LOBBY_MEMBER_ADD", "LOBBY_MEMBER_ADD": "LOBBY_DELETE", "LOBBY_DELETE": "LOBBY_MEMBER_REMOVE", "LOBBY_MEMBER_REMOVE": "LOBBY_CREATE",
	}
	want := "LOBBY_CREATE"
	heard := h.events.take()
	for i, e := range heard {
		if e.Name != want {
			t.Fatalf("event %d is %s, want %s", i, e.Name, want)
		}
		want = next[e.Name]
	}
	if want != "LOBBY_CREATE" || len(heard) < 4*50 {
		t.Errorf("%d events, and %s is still to come", len(heard), want)
	}
}
