package lobbies_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// countRows makes the database count written rows. The returned function returns the rows by table since its last call.
func (h *harness) countRows() func() map[string]int {
	h.t.Helper()
	h.sql(`CREATE TABLE written (name TEXT NOT NULL)`)
	for _, table := range []string{"lobbies", "lobby_members", "lobby_messages", "lobby_secrets", "lobby_invites", "users", "messages"} {
		for _, how := range []string{"INSERT", "UPDATE", "DELETE"} {
			h.sql(fmt.Sprintf(`CREATE TRIGGER count_%s_%s AFTER %s ON %s BEGIN INSERT INTO written VALUES ('%s'); END`, table, how, how, table, table))
		}
	}
	return func() map[string]int {
		h.t.Helper()
		db, err := sql.Open("sqlite", h.path)
		if err != nil {
			h.t.Fatal(err)
		}
		var text string
		counted := db.QueryRowContext(h.t.Context(), `SELECT json_group_object(name, n) FROM (SELECT name, COUNT(*) AS n FROM written GROUP BY name)`)
		err = errors.Join(counted.Scan(&text), db.Close())
		var rows map[string]int
		if err := errors.Join(err, json.Unmarshal([]byte(text), &rows)); err != nil {
			h.t.Fatal(err)
		}
		h.sql(`DELETE FROM written`)
		return rows
	}
}

// TestRowsWritten counts the rows that a call writes. A lobby of 1000 members costs no more than one of two: the row of
// the member, and the row of the lobby with its last activity.
func TestRowsWritten(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	large, small := h.createFull(), h.create(`{"members":[{"id":"1000"}]}`)
	h.wantErr(h.Members.Remove(t.Context(), game, large, 1000), nil)
	ctx := t.Context()
	written := h.countRows()
	for _, step := range []struct {
		name string
		do   func(id snowflake.Lobby) error
		want map[string]int
	}{
		{"join", func(id snowflake.Lobby) error {
			_, err := h.Members.Put(ctx, game, id, bob, body(t, `{}`))
			return err
		}, map[string]int{"lobby_members": 1, "lobbies": 1}},
		{"change", func(id snowflake.Lobby) error {
			_, err := h.Members.Put(ctx, game, id, bob, body(t, `{"flags":1}`))
			return err
		}, map[string]int{"lobby_members": 1, "lobbies": 1}},
		{"say", func(id snowflake.Lobby) error {
			_, err := h.Messages.Send(ctx, game, id, bob, body(t, `{"content":"hi"}`))
			return err
		}, map[string]int{"lobby_messages": 1, "lobbies": 1}},
		{"leave", func(id snowflake.Lobby) error { return h.Members.Remove(ctx, game, id, bob) }, map[string]int{"lobby_members": 1, "lobbies": 1}},
		{"leave again", func(id snowflake.Lobby) error { return h.Members.Remove(ctx, game, id, bob) }, map[string]int{}},
		{"read", func(id snowflake.Lobby) error {
			_, err := h.Lobby(ctx, game, id)
			return err
		}, map[string]int{}},
	} {
		for name, id := range map[string]snowflake.Lobby{"large": large, "small": small} {
			h.advance(time.Millisecond)
			if err := step.do(id); err != nil {
				t.Fatalf("%s, %s: %v", step.name, name, err)
			}
			if diff := cmp.Diff(step.want, written()); diff != "" {
				t.Errorf("%s, %s lobby: rows written differ (-want +got):\n%s", step.name, name, diff)
			}
		}
	}
}

// TestRowsWithoutActivity counts the rows that a join writes if writes do not restart the idle time. The row of the lobby
// has the number of members.
func TestRowsWithoutActivity(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{Activity: lobby.Connections})
	id := h.create(`{}`)
	written := h.countRows()
	h.advance(time.Millisecond)
	if _, err := h.Members.Put(t.Context(), game, id, bob, body(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"lobbies": 1, "lobby_members": 1}, written()); diff != "" {
		t.Errorf("rows written differ (-want +got):\n%s", diff)
	}
	h.want(id, "null 2:null:0:")
}
