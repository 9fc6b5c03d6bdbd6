// Package storetest holds engines to the contract of package store: one subtest for every sentence of it.
package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// check is one thing that an engine must do. Its name reads as a sentence.
type check struct {
	name string
	run  func(t *testing.T, s store.Store)
}

// Run tests an engine, with units of work that wait for their turn and with tentative ones. open returns an empty store that
// t closes.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Run("in turn", func(t *testing.T) {
		t.Parallel()
		runAll(t, nil, open)
	})
	t.Run("tentative", func(t *testing.T) {
		t.Parallel()
		runAll(t, loosened, func(t *testing.T) store.Store {
			t.Helper()
			return tentative{open(t)}
		})
	})
	t.Run("behaves like a model", func(t *testing.T) {
		t.Parallel()
		likeModel(t, open(t))
	})
}

// runAll runs every check, or what stands in its place.
func runAll(t *testing.T, instead map[string]check, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, subject := range []struct {
		name   string
		checks []check
	}{
		{"units of work", unitChecks},
		{"concurrency", concurrencyChecks},
		{"scopes", scopeChecks},
		{"commands", commandChecks},
		{"overwrites", overwriteChecks},
		{"directory", directoryChecks},
		{"places", placeChecks},
		{"deletes", deleteChecks},
		{"credentials", credentialChecks},
		{"lobbies", lobbyChecks},
		{"interactions", interactionChecks},
		{"messages", messageChecks},
		{"grants", grantChecks},
		{"nodes", nodeChecks},
	} {
		t.Run(subject.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range subject.checks {
				if other, ok := instead[c.name]; ok {
					c = other
				}
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, open(t))
				})
			}
		})
	}
}

// noon is a moment for records that need one.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)

// errRefused is what units of work fail with on purpose.
var errRefused = errors.New("refused")

// update runs a unit of work that must succeed.
func update(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update() = %v", err)
	}
}

// told runs a unit of work that must succeed, and returns what its last run was told: that one alone counts.
func told[T any](t *testing.T, s store.Store, ask func(store.Tx) (T, error)) T {
	t.Helper()
	var answer T
	update(t, s, func(tx store.Tx) (err error) {
		answer, err = ask(tx)
		return err
	})
	return answer
}

// refuse runs a unit of work that must fail with an error.
func refuse(t *testing.T, s store.Store, want error, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); !errors.Is(err, want) {
		t.Fatalf("Update() = %v, want %v", err, want)
	}
}

// view runs a view that must succeed.
func view(t *testing.T, s store.Store, fn func(store.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("View() = %v", err)
	}
}

// read returns what get finds in a view of its own.
func read[T any](t *testing.T, s store.Store, get func(store.Reader) (T, error)) T {
	t.Helper()
	var got T
	view(t, s, func(r store.Reader) error {
		var err error
		got, err = get(r)
		return err
	})
	return got
}

// missing checks that get finds nothing.
func missing[T any](t *testing.T, s store.Store, get func(store.Reader) (T, error)) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) error {
		_, err := get(r)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("read = %v, want %v", err, store.ErrNotFound)
	}
}

// same compares records. Lists without entries are the same, whichever way they are empty.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// all runs writes one after another until one fails.
func all(errs ...error) error { return errors.Join(errs...) }
