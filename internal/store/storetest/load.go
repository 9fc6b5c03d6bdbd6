package storetest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func load(t *testing.T, s store.Store) {
	put(t, s, user(1, "a"))
	var u store.User
	of := func(id snowflake.User) func(store.Reader) error {
		return func(r store.Reader) (err error) {
			u, err = r.Directory.User(id)
			return err
		}
	}
	revision1, err := s.Load(t.Context(), userSubject(1), of(1))
	if want := revision(t, s, userSubject(1)); err != nil || revision1 != want || u.Username != "a" {
		t.Errorf("Load() = %d, %v with %q, want %d with a", revision1, err, u.Username, want)
	}
	if got, err := s.Load(t.Context(), userSubject(2), of(2)); got != 0 || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load() of nothing = %d, %v, want 0, %v", got, err, store.ErrNotFound)
	}
	failed := errors.New("failed")
	got, err := s.Load(t.Context(), userSubject(1), func(r store.Reader) error { return errors.Join(of(1)(r), failed) })
	if got != revision1 || !errors.Is(err, failed) {
		t.Errorf("Load() = %d, %v, want %d, %v", got, err, revision1, failed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Load(ctx, userSubject(1), of(1)); !errors.Is(err, context.Canceled) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Load() = %v, want %v", err, context.Canceled)
	}
}

// loadMany loads states that take several queries, from many callers.
func loadMany(t *testing.T, s store.Store) {
	const count = 8
	for i := range count {
		id := snowflake.Lobby(10 + i)
		put(t, s, store.Lobby{Lobby: lobby.Lobby{ID: id, Application: 1}})
		for j := range i {
			put(t, s, store.LobbyMembership{Member: lobby.Member{ID: snowflake.User(100 + j)}, Lobby: id, Application: 1, Position: uint64(j + 1)})
		}
	}
	together(4*count, func(n int) {
		i := n % count
		id := snowflake.Lobby(10 + i)
		var l store.Lobby
		_, err := s.Load(t.Context(), store.LobbySubject(id), func(r store.Reader) (err error) {
			l, err = r.Lobbies.Lobby(id)
			return err
		})
		if err != nil || l.ID != id || len(l.Members) != i {
			t.Errorf("Load() of lobby %d with %d members = %v with %d members, %v", id, i, l.ID, len(l.Members), err)
		}
	})
}

// loadSnapshot creates and deletes a subject between two queries of a load. The load sees the moment of its revision.
func loadSnapshot(t *testing.T, s store.Store) {
	changed := false
	revision, err := s.Load(t.Context(), userSubject(1), func(r store.Reader) error {
		if _, err := r.Directory.User(1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("User() = %v before the user exists", err)
		}
		if !changed { // fn may run again
			changed = true
			put(t, s, user(1, "a"))
		}
		_, err := r.Directory.User(1)
		return err
	})
	if revision != 0 || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Load() = %d, %v, want the user to be absent at revision 0", revision, err)
	}
}

// loadConfirmed checks that a loaded state belongs to its revision if the revision is still current.
func loadConfirmed(t *testing.T, s store.Store) {
	var names sync.Map // by revision
	s.Subscribe(func(c *store.Change) {
		if u, ok := c.Put[0].(store.User); ok {
			names.Store(c.Revision, u.Username)
		}
	})
	put(t, s, user(1, "0"))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
				put(t, s, user(1, strconv.Itoa(n)))
			}
		}
	}()
	together(4, func(int) {
		for range 50 {
			var u store.User
			revision, err := s.Load(t.Context(), userSubject(1), func(r store.Reader) (err error) {
				u, err = r.Directory.User(1)
				return err
			})
			now, confirmErr := s.Revisions(t.Context(), userSubject(1))
			if err = errors.Join(err, confirmErr); err != nil {
				t.Errorf("Load(), Revisions() = %v", err)
				return
			}
			want, known := names.Load(revision)
			if known && now[0] == revision && u.Username != want {
				t.Errorf("Load() = %q at revision %d, want %q", u.Username, revision, want)
			}
		}
	})
	close(stop)
	<-done
}

// loadWhole checks that a list is not reported as incomplete while its number of rows changes.
func loadWhole(t *testing.T, s store.Store) {
	scope := command.Scope{Application: 100}
	made := func(id snowflake.Command) store.Record {
		return store.Command{Command: command.Command{ID: id, Scope: scope, Type: 1, Name: strconv.Itoa(int(id)), Doc: []byte("{}")}}
	}
	put(t, s, store.Quota{Scope: scope, Commands: 2}, made(1), made(2))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				put(t, s, store.Quota{Scope: scope, Commands: 3}, made(3))
				decide(t, s, func(tx *store.Tx) error {
					tx.Delete(store.CommandKey(scope, 3))
					return tx.Put(store.Quota{Scope: scope, Commands: 2})
				})
			}
		}
	}()
	together(4, func(int) {
		for range 50 {
			_, err := s.Load(t.Context(), store.ScopeSubject(scope), func(r store.Reader) error {
				_, _, err := r.Commands.Scope(scope)
				return err
			})
			if err != nil {
				t.Errorf("Load() = %v, want no error", err)
				return
			}
		}
	})
	close(stop)
	<-done
}
