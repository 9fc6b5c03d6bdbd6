package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/snowflake"
)

// TestPostgresNodes has two stores count in one database: units of all of them happen one after another.
func TestPostgresNodes(t *testing.T) {
	t.Parallel()
	for name, ways := range manners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			countTogether(t, ways)
		})
	}
}

// manners are the ways in which the units of several goroutines in turn come to the store.
var manners = map[string][]func(context.Context) context.Context{
	"live": {atOnce}, "tentative": {store.Tentative}, "both": {atOnce, store.Tentative},
}

func atOnce(ctx context.Context) context.Context { return ctx }

func countTogether(t *testing.T, ways []func(context.Context) context.Context) {
	t.Helper()
	url := database(t)
	nodes := []*postgres.DB{open(t, url), open(t, url)}
	const goroutines, rounds = 8, 25
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for range rounds {
				if err := nodes[i%2].Update(ways[i/2%len(ways)](t.Context()), step(1)); err != nil {
					t.Errorf("Update() = %v", err)
				}
			}
		})
	}
	wg.Wait()
	for _, db := range nodes {
		if n := counted(t, db, 1); n != goroutines*rounds {
			t.Errorf("counted to %d, want %d", n, goroutines*rounds)
		}
	}
}

// step adds one to the number that a user has for a name.
func step(id snowflake.User) func(store.Tx) error {
	return func(tx store.Tx) error {
		u, err := tx.User(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n, _ := strconv.Atoi(u.Username) // an empty name counts as 0
		return tx.PutUser(store.User{ID: id, Username: strconv.Itoa(n + 1)})
	}
}

func counted(t *testing.T, db *postgres.DB, id snowflake.User) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(r store.Reader) error {
		u, err := r.User(id)
		n, _ = strconv.Atoi(u.Username) // an empty name counts as 0
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("View() = %v", err)
	}
	return n
}

// TestPostgresFaults counts while connections are cut and the server goes away and comes back. What was acknowledged has
// happened, what failed has not: every counter stands exactly where its owner believes it to be.
func TestPostgresFaults(t *testing.T) {
	t.Parallel()
	server, err := enginetest.StartPostgres(t.Context(), enginetest.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, url)
	for _, fault := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"connections cut", server.Cut},
		{"restart", func(ctx context.Context) error { return errors.Join(server.Halt(), server.Start(ctx)) }},
		{"crash", func(ctx context.Context) error { return errors.Join(server.Kill(), server.Start(ctx)) }},
	} {
		for name, ways := range manners {
			if err := countThrough(t, db, ways, fault.do); err != nil {
				t.Errorf("%s, %s: %v", fault.name, name, err)
			}
		}
	}
}

// countThrough counts with many writers while do happens.
func countThrough(
	t *testing.T, db *postgres.DB, ways []func(context.Context) context.Context, do func(ctx context.Context) error,
) error {
	t.Helper()
	const writers = 8
	var believed [writers]int
	for i := range writers {
		believed[i] = counted(t, db, snowflake.User(i+1))
	}
	var done atomic.Bool
	var steps, refused atomic.Int64
	begun := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for last := 0; last < 5; { // go on for a while after all is well again
				switch err := db.Update(ways[i%len(ways)](t.Context()), step(snowflake.User(i+1))); {
				case err == nil:
					believed[i]++
					if steps.Add(1) == 10*writers {
						once.Do(func() { close(begun) })
					}
					if done.Load() {
						last++
					}
				case errors.Is(err, store.ErrUnavailable):
					refused.Add(1)
				default:
					t.Errorf("Update() = %v", err)
					once.Do(func() { close(begun) })
					return
				}
			}
		})
	}
	<-begun
	err := do(t.Context())
	done.Store(true)
	wg.Wait()
	t.Logf("%d steps, %d refused", steps.Load(), refused.Load())
	for i, want := range believed {
		if got := counted(t, db, snowflake.User(i+1)); got != want {
			err = errors.Join(err, fmt.Errorf("counter %d stands at %d, want %d", i, got, want))
		}
	}
	return err
}
