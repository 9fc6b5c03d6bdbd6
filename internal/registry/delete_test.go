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

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// limitedStore fails every commit after the first few, like a process that ends. It counts what each commit deletes.
type limitedStore struct {
	store.Store

	left   atomic.Int32
	pieces atomic.Int32
}

var errEnded = errors.New("the process ended")

func (s *limitedStore) Commit(ctx context.Context, c store.Change) error {
	if s.left.Add(-1) < 0 {
		return errEnded
	}
	s.pieces.Add(1)
	return s.Store.Commit(ctx, c)
}

// fill creates commands and permission sets of an application in guilds.
func fill(t *testing.T, s store.Store, app snowflake.Application, guilds, commandsEach int) {
	t.Helper()
	id := uint64(app) * 1_000_000
	for g := range guilds {
		err := store.Decide(t.Context(), s, func(tx *store.Tx) error {
			scope := command.Scope{Application: app, Guild: snowflake.Guild(500 + g)}
			if g == 0 {
				scope.Guild = 0
			}
			if err := tx.Put(store.Quota{Scope: scope, Used: commandsEach}); err != nil {
				return err
			}
			for range commandsEach {
				id++
				err := tx.Put(
					store.Command{Command: command.Command{ID: snowflake.Command(id), Scope: scope, Type: 1, Name: fmt.Sprint("c", id), Doc: []byte("{}")}},
					store.OverwriteSet{Guild: snowflake.Guild(500 + g), Application: app, ID: snowflake.Command(id), Entries: []store.OverwriteEntry{{ID: 5, Type: 1}}},
				)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// rows returns how many scopes, commands and permission sets an application has in the store.
func rows(t *testing.T, s store.Store, app snowflake.Application) (scopes, commands, sets int) {
	t.Helper()
	err := s.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Commands.ScopesOf(app)
		if err != nil {
			return err
		}
		scopes = len(list)
		for _, scope := range list {
			found, err := r.Commands.Commands(scope)
			if err != nil {
				return err
			}
			commands += len(found)
		}
		all, err := r.Commands.OverwritesOf(app, 100_000)
		sets = len(all)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return scopes, commands, sets
}

// TestDependentRows removes what belongs to a deleted application or guild, with a restart in the middle.
func TestDependentRows(t *testing.T) {
	t.Parallel()
	const one, other snowflake.Application = 1, 2
	for _, tt := range []struct {
		name   string
		remove func(r *registry.Registry, ctx context.Context) error
		pieces int32 // at least
		// what is left of the two applications, with 20 scopes of 30 commands each before
		scopes, commands, sets, otherScopes, otherSets int
	}{
		{"application", func(r *registry.Registry, ctx context.Context) error { return r.ApplicationDeleted(ctx, one) }, 5, 0, 0, 0, 20, 600},
		{"guild", func(r *registry.Registry, ctx context.Context) error { return r.GuildDeleted(ctx, 505) }, 2, 19, 570, 570, 19, 570},
		{"user", func(r *registry.Registry, ctx context.Context) error { return r.UserDeleted(ctx, 5) }, 0, 20, 600, 600, 20, 600},
		{"channel", func(r *registry.Registry, ctx context.Context) error {
			return r.ChannelDeleted(ctx, store.Channel{ID: 5})
		}, 0, 20, 600, 600, 20, 600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limited := &limitedStore{}
			d := openWith(t, 64<<20, func(s store.Store) store.Store { limited.Store = s; return limited })
			fill(t, d.store, one, 20, 30)
			fill(t, d.store, other, 20, 30)
			for i := range 20 { // into the cache
				if _, err := d.Shelf(t.Context(), one, snowflake.Guild(500+i)); err != nil {
					t.Fatal(err)
				}
			}
			restarts := 0
			for ; restarts < 100; restarts++ {
				limited.left.Store(1) // a process makes one commit and ends
				if err := tt.remove(d.Registry, t.Context()); err == nil {
					break
				} else if !errors.Is(err, errEnded) {
					t.Fatal(err)
				}
			}
			if n := limited.pieces.Load(); n < tt.pieces {
				t.Errorf("%d commits removed everything, want at least %d small ones", n, tt.pieces)
			}
			scopes, commands, sets := rows(t, d.store, one)
			if scopes != tt.scopes || commands != tt.commands || sets != tt.sets {
				t.Errorf("%d scopes, %d commands and %d sets are left, want %d, %d and %d", scopes, commands, sets, tt.scopes, tt.commands, tt.sets)
			}
			if scopes, _, sets := rows(t, d.store, other); scopes != tt.otherScopes || sets != tt.otherSets {
				t.Errorf("another application has %d scopes and %d sets, want %d and %d", scopes, sets, tt.otherScopes, tt.otherSets)
			}
			shelf, err := d.Shelf(t.Context(), one, 505)
			if gone := len(shelf.Local.Commands) == 0; err != nil || gone != (tt.pieces > 0) {
				t.Errorf("the cache shows %d commands, %v", len(shelf.Local.Commands), err)
			}
		})
	}
}

// TestScopesHaveRows: whatever creates the first command of a scope makes ScopesOf find the scope.
func TestScopesHaveRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, d desk) error
	}{
		{"create", func(t *testing.T, d desk) error { d.create(t, global, definition("roll", "x")); return nil }},
		{"bulk overwrite", func(t *testing.T, d desk) error {
			_, err := d.Overwrite(t.Context(), global, env(global), value(t, "["+definition("roll", "x")+"]"))
			return err
		}},
		{"entry point", func(t *testing.T, d desk) error {
			return store.Decide(t.Context(), d.store, func(tx *store.Tx) error {
				return d.Launch(tx, store.Application{ID: app, Activities: true})
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			if err := tt.do(t, d); err != nil {
				t.Fatal(err)
			}
			if scopes, commands, _ := rows(t, d.store, app); scopes != 1 || commands != 1 {
				t.Errorf("found %d scopes with %d commands, want 1 with 1", scopes, commands)
			}
		})
	}
}

func TestLaunch(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.names(t, global) // into the cache
	launch := func(a store.Application) {
		t.Helper()
		if err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error { return d.Launch(tx, a) }); err != nil {
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
		t.Errorf("Quota() = %v, %v: the entry point does not count", quota, err)
	}
}

// TestSetsAndDeletesConcurrently deletes a command while permission sets of it are put: none is left afterwards.
func TestSetsAndDeletesConcurrently(t *testing.T) {
	t.Parallel()
	d := open(t).furnish(t)
	for round := range 30 {
		c := d.create(t, global, definition(fmt.Sprint("c", round), "x"))
		var wg sync.WaitGroup
		for _, entries := range [][]permission.Entry{{forRole(low, true)}, {forUser(member, true)}} {
			wg.Go(func() {
				if err := d.put(t, owner, c.ID, entries...); err != nil && !errors.Is(err, registry.ErrUnknownCommand) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := d.Delete(t.Context(), global, c.ID); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if _, _, sets := rows(t, d.store, app); sets != 0 {
			t.Fatalf("round %d: %d sets of a deleted command are left", round, sets)
		}
		if got := d.withSets(t); len(got) != 0 {
			t.Fatalf("round %d: the cache shows sets of %v", round, got)
		}
	}
}

// measuredStore keeps the last change and counts calls.
type measuredStore struct {
	store.Store

	reads, commits, questions int
	last                      store.Change
}

func (s *measuredStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.reads++
	return s.Store.Read(ctx, fn)
}

func (s *measuredStore) Commit(ctx context.Context, c store.Change) error {
	s.commits++
	s.last = c
	return s.Store.Commit(ctx, c)
}

func (s *measuredStore) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	s.questions++
	return s.Store.Revisions(ctx, subjects...)
}

// TestCost holds what requests cost on a warm cache.
func TestCost(t *testing.T) {
	t.Parallel()
	measured := &measuredStore{}
	d := openWith(t, 64<<20, func(s store.Store) store.Store { measured.Store = s; return measured })
	c := d.create(t, inGuild, definition("roll", "x"))
	d.names(t, inGuild)
	for _, tt := range []struct {
		name                              string
		do                                func() error
		reads, commits, subjects, records int
	}{
		{"list", func() error {
			_, err := d.List(t.Context(), inGuild, registry.View{Locale: "en-US"})
			return err
		}, 0, 0, 0, 0},
		{"same definition", func() error { d.create(t, inGuild, definition("roll", "x")); return nil }, 0, 0, 0, 0},
		{"upsert", func() error { d.create(t, inGuild, definition("roll", "y")); return nil }, 0, 1, 1, 1},
		{"create", func() error { d.create(t, inGuild, definition("toss", "y")); return nil }, 0, 1, 1, 2}, // with the quota
		{"edit", func() error {
			_, err := d.Patch(t.Context(), inGuild, env(inGuild), c.ID, value(t, `{"description":"z"}`))
			return err
		}, 0, 1, 1, 1},
		{"rename", func() error {
			_, err := d.Patch(t.Context(), inGuild, env(inGuild), c.ID, value(t, `{"name":"throw"}`))
			return err
		}, 1, 1, 1, 1},
		{"delete", func() error { return d.Delete(t.Context(), inGuild, c.ID) }, 1, 1, 1, 1},
		{"list after writes", func() error { d.names(t, inGuild); return nil }, 0, 0, 0, 0},
	} {
		measured.reads, measured.commits, measured.questions, measured.last = 0, 0, 0, store.Change{}
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := []int{measured.reads, measured.commits, len(measured.last.Expect), len(measured.last.Put) + len(measured.last.Delete), measured.questions}
		if want := []int{tt.reads, tt.commits, tt.subjects, tt.records, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: reads, commits, subjects, records and questions are %v, want %v", tt.name, got, want)
		}
	}
}

// BenchmarkList measures a list that is in the cache.
func BenchmarkList(b *testing.B) {
	d := openWith(b, 64<<20, nil)
	for i := range 50 {
		d.create(b, global, definition(fmt.Sprint("c", i), "x"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.List(b.Context(), global, registry.View{Locale: "en-US"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpsert measures an overwrite of one of 50 commands.
func BenchmarkUpsert(b *testing.B) {
	d := openWith(b, 64<<20, nil)
	for i := range 50 {
		d.create(b, global, definition(fmt.Sprint("c", i), "x"))
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		d.create(b, global, definition("c7", strconv.Itoa(n)))
	}
}
