// Package storetest holds engines to the contract of package store: one subtest for every sentence of it. What is said of
// units of work stands here, what is said of records in package records.
package storetest

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/internal/store/storetest/records"
)

// subjects are those of units of work, whatever they write.
var subjects = []check.Subject{
	{Name: "units of work", Rules: unitRules},
	{Name: "concurrency", Rules: concurrencyRules},
	{Name: "nodes", Rules: nodeRules},
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

// runAll checks every rule, or what stands in its place.
func runAll(t *testing.T, instead map[string]check.Rule, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, subject := range slices.Concat(subjects, records.Subjects) {
		t.Run(subject.Name, func(t *testing.T) {
			t.Parallel()
			for _, rule := range subject.Rules {
				if other, ok := instead[rule.Name]; ok {
					rule = other
				}
				t.Run(rule.Name, func(t *testing.T) {
					t.Parallel()
					rule.Run(t, open(t))
				})
			}
		})
	}
}
