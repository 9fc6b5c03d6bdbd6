package provision_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/testkit/lab"

	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
)

// fixture is a directory with its own store.
type fixture struct {
	*lab.Fixture

	// onActivities may be nil.
	onActivities func(*store.Tx, store.Application) error
}

func open(t testing.TB) *fixture {
	t.Helper()
	return withCommands(lab.Open(t))
}

// newFixture returns a directory with an empty cache.
func newFixture(db store.Store) *fixture { return withCommands(lab.New(db)) }

// withCommands adds the commands of applications to a directory.
func withCommands(d *lab.Fixture) *fixture {
	f := &fixture{Fixture: d}
	d.OnCommands = registry.New(d.Cache, d.Now, runIDs{d.IDs}).Import
	d.OnActivities = func(tx *store.Tx, app store.Application) error {
		if f.onActivities == nil {
			return nil
		}
		return f.onActivities(tx, app)
	}
	return f
}

func (d *fixture) export(t testing.TB) world.World {
	t.Helper()
	w, err := provision.Export(t.Context(), d.Directory)
	if err != nil {
		t.Fatalf("Export() = %v", err)
	}
	return w
}
