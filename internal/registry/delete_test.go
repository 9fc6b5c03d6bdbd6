package registry_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// limitedStore accepts a limited number of commits and refuses the rest, like a process that ends. It counts commits.
type limitedStore struct {
	store.Store

	left    atomic.Int32
	commits atomic.Int32
}

var errEnded = errors.New("the process ended")

func (s *limitedStore) Commit(ctx context.Context, c store.Change) error {
	if s.left.Add(-1) < 0 {
		return errEnded
	}
	s.commits.Add(1)
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

// TestDependentRows deletes the records of a deleted application or guild, with restarts in between.
func TestDependentRows(t *testing.T) {
	t.Parallel()
	const one, other snowflake.Application = 1, 2
	for _, tt := range []struct {
		name    string
		remove  func(r *registry.Registry, ctx context.Context) error
		commits int32 // at least
		// the rest of the two applications; each had 20 scopes of 30 commands
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
			for i := range 20 { // fill the cache
				if _, err := d.GuildCommands(t.Context(), one, snowflake.Guild(500+i)); err != nil {
					t.Fatal(err)
				}
			}
			restarts := 0
			for ; restarts < 100; restarts++ {
				limited.left.Store(1) // the process makes one commit and ends
				if err := tt.remove(d.Registry, t.Context()); err == nil {
					break
				} else if !errors.Is(err, errEnded) {
					t.Fatal(err)
				}
			}
			if n := limited.commits.Load(); n < tt.commits {
				t.Errorf("%d commits deleted everything, want at least %d", n, tt.commits)
			}
			scopes, commands, sets := rows(t, d.store, one)
			if scopes != tt.scopes || commands != tt.commands || sets != tt.sets {
				t.Errorf("%d scopes, %d commands and %d sets are left, want %d, %d and %d", scopes, commands, sets, tt.scopes, tt.commands, tt.sets)
			}
			if scopes, _, sets := rows(t, d.store, other); scopes != tt.otherScopes || sets != tt.otherSets {
				t.Errorf("another application has %d scopes and %d sets, want %d and %d", scopes, sets, tt.otherScopes, tt.otherSets)
			}
			left, err := d.GuildCommands(t.Context(), one, 505)
			if gone := len(left.Guild.Commands) == 0; err != nil || gone != (tt.commits > 0) {
				t.Errorf("the cache shows %d commands, %v", len(left.Guild.Commands), err)
			}
		})
	}
}

// TestScopesHaveRows checks that ScopesOf finds a scope, however its first command was created.
func TestScopesHaveRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, d fixture) error
	}{
		{"create", func(t *testing.T, d fixture) error { d.create(t, global, definition("roll", "x")); return nil }},
		{"bulk overwrite", func(t *testing.T, d fixture) error {
			_, err := d.Overwrite(t.Context(), global, env(global), []byte("["+definition("roll", "x")+"]"))
			return err
		}},
		{"entry point", func(t *testing.T, d fixture) error {
			return store.Decide(t.Context(), d.store, func(tx *store.Tx) error {
				return d.AddEntryPoint(tx, store.Application{ID: app, Activities: true})
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
