package registry_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/store"
)

func TestAddEntryPoint(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.names(t, global) // fill the cache
	launch := func(a store.Application) {
		t.Helper()
		if err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error { return d.AddEntryPoint(tx, a) }); err != nil {
			t.Fatal(err)
		}
	}
	launch(store.Application{ID: app})
	if names := d.names(t, global); len(names) != 0 {
		t.Errorf("an application without activities has %v", names)
	}
	for range 2 {
		launch(store.Application{ID: app, Activities: true})
	}
	if names := d.names(t, global); len(names) != 1 {
		t.Errorf("an application with activities has %v, want one command", names)
	}
	d.create(t, global, definition("roll", "x"))
	if quota, err := d.Quota(t.Context(), global); err != nil || quota.Used != 1 {
		t.Errorf("Quota() = %v, %v: the entry point must not count", quota, err)
	}
}
