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
