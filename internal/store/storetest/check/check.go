// Package check is what the rules of a store's contract are checked with: units of work that have to end in some way, what
// they were told, and what is read after them. It knows none of the rules.
package check

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Subject is what some rules are about.
type Subject struct {
	Name  string
	Rules []Rule
}

// Rule is one thing that an engine must do. Its name reads as a sentence.
type Rule struct {
	Name string
	Run  func(t *testing.T, s store.Store) // on an empty store
}

// Noon is a moment for records that need one.
var Noon = time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)

// Update runs a unit of work that must succeed.
func Update(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update() = %v", err)
	}
}

// Told runs a unit of work that must succeed, and returns what its last run was told: that one alone counts.
func Told[T any](t *testing.T, s store.Store, ask func(store.Tx) (T, error)) T {
	t.Helper()
	var answer T
	Update(t, s, func(tx store.Tx) (err error) {
		answer, err = ask(tx)
		return err
	})
	return answer
}

// Refused runs a unit of work that must fail with an error.
func Refused(t *testing.T, s store.Store, want error, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); !errors.Is(err, want) {
		t.Fatalf("Update() = %v, want %v", err, want)
	}
}

// View runs a view that must succeed.
func View(t *testing.T, s store.Store, fn func(store.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("View() = %v", err)
	}
}

// Read returns what get finds in a view of its own.
func Read[T any](t *testing.T, s store.Store, get func(store.Reader) (T, error)) T {
	t.Helper()
	var got T
	View(t, s, func(r store.Reader) error {
		var err error
		got, err = get(r)
		return err
	})
	return got
}

// Shows checks what get finds in a view of its own.
func Shows[T any](t *testing.T, s store.Store, what string, get func(store.Reader) (T, error), want T) {
	t.Helper()
	Same(t, what, Read(t, s, get), want)
}

// Missing checks that get finds nothing.
func Missing[T any](t *testing.T, s store.Store, get func(store.Reader) (T, error)) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) error {
		_, err := get(r)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("read = %v, want %v", err, store.ErrNotFound)
	}
}

// Same compares records. Lists without entries are the same, whichever way they are empty.
func Same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// By returns what asks a reader for what is under a key.
func By[K, T any](get func(store.Reader, K) (T, error), key K) func(store.Reader) (T, error) {
	return func(r store.Reader) (T, error) { return get(r, key) }
}

// Each returns a unit of work that does the same with each of some values, until it fails.
func Each[V any](do func(store.Tx, V) error, values ...V) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, v := range values {
			if err := do(tx, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// Together runs do in n goroutines and waits for all of them.
func Together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}
