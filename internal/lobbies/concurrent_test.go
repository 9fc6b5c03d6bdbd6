package lobbies_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/snowflake"
)

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
