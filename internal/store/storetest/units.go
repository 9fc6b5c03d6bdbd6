package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

// errRefused is what units of work fail with on purpose.
var errRefused = errors.New("refused")

var unitRules = []check.Rule{
	{Name: "a failed update leaves no trace and returns its error as it is", Run: failedUpdate},
	{Name: "a panic fails its unit and leaves no trace", Run: panicInUpdate},
	{Name: "a unit whose write failed is lost even when it hides that", Run: hiddenFailure},
	{Name: "a unit sees its own writes", Run: ownWrites},
	{Name: "a unit without writes succeeds", Run: emptyUpdate},
	{Name: "a failed view returns its error as it is", Run: failedView},
	{Name: "units and views may be large", Run: largeUnit},
	{Name: "an ended context is refused", Run: endedContext},
	{Name: "a unit that has begun is finished when its context ends", Run: finishedUnit},
	{Name: "ping answers", Run: ping},
	{Name: "close waits for an update under way", Run: closeWaitsForUpdate},
	{Name: "close waits for a view under way", Run: closeWaitsForView},
	{Name: "a closed store is unavailable", Run: closedStore},
}

// writeAll writes one record of every table.
func writeAll(tx store.Tx) error {
	scope := command.Scope{Application: 100}
	_, moveErr := tx.MoveScope(scope, 0, store.Scope{Revision: 7})
	_, _, leaseErr := tx.LeaseNode("writeAll", check.Noon, check.Noon.Add(1))
	return errors.Join(moveErr, leaseErr,
		tx.PutCommands(command.Command{ID: 1000, Scope: scope, Type: command.ChatInput, Name: "roll", Doc: []byte("{}")}),
		tx.PutOverwrites(store.OverwriteSet{Guild: 300, Application: 100, ID: 1000, Entries: []store.OverwriteEntry{{ID: 1}}}),
		tx.PutUser(store.User{ID: 200}),
		tx.PutApplication(store.Application{ID: 100}),
		tx.PutGuild(store.Guild{ID: 300}),
		tx.PutRole(store.Role{ID: 301, Guild: 300}),
		tx.PutChannel(store.Channel{ID: 310, Guild: 300}),
		tx.PutMember(store.Member{Guild: 300, User: 200}),
		tx.PutInstall(store.Install{Application: 100, Guild: 300}),
		tx.PutCredential(store.Credential{Hash: store.TokenHash{1}, Kind: store.BotToken}),
	)
}

// isEmpty checks that nothing of writeAll is there.
func isEmpty(t *testing.T, s store.Store) {
	t.Helper()
	check.Shows(t, s, "Scope()", func(r store.Reader) (store.Scope, error) {
		return r.Scope(command.Scope{Application: 100})
	}, store.Scope{})
	check.Shows(t, s, "Overwrites()", func(r store.Reader) ([]store.OverwriteSet, error) {
		return r.Overwrites(100, 300)
	}, nil)
	check.Shows(t, s, "Roles()", check.By(store.Reader.Roles, 300), nil)
	check.Missing(t, s, check.By(store.Reader.User, 200))
	check.Missing(t, s, check.By(store.Reader.Application, 100))
	check.Missing(t, s, check.By(store.Reader.Guild, 300))
	check.Missing(t, s, check.By(store.Reader.Channel, 310))
	check.Missing(t, s, func(r store.Reader) (store.Member, error) { return r.Member(300, 200) })
	check.Missing(t, s, func(r store.Reader) (store.Install, error) { return r.GuildInstall(300, 100) })
	check.Missing(t, s, check.By(store.Reader.Credential, store.TokenHash{1}))
	check.Refused(t, s, store.ErrNotFound, extend(0, "writeAll", check.Noon, check.Noon))
}

func failedUpdate(t *testing.T, s store.Store) {
	err := s.Update(t.Context(), func(tx store.Tx) error {
		if err := writeAll(tx); err != nil {
			return err
		}
		return errRefused
	})
	if err != errRefused { //nolint:errorlint // as it is, not wrapped
		t.Errorf("Update() = %v, want the unit's own error", err)
	}
	isEmpty(t, s)
}

func panicInUpdate(t *testing.T, s store.Store) {
	err := s.Update(t.Context(), func(tx store.Tx) error {
		if err := writeAll(tx); err != nil {
			return err
		}
		panic("on purpose")
	})
	if err == nil {
		t.Error("Update() = nil after a panic")
	}
	isEmpty(t, s)
	check.Update(t, s, writeAll)
}

func hiddenFailure(t *testing.T, s store.Store) {
	var failed, after error
	check.Refused(t, s, store.ErrConflict, func(tx store.Tx) error {
		if err := writeAll(tx); err != nil {
			return err
		}
		failed = tx.PutCommands(
			command.Command{ID: 1001, Scope: command.Scope{Application: 100}, Type: command.ChatInput, Name: "roll"})
		after = tx.PutUser(store.User{ID: 201})
		return nil
	})
	if !errors.Is(failed, store.ErrConflict) {
		t.Errorf("PutCommands() = %v, want %v", failed, store.ErrConflict)
	}
	if after == nil {
		t.Error("PutUser() = nil after a write that failed")
	}
	isEmpty(t, s)
	check.Missing(t, s, check.By(store.Reader.User, 201))
}

func ownWrites(t *testing.T, s store.Store) {
	var before, after error
	scope := check.Told(t, s, func(tx store.Tx) (store.Scope, error) {
		if err := writeAll(tx); err != nil {
			return store.Scope{}, err
		}
		scope, err := tx.Scope(command.Scope{Application: 100})
		_, before = tx.User(200)
		err = errors.Join(err, tx.DeleteUser(200))
		_, after = tx.User(200)
		return scope, err
	})
	if scope.Revision != 7 || len(scope.Commands) != 1 {
		t.Errorf("Scope() = %+v, want what was written", scope)
	}
	if before != nil || !errors.Is(after, store.ErrNotFound) {
		t.Errorf("User() = %v, after DeleteUser %v, want nil, %v", before, after, store.ErrNotFound)
	}
}

func emptyUpdate(t *testing.T, s store.Store) {
	check.Update(t, s, func(store.Tx) error { return nil })
	check.Update(t, s, func(tx store.Tx) error {
		_, err := tx.Users(0, 10)
		return err
	})
}

func failedView(t *testing.T, s store.Store) {
	err := s.View(t.Context(), func(store.Reader) error { return errRefused })
	if err != errRefused { //nolint:errorlint // as it is, not wrapped
		t.Errorf("View() = %v, want the view's own error", err)
	}
}

func endedContext(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Update(ctx, check.Each(store.Tx.PutUser, store.User{ID: 200}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update() = %v, want %v", err, context.Canceled)
	}
	check.Missing(t, s, check.By(store.Reader.User, 200))
	if err := s.View(ctx, func(store.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("View() = %v, want %v", err, context.Canceled)
	}
	if err := s.Ping(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ping() = %v, want %v", err, context.Canceled)
	}
}

// largeUnit reads and writes much at once, in many records and in one.
func largeUnit(t *testing.T, s store.Store) {
	const users, size = 300, 300 << 10
	long := strings.Repeat("x", size)
	check.Update(t, s, func(tx store.Tx) error {
		for id := range snowflake.User(users) {
			if err := tx.PutUser(store.User{ID: id + 1}); err != nil {
				return err
			}
		}
		return tx.PutUser(store.User{ID: users + 1, GlobalName: long})
	})
	readAll := func(r store.Reader) error {
		for id := range snowflake.User(users + 1) {
			if u, err := r.User(id + 1); err != nil || (len(u.GlobalName) == size) != (id == users) {
				return fmt.Errorf("User(%v) = %d bytes, %w", id+1, len(u.GlobalName), err)
			}
		}
		return nil
	}
	check.View(t, s, readAll)
	check.Update(t, s, func(tx store.Tx) error { return readAll(tx) })
}

// finishedUnit has units get in each other's way whose contexts end as soon as they run.
func finishedUnit(t *testing.T, s store.Store) {
	const goroutines, rounds = 8, 5
	check.Together(goroutines, func(int) {
		for range rounds {
			ctx, cancel := context.WithCancel(t.Context())
			err := s.Update(ctx, func(tx store.Tx) error {
				cancel()
				return count(tx, 1)
			})
			cancel()
			if err != nil {
				t.Errorf("Update() = %v", err)
			}
		}
	})
	finished := check.Read(t, s, func(r store.Reader) (int64, error) { return standsAt(r, 1) })
	check.Same(t, "units that were finished", finished, int64(goroutines*rounds))
}

func ping(t *testing.T, s store.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping() = %v", err)
	}
}

func closeWaitsForUpdate(t *testing.T, s store.Store) {
	closeWaits(t, s, func(wait func()) error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			wait()
			return tx.PutUser(store.User{ID: 200})
		})
	})
}

func closeWaitsForView(t *testing.T, s store.Store) {
	closeWaits(t, s, func(wait func()) error {
		return s.View(t.Context(), func(r store.Reader) error {
			wait()
			_, err := r.Users(0, 1)
			return err
		})
	})
}

// closeWaits closes the store while run waits inside a unit of work.
func closeWaits(t *testing.T, s store.Store, run func(wait func()) error) {
	begun, release := make(chan struct{}), make(chan struct{})
	ran, closed := make(chan error, 1), make(chan error, 1)
	var released atomic.Bool
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		ran <- run(func() {
			begin()
			<-release
		})
	}()
	<-begun
	go func() {
		err := s.Close()
		if !released.Load() {
			err = fmt.Errorf("it returned %w while a unit of work was under way", err)
		}
		closed <- err
	}()
	for n := 0; n < 200; { // until Close has begun, and then some
		if errors.Is(s.Ping(t.Context()), store.ErrUnavailable) {
			n++
		}
	}
	released.Store(true)
	close(release)
	if err := <-ran; err != nil {
		t.Errorf("the unit of work under way = %v, want it finished", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close() = %v", err)
	}
}

func closedStore(t *testing.T, s store.Store) {
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	called := false
	for what, err := range map[string]error{
		"View()":   s.View(t.Context(), func(store.Reader) error { called = true; return nil }),
		"Update()": s.Update(t.Context(), func(store.Tx) error { called = true; return nil }),
		"Ping()":   s.Ping(t.Context()),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s = %v, want %v", what, err, store.ErrUnavailable)
		}
	}
	if called {
		t.Error("a closed store ran a unit of work")
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close() = %v", err)
	}
}
