package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// TestReadYourWrites checks that a read after an acknowledged write sees that write or a later one. The cache is so
// small that it drops scopes all the time.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	d := openWith(t, 64*1500, nil)
	scopes := make([]command.Scope, 40)
	for i := range scopes {
		scopes[i] = command.Scope{Application: app, Guild: guild + snowflake.Guild(i)}
	}
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 60 {
				s := scopes[(w*7+i)%len(scopes)]
				c, _, err := d.Create(t.Context(), s, env(s), []byte(definition("roll", fmt.Sprintf("%d.%d", w, i))))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := d.Command(t.Context(), s, c.ID)
				if err != nil || got.Version < c.Version {
					t.Errorf("wrote version %v, then read %v, %v", c.Version, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestNameTakenIsVisible renames several commands to one name at once. A caller that gets ErrNameTaken must see the
// command that has the name.
func TestNameTakenIsVisible(t *testing.T) {
	t.Parallel()
	d := open(t)
	for round := range 40 {
		name := fmt.Sprint("taken-", round)
		ids := make([]snowflake.Command, 8)
		for i := range ids {
			ids[i] = d.create(t, global, definition(fmt.Sprint("c", i), strconv.Itoa(round))).ID
		}
		var wg sync.WaitGroup
		for _, id := range ids {
			wg.Go(func() {
				_, err := d.Patch(t.Context(), global, env(global), id, fmt.Appendf(nil, `{"name":%q}`, name))
				if errors.Is(err, registry.ErrNameTaken) && !slices.Contains(d.names(t, global), name) {
					t.Error("the command that has the name is not visible")
				} else if err != nil && !errors.Is(err, registry.ErrNameTaken) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if _, err := d.Overwrite(t.Context(), global, env(global), []byte(`[]`)); err != nil {
			t.Fatal(err)
		}
		d.clock.Advance(24 * time.Hour)
	}
}

// TestReadsDuringWrites reads a scope all the time while it is written, with a cache too small for it. Later reads must
// see an acknowledged write.
func TestReadsDuringWrites(t *testing.T) {
	t.Parallel()
	d := openWith(t, 0, nil)
	stop := make(chan struct{})
	var noise, writers sync.WaitGroup
	for range 2 {
		noise.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = d.Commands(t.Context(), global) // may load the scope just before a write
				}
			}
		})
	}
	for w := range 4 {
		writers.Go(func() {
			for i := range 100 {
				c, _, err := d.Create(t.Context(), global, env(global), []byte(definition(fmt.Sprint("w", w), strconv.Itoa(i))))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := d.Command(t.Context(), global, c.ID)
				if err != nil || got.Version < c.Version {
					t.Errorf("wrote version %v, then read %v, %v", c.Version, got, err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	noise.Wait()
}

// brokenStore fails every nth commit, like a full disk.
type brokenStore struct {
	store.Store

	every int32
	count atomic.Int32
}

var errDisk = errors.New("disk full")

func (b *brokenStore) Commit(ctx context.Context, c store.Change) error {
	if b.count.Add(1)%b.every == 0 {
		return errDisk
	}
	return b.Store.Commit(ctx, c)
}

// TestFailedCommits checks that acknowledged writes stay and failed writes have no effect.
func TestFailedCommits(t *testing.T) {
	t.Parallel()
	var broken *brokenStore
	d := openWith(t, 64<<20, func(s store.Store) store.Store {
		broken = &brokenStore{Store: s, every: 3}
		return broken
	})
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 12 {
				name := fmt.Sprintf("c%d-%d", w, i)
				_, _, err := d.Create(t.Context(), global, env(global), []byte(definition(name, "x")))
				if err != nil && !errors.Is(err, errDisk) {
					t.Error(err)
				}
				mu.Lock()
				acknowledged[name] = err == nil
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	names := d.names(t, global)
	onDisk := d.fresh().names(t, global)
	if !slices.Equal(names, onDisk) {
		t.Errorf("the cache shows %v, the store %v", names, onDisk)
	}
	for name, ok := range acknowledged {
		if slices.Contains(names, name) != ok {
			t.Errorf("%s: acknowledged %v, exists %v", name, ok, !ok)
		}
	}
}

// fresh returns a registry over the same store with an empty cache, like after a restart.
func (d fixture) fresh() fixture {
	d.Registry = registry.New(cache.New(d.store, 64<<20), d.clock, store.NewIDs(2, d.clock.Now, time.Time{}))
	return d
}
