package lobbies_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *harness) join(app snowflake.Application, user snowflake.User, text string) snowflake.Lobby {
	h.t.Helper()
	st, err := h.Join(h.t.Context(), app, user, body(h.t, text))
	if err != nil {
		h.t.Fatalf("Join(%s) = %v", text, err)
	}
	return st.ID
}

func TestJoin(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.join(game, ada, `{"secret":"s","lobby_metadata":{"a":"b"},"member_metadata":{"c":"d"},"idle_timeout_seconds":604800}`)
	h.want(id, `{"a":"b"} 1:{"c":"d"}:0:`)
	for _, tt := range []struct {
		user       snowflake.User
		give, want string
	}{
		{bob, `{"secret":"s"}`, `{"a":"b"} 1:{"c":"d"}:0: 2:null:0:`},
		{ada, `{"secret":"s"}`, `{"a":"b"} 1:{"c":"d"}:0: 2:null:0:`},
		{ada, `{"secret":"s","member_metadata":null,"lobby_metadata":{"x":"y"}}`, `{"x":"y"} 1:null:0: 2:null:0:`},
		{bob, `{"secret":"s","lobby_metadata":null}`, `null 1:null:0: 2:null:0:`},
	} {
		if got := h.join(game, tt.user, tt.give); got != id {
			t.Errorf("Join(%s) leads to %v, want %v", tt.give, got, id)
		}
		h.want(id, tt.want)
	}
	if got := h.join(other, ada, `{"secret":"s"}`); got == id {
		t.Error("a secret leads into another application's lobby")
	}
	h.wantErr(h.Members.Leave(ctx, game, id, ada), nil)
	h.wantErr(h.Members.Leave(ctx, game, id, ada), nil)
	h.want(id, "null 2:null:0:")
	if got := h.join(game, ada, `{"secret":"s"}`); got != id {
		t.Error("a user who left gets another lobby")
	}
	h.wantErr(h.Delete(ctx, game, id), nil)
	if got := h.join(game, ada, `{"secret":"s"}`); got == id {
		t.Error("a secret leads to a deleted lobby")
	}
	_, err := h.Join(ctx, game, snowflake.User(game), body(t, `{"secret":"t"}`))
	if _, ok := errors.AsType[*jsonbody.Tree](err); !ok {
		t.Errorf("Join() of a bot = %v", err)
	}
}

func TestLeaveNotAllowed(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{"members":[{"id":"700000000000000001"}]}`)
	h.wantErr(h.Members.Leave(t.Context(), game, id, ada), lobbies.ErrNotLeavable)
	h.wantErr(h.Members.Leave(t.Context(), game, id, bob), nil)
	h.wantErr(h.Members.Leave(t.Context(), other, id, ada), lobbies.ErrUnknownLobby)
	h.want(id, "null 1:null:0:")
}

// TestSecretExpires checks that a secret leads to a new lobby after 30 days, and that the old lobby remains.
func TestSecretExpires(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.join(game, ada, `{"secret":"s","idle_timeout_seconds":604800}`)
	for range 6 {
		h.advance(5 * 24 * time.Hour)
		if _, err := h.Edit(t.Context(), game, id, body(t, `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	second := h.join(game, bob, `{"secret":"s"}`)
	if second == id {
		t.Fatal("the secret still leads to the old lobby")
	}
	h.want(id, "null 1:null:0:")
	h.wantErr(h.Delete(t.Context(), game, id), nil)
	if got := h.join(game, ada, `{"secret":"s"}`); got != second {
		t.Error("the end of the old lobby took the new one's secret")
	}
}

// TestJoinConcurrent checks that users who join with the same secret at once get the same lobby.
func TestJoinConcurrent(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	const crowd = 64
	got := make([]snowflake.Lobby, crowd)
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			st, err := h.Join(t.Context(), game, snowflake.User(1000+i), body(t, `{"secret":"s"}`))
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = st.ID
		})
	}
	wg.Wait()
	if slices.Min(got) != slices.Max(got) {
		t.Fatalf("%d users are in different lobbies", crowd)
	}
	st, err := h.Lobby(t.Context(), game, got[0])
	if err != nil || len(st.Members) != crowd {
		t.Errorf("%d members, %v, want %d", len(st.Members), err, crowd)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.create(`{"idle_timeout_seconds":604800,"members":[{"id":"700000000000000001"}]}`)
	if _, err := h.Members.Put(ctx, game, id, ada, body(t, `{"additional_name":"Vex"}`)); err != nil {
		t.Fatal(err)
	}
	say := func(text string) *lobby.Message {
		t.Helper()
		m, err := h.Messages.Send(ctx, game, id, ada, body(t, fmt.Sprintf(`{"content":%q,"metadata":{"k":"v"}}`, text)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	list := func(limit int) string {
		t.Helper()
		got, err := h.Messages.List(ctx, game, id, ada, limit)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, m := range got {
			lines = append(lines, m.AdditionalName+":"+m.Content+string(m.Metadata)+string(m.Moderation))
		}
		return strings.Join(lines, " ")
	}
	first := say("one")
	h.advance(time.Hour)
	say("two")
	if first.Metadata == "" || first.AdditionalName != "Vex" {
		t.Errorf("Send() = %+v", first)
	}
	if got := list(50); got != "Vex:two Vex:one" {
		t.Errorf("Messages() = %s", got)
	}
	if got := list(1); got != "Vex:two" {
		t.Errorf("Messages() = %s", got)
	}
	h.wantErr(h.Messages.Moderate(ctx, game, id, first.ID, body(t, `{"verdict":"fine"}`)), nil)
	if got := list(50); got != `Vex:two Vex:one{"verdict":"fine"}` {
		t.Errorf("Messages() = %s", got)
	}
	h.wantErr(h.Messages.Moderate(ctx, game, id, first.ID, body(t, `{"by":"eve"}`)), nil) // replaces the moderation data
	if _, err := h.Members.Put(ctx, game, id, ada, body(t, `{"additional_name":"Rex"}`)); err != nil {
		t.Fatal(err)
	}
	if got := list(50); got != `Vex:two Vex:one{"by":"eve"}` { // with the name at the time of the message
		t.Errorf("Messages() = %s", got)
	}
	h.wantErr(h.Messages.Moderate(ctx, game, id, 1, body(t, `{}`)), lobbies.ErrUnknownMessage)
	h.wantErr(h.Messages.Moderate(ctx, other, id, first.ID, body(t, `{}`)), lobbies.ErrUnknownLobby)
	_, err := h.Messages.List(ctx, game, id, bob, 50)
	h.wantErr(err, lobbies.ErrNotMember)
	_, err = h.Messages.Send(ctx, game, id, bob, body(t, `{"content":"x"}`))
	h.wantErr(err, lobbies.ErrNotMember)
	_, err = h.Messages.List(ctx, other, id, ada, 50)
	h.wantErr(err, lobbies.ErrUnknownLobby)
	h.advance(lobby.MessageLife - time.Hour + time.Millisecond)
	if got := list(50); got != "Vex:two" {
		t.Errorf("after 72 hours Messages() = %s", got)
	}
	h.wantErr(h.Messages.Moderate(ctx, game, id, first.ID, body(t, `{}`)), lobbies.ErrUnknownMessage)
	say("three")
	if got := list(50); got != "Rex:three Vex:two" {
		t.Errorf("Messages() = %s", got)
	}
}
