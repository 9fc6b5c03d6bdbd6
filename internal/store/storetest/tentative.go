package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
)

// tentative is a store whose units of work and views are all tentative. Everything that the suite checks holds for them too,
// but for what loosened says. That fn is told what is not so until its last run is no exception: the suite judges what fn was
// told after Update has returned.
type tentative struct{ store.Store }

// Update runs a unit of work that may be tried before its turn.
func (s tentative) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.Store.Update(store.Tentative(ctx), fn)
}

// View runs a view that need not show one moment.
func (s tentative) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.Store.View(store.Tentative(ctx), fn)
}

// loosened names the checks that tentative views are not held to, with what the contract puts in their place.
var loosened = map[string]check.Rule{
	oneState: {Name: "a view never goes back behind what it has shown", Run: onward},
}

// onward looks in turn at two counters that always stand at the same number.
func onward(t *testing.T, s store.Store) {
	const pairs, views = 60, 60
	check.Update(t, s, countPair)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range pairs {
			if err := s.Update(t.Context(), countPair); err != nil {
				t.Errorf("Update() = %v", err)
			}
		}
	})
	for range views {
		check.View(t, s, func(r store.Reader) error {
			first, err := standsAt(r, 1)
			second, secondErr := standsAt(r, 2)
			again, againErr := standsAt(r, 1)
			if first > second || second > again {
				t.Errorf("a view shows %d, %d and %d, one after the other", first, second, again)
			}
			return errors.Join(err, secondErr, againErr)
		})
	}
	wg.Wait()
}
