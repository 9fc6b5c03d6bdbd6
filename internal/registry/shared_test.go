package registry_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/snowflake"
)

// TestShared has two registries write to the same commands of one store and have each other forget what they changed, as
// nodes do. Every write that was acknowledged counts, and both show the same in the end.
func TestShared(t *testing.T) {
	t.Parallel()
	d := open(t)
	always := func() bool { return true }
	nodes := make([]*registry.Registry, 2)
	for i := range nodes {
		ids := snowflake.NewGenerator(uint16(i+2), d.clock.Now, time.Time{})
		nodes[i] = registry.NewShared(d.store, d.clock, ids, registry.DefaultCacheBytes, always)
	}
	const commands, writers, rounds = 4, 8, 30
	var created atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			node, other := nodes[w%2], nodes[1-w%2]
			for i := range rounds {
				body := value(t, definition(fmt.Sprint("c", (w+i)%commands), fmt.Sprintf("%d.%d", w, i)))
				c, fresh, err := node.Create(t.Context(), inGuild, env(inGuild), body)
				if err != nil {
					t.Error(err)
					return
				}
				other.Forget(inGuild)
				if fresh {
					created.Add(1)
				}
				got, err := other.Command(t.Context(), inGuild, c.ID)
				if err != nil || got.Version < c.Version {
					t.Errorf("wrote version %v, then read %v, %v", c.Version, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if created.Load() != commands {
		t.Errorf("%d commands were new, want %d", created.Load(), commands)
	}
	var lists [2]string
	for i, node := range nodes {
		node.Forget(command.Scope{Application: app, Guild: guild})
		list, err := node.List(t.Context(), inGuild, registry.View{})
		if err != nil {
			t.Fatal(err)
		}
		lists[i] = string(list)
	}
	if lists[0] != lists[1] {
		t.Errorf("one shows\n%s\nthe other\n%s", lists[0], lists[1])
	}
}

// TestSharedOverwrite overwrites a command of a scope that is not in memory: its id stays, the daily creates are left alone,
// and every read shows it.
func TestSharedOverwrite(t *testing.T) {
	t.Parallel()
	d := open(t)
	ids := snowflake.NewGenerator(2, d.clock.Now, time.Time{})
	node := registry.NewShared(d.store, d.clock, ids, registry.DefaultCacheBytes, func() bool { return true })
	create := func(name, description string) (*command.Command, bool) {
		t.Helper()
		c, created, err := node.Create(t.Context(), global, env(global), value(t, definition(name, description)))
		if err != nil {
			t.Fatal(err)
		}
		return c, created
	}
	first, _ := create("roll", "one")
	create("spin", "one")
	for i, description := range []string{"two", "two", "three"} {
		node.Forget(global)
		c, created := create("roll", description)
		same := i == 1
		if created || c.ID != first.ID || (c.Version == first.Version) != same {
			t.Errorf("write %d: %+v, new %v, after %+v", i, c, created, first)
		}
		got, err := node.Command(t.Context(), global, first.ID)
		if err != nil || got.Version != c.Version || string(got.Doc) != string(c.Doc) {
			t.Errorf("read %+v, %v, wrote %+v", got, err, c)
		}
		first = c
	}
	quota, err := node.Quota(t.Context(), global)
	if err != nil || quota.Used != 2 {
		t.Errorf("Quota() = %+v, %v, want 2 used", quota, err)
	}
}
