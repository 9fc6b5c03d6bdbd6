package lobbies_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	lab     snowflake.Guild   = 900000000000000001
	general snowflake.Channel = 900000000000000010
	second  snowflake.Channel = 900000000000000011
	adults  snowflake.Channel = 900000000000000012
	voice   snowflake.Channel = 900000000000000013
	hidden  snowflake.Channel = 900000000000000014
	muted   snowflake.Channel = 900000000000000015
)

// addGuild stores a guild of Ada's. Bob is a member who can send messages and manage some channels: one that he cannot
// see, one where he cannot send messages, and one that he can link.
func (h *harness) addGuild() {
	h.t.Helper()
	forBob := func(deny permission.Bits) []store.ChannelOverwrite {
		return []store.ChannelOverwrite{{ID: snowflake.Target(bob), Type: world.MemberOverwrite, Allow: permission.ManageChannels, Deny: deny}}
	}
	h.put(
		store.Guild{ID: lab, Owner: ada, Everyone: permission.ViewChannel | permission.SendMessages},
		store.Member{Guild: lab, User: ada}, store.Member{Guild: lab, User: bob},
		store.Channel{ID: general, Guild: lab},
		store.Channel{ID: second, Guild: lab, Overwrites: forBob(0)},
		store.Channel{ID: hidden, Guild: lab, Overwrites: forBob(permission.ViewChannel)},
		store.Channel{ID: muted, Guild: lab, Overwrites: forBob(permission.SendMessages)},
		store.Channel{ID: adults, Guild: lab, NSFW: true},
		store.Channel{ID: voice, Guild: lab, Type: world.VoiceChannel})
}

// deleteChannel deletes a channel directly in the store.
func (h *harness) deleteChannel(c store.Channel) error {
	return store.Decide(h.t.Context(), h.db, func(tx *store.Tx) error {
		tx.Delete(store.ChannelKey(c))
		return nil
	})
}

func (h *harness) link(id snowflake.Lobby, user snowflake.User, channel snowflake.Channel) error {
	text := `{}`
	if channel != 0 {
		text = fmt.Sprintf(`{"channel_id":"%d"}`, channel)
	}
	_, err := h.Links.Set(h.t.Context(), game, id, user, body(h.t, text))
	return err
}

func (h *harness) linked(id snowflake.Lobby) snowflake.Channel {
	h.t.Helper()
	st, err := h.Lobby(h.t.Context(), game, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return st.Channel
}

const everybody = `{"idle_timeout_seconds":60,"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000002","flags":1},{"id":"700000000000000003","flags":1},{"id":"700000000000000004"}]}`

func TestLink(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	id, other := h.create(everybody), h.create(everybody)
	h.wantErr(h.link(other, ada, second), nil)
	for _, tt := range []struct {
		name    string
		user    snowflake.User
		channel snowflake.Channel
		want    error
		code    jsonbody.Code
	}{
		{name: "not a member", user: 5, channel: general, want: lobbies.ErrNotMember},
		{name: "without the flag", user: eve + 1, channel: general, want: lobbies.ErrMayNotLink},
		{name: "without the permission in the channel", user: bob, channel: general, want: lobbies.ErrMayNotLink},
		{name: "in a hidden channel", user: bob, channel: hidden, want: lobbies.ErrMayNotLink},
		{name: "without the permission to send messages", user: bob, channel: muted, want: lobbies.ErrMayNotLink},
		{name: "not in the guild", user: eve, channel: general, want: lobbies.ErrMayNotLink},
		{name: "unknown channel", user: ada, channel: 9, want: directory.ErrUnknownChannel},
		{name: "voice", user: ada, channel: voice, want: lobbies.ErrChannelType},
		{name: "age-restricted", user: ada, channel: adults, code: lobbies.ChannelRestricted},
		{name: "linked with another", user: bob, channel: second, code: lobbies.ChannelTaken},
		{name: "unlinked already", user: bob},
	} {
		err := h.link(id, tt.user, tt.channel)
		if tree, ok := errors.AsType[*jsonbody.Tree](err); ok && tt.code != "" && tree.Flat()["channel_id"][0] == tt.code {
			err = nil
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: Link() = %v, want %v %v", tt.name, err, tt.want, tt.code)
		}
		if got := h.linked(id); got != 0 {
			t.Errorf("%s: linked with %v", tt.name, got)
		}
	}
	h.wantErr(h.link(id, ada, general), nil)
	h.wantErr(h.link(other, eve, 0), nil) // unlinking needs only the flag
	h.wantErr(h.link(id, bob, second), nil)
	if got := h.linked(id); got != second {
		t.Errorf("linked with %v, want %v", got, second)
	}
	h.wantErr(h.link(other, ada, general), nil) // not linked any more
	secret := h.join(game, ada, `{"secret":"s"}`)
	if _, err := h.Members.Put(t.Context(), game, secret, ada, body(t, `{"flags":1}`)); err != nil {
		t.Fatal(err)
	}
	h.wantErr(h.link(secret, ada, general), lobbies.ErrMayNotLink)
}

// TestLinkedIsNotIdle checks that a linked lobby is never idle, and that the idle time starts once it is unlinked or
// its channel is deleted.
func TestLinkedIsNotIdle(t *testing.T) {
	t.Parallel()
	for name, unlink := range map[string]func(h *harness, id snowflake.Lobby) error{
		"unlinked": func(h *harness, id snowflake.Lobby) error { return h.link(id, ada, 0) },
		"its channel was deleted": func(h *harness, _ snowflake.Lobby) error {
			return h.deleteChannel(store.Channel{ID: general, Guild: lab})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{})
			h.addGuild()
			id := h.create(everybody)
			h.wantErr(h.link(id, ada, general), nil)
			h.advance(24 * time.Hour)
			if got := h.linked(id); got != general {
				t.Fatalf("linked with %v, want %v", got, general)
			}
			if err := unlink(h, id); err != nil {
				t.Fatal(err)
			}
			h.advance(59 * time.Second)
			h.linked(id) // it still exists
			h.advance(61 * time.Second)
			h.want(id, "unknown lobby")
		})
	}
}
