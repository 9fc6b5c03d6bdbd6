package lobbies_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
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

// furnish makes a guild of Ada's, where Bob is a member who can send messages and manage some channels: one that he does not
// see, one where he does not speak, and one for which he needs nothing else.
func (h *hall) furnish() {
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

// drop removes a channel without the directory.
func (h *hall) drop(c store.Channel) error {
	return store.Decide(h.t.Context(), h.db, func(tx *store.Tx) error {
		tx.Delete(store.ChannelKey(c))
		return nil
	})
}

func (h *hall) link(id snowflake.Lobby, user snowflake.User, channel snowflake.Channel) error {
	text := `{}`
	if channel != 0 {
		text = fmt.Sprintf(`{"channel_id":"%d"}`, channel)
	}
	_, err := h.Link(h.t.Context(), game, id, user, body(h.t, text))
	return err
}

func (h *hall) linked(id snowflake.Lobby) snowflake.Channel {
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
	h.furnish()
	id, other := h.make(everybody), h.make(everybody)
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
		{name: "without the right in the channel", user: bob, channel: general, want: lobbies.ErrMayNotLink},
		{name: "in a channel that one does not see", user: bob, channel: hidden, want: lobbies.ErrMayNotLink},
		{name: "in a channel where one does not speak", user: bob, channel: muted, want: lobbies.ErrMayNotLink},
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
	h.wantErr(h.link(other, eve, 0), nil) // to unlink the flag is enough
	h.wantErr(h.link(id, bob, second), nil)
	if got := h.linked(id); got != second {
		t.Errorf("linked with %v, want %v", got, second)
	}
	h.wantErr(h.link(other, ada, general), nil) // free again
	secret := h.join(game, ada, `{"secret":"s"}`)
	if _, err := h.PutMember(t.Context(), game, secret, ada, body(t, `{"flags":1}`)); err != nil {
		t.Fatal(err)
	}
	h.wantErr(h.link(secret, ada, general), lobbies.ErrMayNotLink)
}

// TestLinkedStays checks that a linked lobby is never idle, and is again once it is unlinked or its channel is gone.
func TestLinkedStays(t *testing.T) {
	t.Parallel()
	for name, unlink := range map[string]func(h *hall, id snowflake.Lobby) error{
		"unlinked": func(h *hall, id snowflake.Lobby) error { return h.link(id, ada, 0) },
		"its channel is gone": func(h *hall, _ snowflake.Lobby) error {
			return h.drop(store.Channel{ID: general, Guild: lab})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{})
			h.furnish()
			id := h.make(everybody)
			h.wantErr(h.link(id, ada, general), nil)
			h.advance(24 * time.Hour)
			if got := h.linked(id); got != general {
				t.Fatalf("linked with %v, want %v", got, general)
			}
			if err := unlink(h, id); err != nil {
				t.Fatal(err)
			}
			h.advance(59 * time.Second)
			h.linked(id) // is still there
			h.advance(61 * time.Second)
			h.want(id, "unknown lobby")
		})
	}
}
