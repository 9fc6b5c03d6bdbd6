package lobbies_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// neighbour runs the service once more on the same store, with a clock of its own and nothing in memory.
func (h *hall) neighbour(t *testing.T) (*lobbies.Lobbies, *clock.Movable) {
	t.Helper()
	asked := make(chan struct{}, 1)
	now := clock.NewMovable(stillClock{asked})
	now.Advance(h.clock.Now().Sub(noon))
	s := lobbies.New(lobbies.Config{
		Store: h.db, Clock: now, IDs: h.ids, Log: slog.New(slog.DiscardHandler), Directory: h.dir, Events: h.told,
		Fresh: func() bool { return false },
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-asked
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s, now
}

// TestShutDownOnce has two nodes that look at the same lobbies when their time is over: each goes once, and once its members
// are told.
func TestShutDownOnce(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.Listening = nil // everybody is told
	const many = 120
	made := map[string]bool{}
	for i := range many {
		id := h.make(fmt.Sprintf(`{"idle_timeout_seconds":5,"members":[{"id":"%d"}]}`, 1000+i))
		made[fmt.Sprintf(`{"id":"%d","reason":"deleted"}`, id)] = true
	}
	_, theirs := h.neighbour(t)
	h.told.take()
	var wg sync.WaitGroup
	for _, now := range []*clock.Movable{h.clock, theirs} {
		wg.Go(func() { now.Advance(5 * time.Second) })
	}
	wg.Wait()
	for _, e := range h.told.take() {
		if e.Name != "LOBBY_DELETE" || !made[string(e.Data)] {
			t.Errorf("told %s %s, once too often", e.Name, e.Data)
		}
		delete(made, string(e.Data))
	}
	if len(made) > 0 {
		t.Errorf("%d lobbies of %d have gone without a word", len(made), many)
	}
	for i := range many {
		if ids, err := h.LobbiesOf(t.Context(), game, snowflake.User(1000+i)); err != nil || len(ids) != 0 {
			t.Errorf("LobbiesOf() = %s, %v", ids, err)
		}
	}
}

// TestKeptElsewhere lets a node write to a lobby whose time is over for another one: what is written last counts.
func TestKeptElsewhere(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.make(`{"idle_timeout_seconds":5}`)
	there, theirs := h.neighbour(t)
	theirs.Advance(4 * time.Second)
	if _, err := there.PutMember(t.Context(), game, id, ada, body(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	h.ForgetLobbies(id) // as the other node says
	h.advance(8 * time.Second)
	h.want(id, "null 1:null:0:")
	h.advance(time.Second)
	h.want(id, "unknown lobby")
}

// TestLinkedElsewhere lets another node link a lobby: this one knows it by then.
func TestLinkedElsewhere(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.furnish()
	h.told.arrive(ada)
	id := h.make(everybody)
	there, _ := h.neighbour(t)
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	h.Written(t.Context(), "MESSAGE_CREATE", &answer) // and remembers that nobody follows the channel
	if _, err := there.Link(t.Context(), game, id, ada, body(t, `{"channel_id":"900000000000000010"}`)); err != nil {
		t.Fatal(err)
	}
	h.ForgetLobbies(id) // as the other node says
	h.told.take()
	h.Written(t.Context(), "MESSAGE_CREATE", &answer)
	wantLines(t, "linked elsewhere", h.heard(t), "LOBBY_MESSAGE_CREATE to 1")
}

// TestJoinedElsewhere tells a node of those who joined at another: it shows them without a look at the store, and looks where
// something else has happened in between.
func TestJoinedElsewhere(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.make(`{"members":[{"id":"1000","metadata":{"a":"b"}}]}`)
	there := lobbies.New(lobbies.Config{
		Store: h.db, Clock: h.clock, IDs: h.ids, Log: slog.New(slog.DiscardHandler), Directory: h.dir,
	})
	state := func(s *lobbies.Lobbies) *lobbies.State {
		t.Helper()
		st, err := s.Lobby(t.Context(), game, id)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	known := state(there)
	join := func(user snowflake.User) (before, after *lobbies.State) {
		t.Helper()
		before = state(h.Lobbies)
		h.advance(time.Second)
		if _, err := h.PutMember(t.Context(), game, id, user, body(t, `{"metadata":{"team":"red"},"flags":1}`)); err != nil {
			t.Fatal(err)
		}
		return before, state(h.Lobbies)
	}
	tell := func(before, after *lobbies.State, user snowflake.User) {
		there.Joined(id, *after.Member(user), before.Revision, after.Revision, after.IdleSince, after.Due)
	}
	before, after := join(ada)
	if state(there) != known {
		t.Fatal("the other node did not hold the lobby")
	}
	tell(before, after, ada)
	shown := state(there)
	if diff := cmp.Diff(after.Lobby, shown.Lobby); diff != "" {
		t.Errorf("after a join at another node (-there +here):\n%s", diff)
	}
	if kept, counted := shown.Texts(); kept != counted {
		t.Errorf("the texts of members have %d bytes, and are thought to have %d", counted, kept)
	}
	h.sql(fmt.Sprintf("UPDATE lobbies SET flags = 1 WHERE id = %d", id)) // whoever looks sees it
	if state(there) != shown || shown.Flags != 0 {
		t.Error("the store was looked at although everything was told")
	}
	before, after = join(bob)
	join(2000) // of whom nothing is told
	tell(before, after, bob)
	before, after = join(3000)
	tell(before, after, 3000)
	if got := state(there); len(got.Members) != 5 || got.Flags != 1 {
		t.Errorf("after a gap the lobby has %d members and flags %d, want what the store has", len(got.Members), got.Flags)
	}
}
