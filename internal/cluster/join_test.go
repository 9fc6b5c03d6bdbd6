package cluster_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/cluster"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestJoins tells changes to a lobby that are nothing but somebody joining it from all others, which have it forgotten.
func TestJoins(t *testing.T) {
	t.Parallel()
	const id, app = 7, 3
	began := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	l := store.Lobby{Lobby: lobby.New(id, app, began), Revision: 10, Due: began.Add(time.Hour)}
	later := l
	later.Revision, later.IdleSince = 20, began.Add(time.Minute)
	seat := store.Seat{Position: 21, Member: lobby.Member{ID: 5, Flags: 1, Metadata: `{"a":"\"b"}`, AdditionalName: "Ö"}}
	join := cluster.Join{Lobby: id, From: 10, To: 20, IdleSince: later.IdleSince, Due: l.Due, Member: seat.Member}
	move := func(tx store.Tx, to store.Lobby) error {
		moved, err := tx.MoveLobby(l, to)
		if err == nil && !moved {
			err = errors.New("the lobby did not move")
		}
		return err
	}
	for name, test := range map[string]struct {
		do     func(tx store.Tx) error
		joins  []cluster.Join
		unsaid []snowflake.Lobby
	}{
		"somebody joins": {
			func(tx store.Tx) error { return errors.Join(move(tx, later), tx.AddSeats(id, app, seat)) }, []cluster.Join{join}, nil,
		},
		"after a wrong guess": {func(tx store.Tx) error {
			wrong := l
			wrong.Revision = 9
			_, err := tx.MoveLobby(wrong, later)
			return errors.Join(err, move(tx, later), tx.AddSeats(id, app, seat))
		}, []cluster.Join{join}, []snowflake.Lobby{id}},
		"the lobby changes too": {func(tx store.Tx) error {
			to := later
			to.Metadata = `{"a":"b"}`
			return errors.Join(move(tx, to), tx.AddSeats(id, app, seat))
		}, nil, []snowflake.Lobby{id}},
		"two join": {func(tx store.Tx) error {
			other := store.Seat{Position: 22, Member: lobby.Member{ID: 6}}
			return errors.Join(move(tx, later), tx.AddSeats(id, app, seat, other))
		}, nil, []snowflake.Lobby{id}},
		"another leaves": {func(tx store.Tx) error {
			return errors.Join(move(tx, later), tx.DeleteSeats(id, 4), tx.AddSeats(id, app, seat))
		}, nil, []snowflake.Lobby{id}},
		"another changes": {func(tx store.Tx) error {
			return errors.Join(move(tx, later), tx.PutMembers(id, &lobby.Member{ID: 4, Flags: 1}), tx.AddSeats(id, app, seat))
		}, nil, []snowflake.Lobby{id}},
		"nobody joins": {func(tx store.Tx) error { return move(tx, later) }, nil, []snowflake.Lobby{id}},
		"it ends":      {func(tx store.Tx) error { return tx.DeleteLobby(id) }, nil, []snowflake.Lobby{id}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "test.db"), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			var told cluster.Changes
			err = errors.Join(
				db.Update(t.Context(), func(tx store.Tx) error {
					return errors.Join(tx.PutLobby(l), tx.AddSeats(id, app, store.Seat{Position: 11, Member: lobby.Member{ID: 4}}))
				}),
				db.Update(t.Context(), func(tx store.Tx) error {
					tx, changes := cluster.Watch(tx)
					if err := test.do(tx); err != nil {
						return err
					}
					text, err := json.Marshal(changes)
					return errors.Join(err, json.Unmarshal(text, &told))
				}),
			)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.joins, told.Joins); diff != "" {
				t.Errorf("joins (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.unsaid, told.Unsaid()); diff != "" {
				t.Errorf("lobbies to forget (-want +got):\n%s", diff)
			}
		})
	}
}
