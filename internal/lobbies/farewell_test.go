package lobbies_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// heard returns the events since the last call in one line each: the name, who hears it, and of a lobby that is gone the
// reason.
func (h *hall) heard(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, e := range h.told.take() {
		text := line(t, e)
		name, data, _ := strings.Cut(strings.TrimSpace(text), " {")
		if e.Name == "LOBBY_DELETE" {
			_, reason, _ := strings.Cut(data, ",")
			name += " " + strings.TrimSuffix(reason, "}")
		}
		lines = append(lines, name)
	}
	return lines
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: events differ (-want +got):\n%s", what, diff)
	}
}

// TestDeletedElsewhere deletes what lobbies hang on: their members hear of it as of any other change.
func TestDeletedElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(h *hall) error
		want []string
		left string // of the lobby
	}{
		{"a user", func(h *hall) error { return h.dir.DeleteUser(h.t.Context(), eve) }, []string{
			`LOBBY_DELETE to 3 "reason":"removed"`, `LOBBY_MEMBER_REMOVE to 1 2`,
		}, "null 1:null:1: 2:null:1: 4:null:0:"},
		{"the application", func(h *hall) error { return h.dir.DeleteApplication(h.t.Context(), game) }, []string{
			`LOBBY_DELETE to 1 2 3 "reason":"deleted"`,
		}, "unknown lobby"},
		{"the channel", func(h *hall) error { return h.dir.DeleteChannel(h.t.Context(), lab, general) }, []string{
			`LOBBY_UPDATE to 1 2 3`,
		}, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
		{"the guild", func(h *hall) error { return h.dir.DeleteGuild(h.t.Context(), lab) }, []string{
			`LOBBY_UPDATE to 1 2 3`,
		}, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
		{
			"another channel", func(h *hall) error { return h.dir.DeleteChannel(h.t.Context(), lab, second) }, nil,
			"null 1:null:1: 2:null:1: 3:null:1: 4:null:0:",
		},
		{"what does not exist", func(h *hall) error {
			if h.dir.DeleteUser(h.t.Context(), 5) == nil {
				h.t.Error("a user that nobody knows can be deleted")
			}
			return nil
		}, nil, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{})
			h.furnish()
			h.told.arrive(ada, bob, eve)
			id := h.make(everybody)
			h.wantErr(h.link(id, ada, general), nil)
			h.told.take()
			h.wantErr(tt.do(h), nil)
			wantLines(t, tt.name, h.heard(t), tt.want...)
			h.want(id, tt.left)
		})
	}
}

// TestLastOneGoes checks that the idle time begins when the last member who is there is taken out, also when writes do not
// count as activity.
func TestLastOneGoes(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(h *hall, id snowflake.Lobby) error{
		"removed": func(h *hall, id snowflake.Lobby) error { return h.RemoveMember(h.t.Context(), game, id, eve) },
		"replaced": func(h *hall, id snowflake.Lobby) error {
			_, err := h.Edit(h.t.Context(), game, id, body(h.t, `{"members":[{"id":"700000000000000001"}]}`))
			return err
		},
		"removed with others": func(h *hall, id snowflake.Lobby) error {
			_, err := h.Bulk(h.t.Context(), game, id, body(h.t, `[{"id":"700000000000000003","remove_member":true}]`))
			return err
		},
		"deleted": func(h *hall, _ snowflake.Lobby) error { return h.dir.DeleteUser(h.t.Context(), eve) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{Activity: lobby.Connections})
			h.told.arrive(eve)
			id := h.make(`{"idle_timeout_seconds":60,"members":[{"id":"700000000000000001"},{"id":"700000000000000003"}]}`)
			h.advance(time.Hour + 30*time.Second)
			h.wantErr(do(h, id), nil)
			h.advance(60*time.Second - time.Millisecond)
			h.want(id, "null 1:null:0:")
			h.advance(time.Millisecond)
			h.want(id, "unknown lobby")
		})
	}
}
