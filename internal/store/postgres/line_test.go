package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

var errFull = errors.New("full")

// together runs fn on goroutines that share two stores on one database, and returns how often it did well.
func together(t *testing.T, times int, fn func(db *postgres.DB, i int) error, refusal error) int64 {
	t.Helper()
	url := database(t)
	nodes := []*postgres.DB{open(t, url), open(t, url)}
	var well atomic.Int64
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			switch err := fn(nodes[i%2], i); {
			case err == nil:
				well.Add(1)
			case !errors.Is(err, refusal):
				t.Errorf("Update() = %v, want nil or %v", err, refusal)
			}
		})
	}
	wg.Wait()
	return well.Load()
}

// TestTentativeLimit has many units find out at the same time whether there is room, when most likely there is.
func TestTentativeLimit(t *testing.T) {
	t.Parallel()
	const app, user, limit = 100, 200, 5
	well := together(t, 40, func(db *postgres.DB, i int) error {
		if err := db.Update(t.Context(), func(tx store.Tx) error { return tx.PutUser(store.User{ID: user}) }); err != nil {
			return err
		}
		return db.Update(store.Tentative(t.Context()), func(tx store.Tx) error {
			standings, err := tx.Standings(app, limit, user)
			if err != nil {
				return err
			}
			if standings[0] == store.Taken {
				return errFull
			}
			l := lobby.New(snowflake.Lobby(i+1), app, time.UnixMilli(1))
			if err := tx.PutLobby(store.Lobby{Lobby: l, Revision: 1}); err != nil {
				return err
			}
			return tx.AddSeats(l.ID, app, store.Seat{Member: lobby.Member{ID: user}, Position: 1})
		})
	}, errFull)
	if well != limit {
		t.Errorf("%d found room, want %d", well, limit)
	}
}

// TestTentativeMove has many units move a scope from the same revision: one does, and the others learn that they did not.
func TestTentativeMove(t *testing.T) {
	t.Parallel()
	scope := command.Scope{Application: 100}
	well := together(t, 40, func(db *postgres.DB, i int) error {
		return db.Update(store.Tentative(t.Context()), func(tx store.Tx) error {
			moved, err := tx.MoveScope(scope, 0, store.Scope{Revision: uint64(i + 1)})
			if err == nil && !moved {
				return errFull
			}
			return err
		})
	}, errFull)
	if well != 1 {
		t.Errorf("%d moved the scope from its first revision, want 1", well)
	}
}

// TestTentativeReader has a unit that only reads come between two others: one closes a list, and one that has found it open is
// slow to write itself down there. Who has seen the list closed and empty has seen it for good.
func TestTentativeReader(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]func(context.Context) context.Context{"live": atOnce, "tentative": store.Tentative} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			readBetween(t, way(t.Context()))
		})
	}
}

func readBetween(t *testing.T, reading context.Context) {
	t.Helper()
	const list, entry = 1, 2
	db := open(t, database(t))
	looked, closed := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(looked) })
	slow := make(chan error, 1)
	go func() {
		slow <- db.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.User(list)
			once()
			<-closed
			if errors.Is(err, store.ErrNotFound) {
				return tx.PutUser(store.User{ID: entry})
			}
			return err
		})
	}()
	<-looked
	err := db.Update(t.Context(), func(tx store.Tx) error { return tx.PutUser(store.User{ID: list}) })
	empty := false
	readErr := db.Update(reading, func(tx store.Tx) error {
		_, listErr := tx.User(list)
		_, err := tx.User(entry)
		empty = listErr == nil && errors.Is(err, store.ErrNotFound)
		return nil
	})
	close(closed)
	if err := errors.Join(err, readErr, <-slow); err != nil || !empty {
		t.Fatalf("Update() = %v, seen empty: %t", err, empty)
	}
	err = db.View(t.Context(), func(r store.Reader) error {
		_, err := r.User(entry)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the entry on the closed list = %v, want %v", err, store.ErrNotFound)
	}
}

// TestTentativeOutcomes holds units that are tried out before their turn to what they would have done in it.
func TestTentativeOutcomes(t *testing.T) {
	t.Parallel()
	db := open(t, database(t))
	scope := command.Scope{Application: 100}
	put := func(id snowflake.Command, name string) command.Command {
		return command.Command{ID: id, Scope: scope, Version: 1, Type: 1, Name: name, Doc: []byte("{}")}
	}
	errRefused := errors.New("refused")
	for _, tt := range []struct {
		name string
		fn   func(tx store.Tx) error
		want error
	}{
		{"writes", func(tx store.Tx) error { return tx.PutCommands(put(1, "a"), put(2, "b")) }, nil},
		{"a name that is taken", func(tx store.Tx) error { return tx.PutCommands(put(3, "a")) }, store.ErrConflict},
		{"names that are swapped", func(tx store.Tx) error { return tx.PutCommands(put(1, "b"), put(2, "a")) }, nil},
		{"a refusal after a write", func(tx store.Tx) error { return errors.Join(tx.PutUser(store.User{ID: 7}), errRefused) }, errRefused},
		{"what it has written itself", func(tx store.Tx) error {
			if err := tx.PutUser(store.User{ID: 8}); err != nil {
				return err
			}
			_, err := tx.User(8)
			return err
		}, nil},
		{"what was refused", func(tx store.Tx) error {
			_, err := tx.User(7)
			return err
		}, store.ErrNotFound},
		{"a panic", func(tx store.Tx) error {
			if _, err := tx.User(8); err != nil {
				return err
			}
			panic(errRefused)
		}, nil},
	} {
		err := db.Update(store.Tentative(t.Context()), tt.fn)
		if tt.name == "a panic" {
			if err == nil {
				t.Errorf("%s: Update() = nil", tt.name)
			}
			continue
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: Update() = %v, want %v", tt.name, err, tt.want)
		}
	}
	kept, err := commandsOf(t, db, scope)
	if err != nil || len(kept) != 2 || kept[0].Name != "b" || kept[1].Name != "a" {
		t.Errorf("commands = %v, %v, want b and a", kept, err)
	}
}

func commandsOf(t *testing.T, db *postgres.DB, scope command.Scope) (commands []command.Command, err error) {
	t.Helper()
	err = db.Update(t.Context(), func(tx store.Tx) error { // a scope that was never moved shows nothing
		_, err := tx.MoveScope(scope, 0, store.Scope{Revision: 1})
		return err
	})
	if err != nil {
		return nil, err
	}
	err = db.View(t.Context(), func(r store.Reader) error {
		s, err := r.Scope(scope)
		commands = s.Commands
		return err
	})
	return commands, err
}
