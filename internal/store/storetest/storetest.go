// Package storetest is the suite that every engine of package store passes. It has one subtest for each sentence of the
// contract, a round trip of every record type, and random changes that are checked against a model.
package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// rule is one sentence of the contract.
type rule struct {
	name string
	run  func(t *testing.T, s store.Store) // on an empty store
}

// Run tests an engine. Each call of open returns an empty store that t closes.
//
// The rules about records and queries only store, delete and read. They are many, and to open a store takes longer than one of
// them: they share a store, which is cleared before each.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, group := range []struct {
		name   string
		rules  []rule
		shared bool
	}{
		{"read", readRules, false},
		{"commit", commitRules, false},
		{"store", storeRules, false},
		{"decide", append(decideRules, rule{"the deliveries of a lane have the order of their changes", outgoingOrder}), false},
		{"concurrent", concurrentRules, false},
		{"records", recordRules(), true},
		{"queries", queryRules(), true},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			if group.shared {
				runShared(t, open(t), group.rules)
				return
			}
			for _, r := range group.rules {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.run(t, open(t))
				})
			}
		})
	}
}

// runShared runs rules one after another on the same store.
func runShared(t *testing.T, s store.Store, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			commit(t, s, store.Change{Clear: true})
			r.run(t, s)
		})
	}
}

// noon is a time for records that need one, exact to the microsecond.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)

// errRefused is the error of decisions that fail on purpose.
var errRefused = errors.New("refused")

// decide runs a decision that must succeed.
func decide(t *testing.T, s store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := store.Decide(t.Context(), s, fn); err != nil {
		t.Fatalf("Decide() = %v", err)
	}
}

// put stores records in one decision.
func put(t *testing.T, s store.Store, records ...store.Record) {
	t.Helper()
	decide(t, s, func(tx *store.Tx) error { return tx.Put(records...) })
}

// remove deletes records in one decision.
func remove(t *testing.T, s store.Store, keys ...store.Key) {
	t.Helper()
	decide(t, s, func(tx *store.Tx) error {
		tx.Delete(keys...)
		return nil
	})
}

// commit commits a change that must succeed.
func commit(t *testing.T, s store.Store, c store.Change) {
	t.Helper()
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// read returns what get returns for a snapshot of the store.
func read[T any](t *testing.T, s store.Store, get func(store.Reader) (T, error)) T {
	t.Helper()
	var got T
	err := s.Read(t.Context(), func(r store.Reader) error {
		var err error
		got, err = get(r)
		return err
	})
	if err != nil {
		t.Fatalf("Read() = %v", err)
	}
	return got
}

// username returns a user's name, or "-" when there is no such user.
func username(r store.Reader, id uint64) (string, error) {
	u, err := r.Directory.User(userID(id))
	if errors.Is(err, store.ErrNotFound) {
		return "-", nil
	}
	return u.Username, err
}

// checkUsernames checks the names of users 1, 2, …
func checkUsernames(t *testing.T, s store.Store, want ...string) {
	t.Helper()
	got := read(t, s, func(r store.Reader) ([]string, error) {
		var names []string
		for i := range want {
			name, err := username(r, uint64(i+1))
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return names, nil
	})
	if !slices.Equal(got, want) {
		t.Errorf("usernames = %q, want %q", got, want)
	}
}

// revision returns the revision of one subject.
func revision(t *testing.T, s store.Store, subject store.Subject) uint64 {
	t.Helper()
	revisions, err := s.Revisions(t.Context(), subject)
	if err != nil {
		t.Fatalf("Revisions() = %v", err)
	}
	return revisions[0]
}

// same compares values. An empty list equals a nil list.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// together runs fn in n goroutines and waits for them.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}
