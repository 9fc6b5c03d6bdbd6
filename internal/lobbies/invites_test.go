package lobbies_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// invite creates an invite for a user.
func (h *harness) invite(id snowflake.Lobby, user snowflake.User) string {
	h.t.Helper()
	code, err := h.Invites.Create(h.t.Context(), game, id, user, lobbies.ErrNotMember)
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

func TestInvite(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	ctx := t.Context()
	id := h.create(everybody)
	_, err := h.Invites.Create(ctx, game, id, eve, lobbies.ErrNotMember)
	h.wantErr(err, directory.ErrUnknownChannel) // the lobby is not linked
	h.wantErr(h.link(id, ada, general), nil)
	_, err = h.Invites.Create(ctx, game, id, 5, lobbies.ErrNotMember)
	h.wantErr(err, lobbies.ErrNotMember)
	_, err = h.Invites.Create(ctx, other, id, eve, lobbies.ErrNotMember)
	h.wantErr(err, lobbies.ErrUnknownLobby)

	code := h.invite(id, eve)
	_, err = h.Invites.Accept(ctx, bob, code)
	h.wantErr(err, lobbies.ErrUnknownInvite) // the invite is for another user
	if _, err := h.dir.Guilds.Member(ctx, lab, eve); !errors.Is(err, directory.ErrUnknownMember) {
		t.Errorf("Member() = %v before the invite is used", err)
	}
	accepted, err := h.Invites.Accept(ctx, eve, code)
	if err != nil || accepted.Channel.ID != general || !accepted.Expires.Equal(noon.Add(lobbies.InviteLife)) {
		t.Errorf("Accept() = %+v, %v", accepted, err)
	}
	if _, err := h.dir.Guilds.Member(ctx, lab, eve); err != nil {
		t.Errorf("Member() = %v after it", err)
	}
	_, err = h.Invites.Accept(ctx, eve, code)
	h.wantErr(err, lobbies.ErrUnknownInvite)
	if _, err := h.Invites.Accept(ctx, ada, h.invite(id, ada)); err != nil { // Ada is a member already
		t.Errorf("Accept() = %v", err)
	}
	h.wantErr(h.deleteChannel(store.Channel{ID: general, Guild: lab}), nil)
	_, err = h.Invites.Create(ctx, game, id, eve, lobbies.ErrNotMember)
	h.wantErr(err, directory.ErrUnknownChannel) // also before the lobby is unlinked
}

func TestInviteEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(h *harness, id snowflake.Lobby) error
		want error
	}{
		{"not yet over", func(h *harness, _ snowflake.Lobby) error { h.advance(lobbies.InviteLife - time.Second); return nil }, nil},
		{"over", func(h *harness, _ snowflake.Lobby) error { h.advance(lobbies.InviteLife); return nil }, lobbies.ErrUnknownInvite},
		{"the lobby was deleted", func(h *harness, id snowflake.Lobby) error { return h.Delete(h.t.Context(), game, id) }, lobbies.ErrUnknownInvite},
		{"the channel was deleted", func(h *harness, _ snowflake.Lobby) error {
			return h.dir.Guilds.DeleteChannel(h.t.Context(), lab, general)
		}, lobbies.ErrUnknownInvite},
		{"unlinked", func(h *harness, id snowflake.Lobby) error { return h.link(id, ada, 0) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{})
			h.addGuild()
			id := h.create(everybody)
			h.wantErr(h.link(id, ada, general), nil)
			code := h.invite(id, eve)
			h.wantErr(tt.end(h, id), nil)
			_, err := h.Invites.Accept(t.Context(), eve, code)
			h.wantErr(err, tt.want)
		})
	}
}

// TestInviteOnce accepts an invite from many goroutines.
func TestInviteOnce(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	id := h.create(everybody)
	h.wantErr(h.link(id, ada, general), nil)
	code := h.invite(id, eve)
	var used atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := h.Invites.Accept(t.Context(), eve, code); err == nil {
				used.Add(1)
			} else if !errors.Is(err, lobbies.ErrUnknownInvite) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if used.Load() != 1 {
		t.Errorf("the invite was used %d times", used.Load())
	}
}

// TestClean checks that expired records are removed from the store.
func TestClean(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	id := h.create(everybody)
	h.wantErr(h.link(id, ada, general), nil)
	const many = 300 // more than one batch
	var last snowflake.Message
	for n := range many {
		h.invite(id, eve)
		m, err := h.Messages.Send(t.Context(), game, id, ada, body(t, fmt.Sprintf(`{"content":"%d"}`, n)))
		if err != nil {
			t.Fatal(err)
		}
		last = m.ID
	}
	kept := func() (messages, invites int) {
		t.Helper()
		h.read(func(r store.Reader) error {
			list, err := r.Lobbies.MessagesIn(id, 2*many)
			if err != nil {
				return err
			}
			keys, err := r.Lobbies.ExpiredInvites(noon.Add(1000*time.Hour), 2*many)
			messages, invites = len(list), len(keys)
			return err
		})
		return messages, invites
	}
	if messages, invites := kept(); messages != many || invites != many {
		t.Errorf("%d messages and %d invites are kept, want %d", messages, invites, many)
	}
	h.advance(lobbies.InviteLife + 10*time.Minute)
	if messages, invites := kept(); messages != many || invites != 0 {
		t.Errorf("%d messages and %d invites are kept after an hour, want %d and none", messages, invites, many)
	}
	h.advance(lobby.MessageLife)
	if messages, _ := kept(); messages != 0 {
		t.Errorf("%d messages are kept after three days, among them %v", messages, last)
	}
}
