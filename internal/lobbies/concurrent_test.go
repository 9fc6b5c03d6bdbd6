package lobbies_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/snowflake"
)

// request is one call on one lobby.
type request struct {
	kind  string // put, remove, replace, get, delete
	user  snowflake.User
	value int // of metadata that is put
}

// outcome is what the call returned.
type outcome struct {
	unknown bool   // ErrUnknownLobby
	members string // of get
}

// hallModel says what a lobby is in the plainest form: users in the order in which they joined, each with a value; or gone.
var hallModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		s, req, got := state.(string), in.(request), out.(outcome)
		if s == "gone" {
			return got.unknown || req.kind == "delete", s
		}
		if got.unknown {
			return false, s
		}
		switch req.kind {
		case "get":
			return got.members == s, s
		case "delete":
			return true, "gone"
		case "replace":
			return true, modelPut("", req)
		case "remove":
			return true, modelRemove(s, req.user)
		}
		return true, modelPut(s, req)
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

func modelPut(s string, req request) string {
	seat := fmt.Sprintf("%d=%d", req.user, req.value)
	seats := strings.Fields(s)
	for i, old := range seats {
		if strings.HasPrefix(old, fmt.Sprintf("%d=", req.user)) {
			seats[i] = seat
			return strings.Join(seats, " ")
		}
	}
	return strings.Join(append(seats, seat), " ")
}

func modelRemove(s string, user snowflake.User) string {
	seats := slices.DeleteFunc(strings.Fields(s), func(old string) bool { return strings.HasPrefix(old, fmt.Sprintf("%d=", user)) })
	return strings.Join(seats, " ")
}

// call makes a request.
func (h *hall) call(id snowflake.Lobby, req request) (outcome, error) {
	ctx := h.t.Context()
	metadata := fmt.Sprintf(`{"metadata":{"v":"%d"}`, req.value)
	var err error
	var got outcome
	switch req.kind {
	case "put":
		_, err = h.PutMember(ctx, game, id, req.user, body(h.t, metadata+"}"))
	case "remove":
		err = h.RemoveMember(ctx, game, id, req.user)
	case "replace":
		_, err = h.Edit(ctx, game, id, body(h.t, fmt.Sprintf(`{"members":[%s,"id":"%d"}]}`, metadata, req.user)))
	case "delete":
		err = h.Delete(ctx, game, id)
	case "get":
		var st *lobbies.State
		if st, err = h.Lobby(ctx, game, id); err == nil {
			var seats []string
			for _, m := range st.Members {
				seats = append(seats, fmt.Sprintf("%d=%s", m.ID, m.Metadata.Map()["v"]))
			}
			got.members = strings.Join(seats, " ")
		}
	}
	if errors.Is(err, lobbies.ErrUnknownLobby) {
		return outcome{unknown: true}, nil
	}
	return got, err
}

// TestLinearizable lets many act on a few lobbies at once, forgets what is in memory in between, and checks that some order
// of the calls explains every answer.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	const workers, each, rooms = 8, 60, 4
	ids := make([]snowflake.Lobby, rooms)
	for i := range ids {
		ids[i] = h.make(`{}`)
	}
	began := time.Now()
	var mu sync.Mutex
	history := map[snowflake.Lobby][]porcupine.Operation{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for n := range each {
				id, req := ids[r.IntN(rooms)], anyRequest(r, n)
				called := time.Since(began)
				got, err := h.call(id, req)
				returned := time.Since(began)
				if err != nil {
					t.Errorf("%+v: %v", req, err)
					return
				}
				mu.Lock()
				history[id] = append(history[id], porcupine.Operation{
					ClientId: w, Input: req, Call: int64(called), Output: got, Return: int64(returned),
				})
				mu.Unlock()
				if r.IntN(20) == 0 {
					h.Forget()
				}
			}
		})
	}
	wg.Wait()
	for _, id := range slices.Sorted(maps.Keys(history)) {
		if result := porcupine.CheckOperationsTimeout(hallModel, history[id], 20*time.Second); result != porcupine.Ok {
			t.Errorf("%d calls on a lobby: %v", len(history[id]), result)
		}
		fromMemory := h.show(id)
		h.want(id, fromMemory)
	}
}

func anyRequest(r *rand.Rand, n int) request {
	req := request{user: snowflake.User(1 + r.IntN(3)), value: r.IntN(1000)}
	switch p := r.IntN(100); {
	case n > 50 && p < 3:
		req.kind = "delete"
	case p < 40:
		req.kind = "get"
	case p < 75:
		req.kind = "put"
	case p < 90:
		req.kind = "remove"
	default:
		req.kind = "replace"
	}
	return req
}

// TestDeleteAgainstPut checks that whoever comes while a lobby goes is either let in and gone with it, or refused: no
// member is left without a lobby.
func TestDeleteAgainstPut(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	for range 100 {
		id := h.make(`{}`)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := h.PutMember(t.Context(), game, id, ada+snowflake.User(i), body(t, `{}`))
				if err != nil && !errors.Is(err, lobbies.ErrUnknownLobby) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := h.Delete(t.Context(), game, id); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		h.want(id, "unknown lobby")
	}
	for i := range 4 {
		if ids, err := h.LobbiesOf(t.Context(), game, ada+snowflake.User(i)); err != nil || len(ids) != 0 {
			t.Errorf("a user is still in %d lobbies, %v", len(ids), err)
		}
	}
}

// TestQuotaTogether checks that a user who is let into many lobbies at once is in exactly as many as can be.
func TestQuotaTogether(t *testing.T) {
	t.Parallel()
	const most = 5
	h := open(t, lobbies.Settings{MaxPerUser: most})
	var wg sync.WaitGroup
	for range 40 {
		id := h.make(`{}`)
		wg.Go(func() {
			_, err := h.PutMember(t.Context(), game, id, ada, body(t, `{}`))
			if _, many := errors.AsType[*lobbies.LimitError](err); err != nil && !many {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ids, err := h.LobbiesOf(t.Context(), game, ada); err != nil || len(ids) != most {
		t.Errorf("user is in %d lobbies, %v, want %d", len(ids), err, most)
	}
}
