package lobbies_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
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

// TestLinkTogether links many lobbies with one channel at once: one of them is linked, the others get a finding.
func TestLinkTogether(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.furnish()
	var linked atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		id := h.make(everybody)
		wg.Go(func() {
			err := h.link(id, ada, general)
			if tree, ok := errors.AsType[*jsonbody.Tree](err); ok && tree.Flat()["channel_id"][0] == lobbies.ChannelTaken {
				return
			}
			if err != nil {
				t.Error(err)
			}
			linked.Add(1)
		})
	}
	wg.Wait()
	if linked.Load() != 1 {
		t.Errorf("%d lobbies are linked with the channel", linked.Load())
	}
}

// TestCrowdTogether lets as many users as a lobby can have, and more, join it at once.
func TestCrowdTogether(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.make(`{}`)
	const more = 50
	var full atomic.Int64
	var wg sync.WaitGroup
	for i := range lobby.MaxMembers + more {
		wg.Go(func() {
			_, err := h.PutMember(t.Context(), game, id, snowflake.User(1000+i), body(t, `{}`))
			if _, limit := errors.AsType[*lobbies.LimitError](err); limit {
				full.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if full.Load() != more {
		t.Errorf("%d users were refused, want %d", full.Load(), more)
	}
	h.want(id, h.show(id))
}

// TestCreateAgainstDelete makes lobbies while their application is deleted: none is left.
func TestCreateAgainstDelete(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	for i := range 20 {
		app := snowflake.Application(2000 + i)
		h.put(store.Application{ID: app, Owner: ada})
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				_, err := h.Create(t.Context(), app, body(t, `{}`))
				if n%2 == 0 {
					_, err = h.Join(t.Context(), app, bob, body(t, fmt.Sprintf(`{"secret":"%d"}`, n)))
				}
				if err != nil && !errors.Is(err, directory.ErrUnknownApplication) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() { h.wantErr(h.dir.DeleteApplication(t.Context(), app), nil) })
		wg.Wait()
		h.wantLobbies(app, 0)
	}
}
