package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

// oneState is what views that are not tentative are held to.
const oneState = "a view is a consistent snapshot"

var concurrencyRules = []check.Rule{
	{Name: "units happen one after another", Run: oneAfterAnother},
	{Name: "a failing unit takes no other with it", Run: failuresApart},
	{Name: "a view holds everything acknowledged before it", Run: readYourWrites},
	{Name: oneState, Run: snapshots},
	{Name: "of units that move a scope from one revision exactly one succeeds", Run: exactMoves},
}

// count adds one to the number that a user has for a name.
func count(tx store.Tx, id snowflake.User) error {
	n, err := standsAt(tx, id)
	if err != nil {
		return err
	}
	return tx.PutUser(store.User{ID: id, Username: strconv.FormatInt(n+1, 10)})
}

// countPair keeps two counters at the same number.
func countPair(tx store.Tx) error { return errors.Join(count(tx, 1), count(tx, 2)) }

// standsAt returns what count has counted to.
func standsAt(r store.Reader, id snowflake.User) (int64, error) {
	u, err := r.User(id)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	n, _ := strconv.ParseInt(u.Username, 10, 64) // an empty name counts as 0
	return n, err
}

func oneAfterAnother(t *testing.T, s store.Store) {
	const goroutines, rounds = 32, 10
	check.Together(goroutines, func(int) {
		for range rounds {
			if err := s.Update(t.Context(), func(tx store.Tx) error { return count(tx, 200) }); err != nil {
				t.Errorf("Update() = %v", err)
			}
		}
	})
	u := check.Read(t, s, check.By(store.Reader.User, 200))
	if want := strconv.Itoa(goroutines * rounds); u.Username != want {
		t.Errorf("counted to %s, want %s", u.Username, want)
	}
}

func failuresApart(t *testing.T, s store.Store) {
	const goroutines, rounds = 24, 10
	check.Together(goroutines, func(i int) {
		for round := range rounds {
			id := snowflake.User(1000 + i*rounds + round)
			err := s.Update(t.Context(), func(tx store.Tx) error {
				if err := errors.Join(count(tx, 200), tx.PutUser(store.User{ID: id})); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return errRefused
				case 2:
					panic("on purpose")
				}
				return nil
			})
			if (err == nil) != (i%3 == 0) || i%3 == 1 && !errors.Is(err, errRefused) {
				t.Errorf("unit %d of goroutine %d: Update() = %v", round, i, err)
			}
		}
	})
	for i := range goroutines {
		for round := range rounds {
			id := snowflake.User(1000 + i*rounds + round)
			get := check.By(store.Reader.User, id)
			if i%3 == 0 {
				check.Read(t, s, get)
			} else {
				check.Missing(t, s, get)
			}
		}
	}
	u := check.Read(t, s, check.By(store.Reader.User, 200))
	if want := strconv.Itoa(goroutines / 3 * rounds); u.Username != want {
		t.Errorf("counted to %s, want %s", u.Username, want)
	}
}

func readYourWrites(t *testing.T, s store.Store) {
	const goroutines, rounds = 16, 12
	var acknowledged [goroutines]atomic.Int64
	check.Together(goroutines, func(i int) {
		for range rounds {
			err := s.Update(t.Context(), func(tx store.Tx) error { return count(tx, snowflake.User(i+1)) })
			if err != nil {
				t.Errorf("Update() = %v", err)
			}
			acknowledged[i].Add(1)
			other := (i + 1) % goroutines
			least := acknowledged[other].Load()
			err = s.View(t.Context(), func(r store.Reader) error {
				return errors.Join(
					atLeast(r, snowflake.User(i+1), acknowledged[i].Load()),
					atLeast(r, snowflake.User(other+1), least))
			})
			if err != nil {
				t.Errorf("View() = %v", err)
			}
		}
	})
}

func atLeast(r store.Reader, id snowflake.User, want int64) error {
	n, err := standsAt(r, id)
	if err == nil && n < want {
		err = fmt.Errorf("user %v stands at %d, want at least %d", id, n, want)
	}
	return err
}

func snapshots(t *testing.T, s store.Store) {
	const pairs, views = 60, 60
	var wg sync.WaitGroup
	wg.Go(func() {
		for range pairs {
			if err := s.Update(t.Context(), countPair); err != nil {
				t.Errorf("Update() = %v", err)
			}
		}
	})
	for range views {
		err := s.View(t.Context(), func(r store.Reader) error {
			first, err := r.Users(0, 10)
			if err != nil {
				return err
			}
			again, err := r.Users(0, 10)
			check.Same(t, "the second look", again, first)
			if len(first) != 0 && first[0].Username != first[1].Username {
				t.Errorf("a view shows %s and %s, want one state", first[0].Username, first[1].Username)
			}
			return err
		})
		if err != nil {
			t.Errorf("View() = %v", err)
		}
	}
	wg.Wait()
}

func exactMoves(t *testing.T, s store.Store) {
	const goroutines, rounds = 16, 15
	scope := command.Scope{Application: 100, Guild: 300}
	var moves atomic.Int64
	check.Together(goroutines, func(i int) {
		for round := range rounds {
			var kept store.Scope
			err := s.View(t.Context(), func(r store.Reader) (err error) {
				kept, err = r.Scope(scope)
				return err
			})
			if err != nil {
				t.Errorf("View() = %v", err)
			}
			to := store.Scope{Revision: uint64(1 + i*rounds + round), QuotaUsed: kept.QuotaUsed + 1}
			moved := false
			err = s.Update(t.Context(), func(tx store.Tx) (err error) {
				moved, err = tx.MoveScope(scope, kept.Revision, to)
				return err
			})
			if err != nil {
				t.Errorf("Update() = %v", err)
			}
			if moved {
				moves.Add(1)
			}
		}
	})
	kept := check.Read(t, s, check.By(store.Reader.Scope, scope))
	if moves.Load() == 0 || int64(kept.QuotaUsed) != moves.Load() {
		t.Errorf("%d moves were reported, %d happened", moves.Load(), kept.QuotaUsed)
	}
}
