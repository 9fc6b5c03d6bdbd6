package lobbies_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestDeleteAgainstPut adds members to a lobby while it is deleted. A member is either added and removed with the
// lobby, or refused: no member remains without a lobby.
func TestDeleteAgainstPut(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	for range 100 {
		id := h.create(`{}`)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := h.Members.Put(t.Context(), game, id, ada+snowflake.User(i), body(t, `{}`))
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
		if ids, err := h.Presence.LobbiesOf(t.Context(), game, ada+snowflake.User(i)); err != nil || len(ids) != 0 {
			t.Errorf("a user is still in %d lobbies, %v", len(ids), err)
		}
	}
}

// TestUserLimitConcurrent adds a user to many lobbies at once. The user is then in exactly the maximum number of
// lobbies.
func TestUserLimitConcurrent(t *testing.T) {
	t.Parallel()
	const most = 5
	h := open(t, lobbies.Settings{MaxPerUser: most})
	var wg sync.WaitGroup
	for range 40 {
		id := h.create(`{}`)
		wg.Go(func() {
			_, err := h.Members.Put(t.Context(), game, id, ada, body(t, `{}`))
			if _, many := errors.AsType[*lobbies.LimitError](err); err != nil && !many {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ids, err := h.Presence.LobbiesOf(t.Context(), game, ada); err != nil || len(ids) != most {
		t.Errorf("user is in %d lobbies, %v, want %d", len(ids), err, most)
	}
}

// TestLinkConcurrent links many lobbies with one channel at once: one is linked, the others get a finding.
func TestLinkConcurrent(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	var linked atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		id := h.create(everybody)
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

// TestMemberLimitConcurrent lets more users join a lobby at once than it can have.
func TestMemberLimitConcurrent(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{}`)
	const more = 50
	var next, full atomic.Int64
	var wg sync.WaitGroup
	for range 64 { // not all at once: each decision waits for those before it, and has a deadline
		wg.Go(func() {
			for i := next.Add(1); i <= lobby.MaxMembers+more; i = next.Add(1) {
				_, err := h.Members.Put(t.Context(), game, id, snowflake.User(1000+i), body(t, `{}`))
				if _, limit := errors.AsType[*lobbies.LimitError](err); limit {
					full.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if full.Load() != more {
		t.Errorf("%d users were refused, want %d", full.Load(), more)
	}
	h.want(id, h.describe(id))
}

// TestCreateAgainstDelete creates lobbies while their application is deleted: none remains.
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
		wg.Go(func() { h.wantErr(h.dir.Applications.Delete(t.Context(), app), nil) })
		wg.Wait()
		h.wantLobbies(app, 0)
	}
}
