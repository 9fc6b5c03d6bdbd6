package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Damaged tests what a store does with damaged rows. exec runs a statement on the tables of the store.
func Damaged(t *testing.T, open func(t *testing.T) (s store.Store, exec func(sql string) error)) {
	t.Helper()
	t.Run("a wrong checksum", func(t *testing.T) {
		t.Parallel()
		wrongChecksums(t, open)
	})
	hiddenRows(t, open)
	damagedNode(t, open)
	t.Run("a page leaves out the damaged row and keeps its neighbours", func(t *testing.T) {
		t.Parallel()
		s, exec := open(t)
		for id := range uint64(6) {
			put(t, s, user(id+1, fmt.Sprint("name ", id+1)))
		}
		run(t, exec, "UPDATE users SET id = 20 WHERE id = 2")
		run(t, exec, "UPDATE users SET checksum = 5 WHERE id = 3")
		var names []string
		for after := uint64(0); ; {
			page := read(t, s, func(r store.Reader) ([]store.User, error) { return r.Directory.Users(userID(after), 2) })
			if len(page) == 0 {
				break
			}
			for _, u := range page {
				names = append(names, u.Username)
				after = uint64(u.ID)
			}
		}
		same(t, "names", names, []string{"name 1", "name 4", "name 5", "name 6"})
		err := s.Read(t.Context(), func(r store.Reader) error {
			_, err := r.Directory.User(3)
			return err
		})
		if row, ok := errors.AsType[*store.DamagedRowError](err); !ok || *row != (store.DamagedRowError{Table: "users", Key: "id = 3"}) {
			t.Errorf("User(3) = %v, want a DamagedRowError for the row", err)
		}
	})
}

// wrongChecksums tests that no record with a wrong checksum is read. The cases are many, so they share a store.
func wrongChecksums(t *testing.T, open func(t *testing.T) (s store.Store, exec func(sql string) error)) {
	t.Helper()
	s, exec := open(t)
	for _, c := range recordCases() {
		t.Run(c.name, func(t *testing.T) {
			commit(t, s, store.Change{Clear: true})
			put(t, s, append(c.with, c.full)...)
			for _, table := range store.Tables() {
				if table.Checksum {
					run(t, exec, "UPDATE "+table.Name+" SET checksum = checksum + 1")
				}
			}
			err := s.Read(t.Context(), func(r store.Reader) error {
				_, err := c.get(r)
				return err
			})
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("the read returns %v, want %v", err, store.ErrDamaged)
			}
		})
	}
}

// damagedNode tests that a damaged node number does not hide the others from nodes that have theirs.
func damagedNode(t *testing.T, open func(t *testing.T) (s store.Store, exec func(sql string) error)) {
	t.Helper()
	t.Run("a damaged node number does not hide the others from nodes that have theirs", func(t *testing.T) {
		t.Parallel()
		s, exec := open(t)
		for n := range uint16(3) {
			put(t, s, store.Node{Number: n, Holder: fmt.Sprint("node ", n)})
		}
		run(t, exec, "UPDATE nodes SET checksum = checksum + 1 WHERE number = 1")
		var numbers []uint16
		for _, n := range read(t, s, func(r store.Reader) ([]store.Node, error) { return r.Nodes.Intact() }) {
			numbers = append(numbers, n.Number)
		}
		same(t, "numbers", numbers, []uint16{0, 2})
		err := s.Read(t.Context(), func(r store.Reader) error {
			_, err := r.Nodes.All()
			return err
		})
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("All() = %v, want %v: a node that starts must not take the number", err, store.ErrDamaged)
		}
	})
}

// hiddenRows tests lists from which a damaged key hides a row.
func hiddenRows(t *testing.T, open func(t *testing.T) (s store.Store, exec func(sql string) error)) {
	t.Helper()
	scope := command.Scope{Application: 100, Guild: 300}
	registered := func(id snowflake.Command) store.Record {
		return store.Command{Command: command.Command{ID: id, Scope: scope, Type: 1, Name: fmt.Sprint("c", id), Doc: []byte("{}")}}
	}
	members := []*lobby.Member{{ID: 200}, {ID: 201}}
	l := store.Lobby{Lobby: lobby.Lobby{ID: 400, Application: 100, Members: members}}
	for _, c := range []struct {
		name, damage string
		put          []store.Record
		read         func(store.Reader) error
		want         *store.IncompleteListError // nil: no error
	}{
		{
			"commands", "UPDATE commands SET application_id = 101 WHERE id = 6",
			[]store.Record{store.Quota{Scope: scope, Commands: 2}, registered(5), registered(6)},
			func(r store.Reader) error { _, _, err := r.Commands.Scope(scope); return err },
			&store.IncompleteListError{Table: "commands", Key: "application_id = 100 AND guild_id = 300", Stored: 2, Found: 1},
		},
		{
			"commands whose number is unknown", "DELETE FROM commands WHERE id = 6",
			[]store.Record{store.Quota{Scope: scope}, registered(5), registered(6)},
			func(r store.Reader) error { _, _, err := r.Commands.Scope(scope); return err }, nil,
		},
		{
			"members of a lobby", "UPDATE lobby_members SET lobby_id = 401",
			[]store.Record{
				l,
				store.LobbyMembership{Member: *members[0], Lobby: 400, Application: 100, Position: 1},
				store.LobbyMembership{Member: *members[1], Lobby: 400, Application: 100, Position: 2},
			},
			func(r store.Reader) error { _, err := r.Lobbies.Lobby(400); return err },
			&store.IncompleteListError{Table: "lobby_members", Key: "lobby_id = 400", Stored: 2},
		},
	} {
		t.Run("hidden rows: "+c.name, func(t *testing.T) {
			t.Parallel()
			s, exec := open(t)
			put(t, s, c.put...)
			if err := s.Read(t.Context(), c.read); err != nil {
				t.Fatalf("before the damage: %v", err)
			}
			run(t, exec, c.damage)
			err := s.Read(t.Context(), c.read)
			got, _ := errors.AsType[*store.IncompleteListError](err)
			if (c.want == nil) != (err == nil) || c.want != nil && (got == nil || *got != *c.want || !errors.Is(err, store.ErrDamaged)) {
				t.Errorf("the read returns %v, want %v", err, c.want)
			}
		})
	}
}

func run(t *testing.T, exec func(string) error, sql string) {
	t.Helper()
	if err := exec(sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
