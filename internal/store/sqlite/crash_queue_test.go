//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// shared is the scope that all decisions of buildUntilKilled write to.
var shared = command.Scope{Application: 100}

// buildUntilKilled is a task of a second process. Its decisions on one scope build on one another: each counts the quota up and
// adds a user with the number. It prints every number that was acknowledged.
func buildUntilKilled(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	c := cache.New(db, 1<<20)
	quotas := cache.Kind[command.Scope, store.Quota]{
		Cache: c, Subject: store.ScopeSubject, Size: func(*store.Quota) int { return 64 },
		Read: func(r store.Reader, key command.Scope) (*store.Quota, error) {
			q, err := r.Commands.Quota(key)
			return &q, err
		},
	}
	users := cache.Kind[snowflake.User, store.User]{
		Cache: c, Subject: store.UserSubject, Size: func(*store.User) int { return 64 },
		Read: func(store.Reader, snowflake.User) (*store.User, error) { return nil, store.ErrNotFound },
	}
	count := func(ctx context.Context) (number int, err error) {
		err = c.Decide(ctx, func(ctx context.Context) (change store.Change, err error) {
			before, err := quotas.Load(ctx, shared)
			if err != nil {
				return change, err
			}
			next := store.Quota{Scope: shared, Used: before.Used + 1}
			number = next.Used
			user := store.User{ID: snowflake.User(number), Username: "user"}
			change.Put, change.Extendable = []store.Record{next, user}, []store.Subject{store.ScopeSubject(shared)}
			quotas.Next(&change, shared, &next)
			users.Next(&change, user.ID, &user)
			return change, nil
		})
		return number, err
	}
	var wg sync.WaitGroup
	for range crashWriters {
		wg.Go(func() {
			for {
				number, err := count(ctx)
				if err == nil {
					_, err = fmt.Println(number)
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.New("the process was not killed")
}

// TestKilledWhileBuilding kills a process whose changes wait in the queue and build on one another. Every acknowledged change must
// be stored, and none without those before it.
func TestKilledWhileBuilding(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	acknowledged := 0
	for range 3 {
		killAfter := acknowledged + 100 + rand.IntN(400)
		process := child(t, "build until killed", path)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		killed := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var number int
			if _, err := fmt.Sscan(lines.Text(), &number); err != nil {
				break // the last line may be incomplete
			}
			acknowledged = max(acknowledged, number)
			if number > killAfter && !killed {
				killed = true
				if err := process.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := process.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		acknowledged = checkNumbers(t, path, acknowledged)
	}
}

// checkNumbers checks that the numbers up to the stored quota are stored, and no other. It returns the quota, which must not be
// smaller than the acknowledged one.
func checkNumbers(t *testing.T, path string, acknowledged int) (stored int) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Read(t.Context(), func(r store.Reader) error {
		quota, err := r.Commands.Quota(shared)
		if err != nil {
			return err
		}
		if stored = quota.Used; stored < acknowledged {
			t.Errorf("the last number is %d, but %d was acknowledged", stored, acknowledged)
		}
		users, err := r.Directory.Users(0, stored+1)
		if err == nil && (len(users) != stored || users[len(users)-1].ID != snowflake.User(stored)) {
			t.Errorf("%d numbers are stored up to %d", len(users), stored)
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return stored
}
