package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
)

func TestCreate(t *testing.T) {
	t.Parallel()

	t.Run("a new name creates a command whose version follows its id", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c, created, err := d.Create(t.Context(), global, env(global), []byte(definition("roll", "Roll dice")))
		if err != nil || !created {
			t.Fatalf("Create() = %v, %v", created, err)
		}
		if uint64(c.Version) != uint64(c.ID)+1 {
			t.Errorf("id %v has version %v, want the next number", c.ID, c.Version)
		}
	})

	t.Run("the same name, type and scope overwrites", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		first := d.create(t, global, definition("roll", "Roll dice"))
		again, created, err := d.Create(t.Context(), global, env(global), []byte(definition("roll", "Throw dice")))
		if err != nil || created {
			t.Fatalf("Create() = %v, %v, want an overwrite", created, err)
		}
		if again.ID != first.ID || again.Version <= first.Version {
			t.Errorf("overwrote %v/%v with %v/%v, want the same id and a larger version", first.ID, first.Version, again.ID, again.Version)
		}
		for _, other := range []struct {
			scope command.Scope
			body  string
		}{{inGuild, definition("roll", "Roll dice")}, {global, `{"type":2,"name":"roll"}`}} {
			if c := d.create(t, other.scope, other.body); c.ID == first.ID {
				t.Errorf("%s in %v overwrote the global slash command", other.body, other.scope)
			}
		}
	})

	t.Run("the same definition changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		first := d.create(t, global, definition("roll", "Roll dice"))
		again := d.create(t, global, `{"description":"Roll dice","name":"roll","options":[],"nsfw":false,"type":1}`)
		if again.ID != first.ID || again.Version != first.Version {
			t.Errorf("got %v/%v, want %v/%v", again.ID, again.Version, first.ID, first.Version)
		}
	})

	t.Run("concurrent creates of one name create one command", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				_, created, err := d.Create(t.Context(), global, env(global), []byte(definition("roll", fmt.Sprint("Roll ", i))))
				if err != nil {
					t.Error(err)
				}
				if created {
					made.Add(1)
				}
			})
		}
		wg.Wait()
		if names := d.names(t, global); made.Load() != 1 || len(names) != 1 {
			t.Errorf("%d creates made %v", made.Load(), names)
		}
	})
}

func TestPatch(t *testing.T) {
	t.Parallel()

	t.Run("given members replace, absent members stay", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, `{"name":"roll","description":"Roll dice","nsfw":true,"options":[{"type":3,"name":"a","description":"b"}]}`)
		got, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"description":"Throw"}`))
		if err != nil {
			t.Fatal(err)
		}
		def, err := got.Definition()
		if err != nil {
			t.Fatal(err)
		}
		if def.Description != "Throw" || !def.NSFW || len(def.Options) != 1 || got.Version <= c.Version || got.ID != c.ID {
			t.Errorf("Patch() = %+v", def)
		}
	})

	t.Run("permissions 0 of default_permission end with it, also without a cache", func(t *testing.T) {
		t.Parallel()
		for _, scope := range []command.Scope{global, inGuild} {
			d := openWith(t, 1, nil)
			c := d.create(t, scope, `{"name":"roll","description":"Roll dice","default_permission":false}`)
			d.create(t, scope, `{"name":"roll","description":"Roll dice","default_permission":false,"default_member_permissions":"0"}`)
			d.create(t, scope, `{"name":"roll","description":"Roll dice","default_permission":false}`)
			got, err := d.Patch(t.Context(), scope, env(scope), c.ID, []byte(`{"default_permission":true}`))
			if err != nil {
				t.Fatal(err)
			}
			if def, err := got.Definition(); err != nil || def.MemberPermissions != nil {
				t.Errorf("in %v the permissions are %v, %v, want none", scope, def.MemberPermissions, err)
			}
		}
	})

	t.Run("a given 0 stays when default_permission becomes true", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, `{"name":"roll","description":"Roll dice","default_permission":false}`)
		items := `[{"name":"roll","description":"Roll dice","default_permission":false,"default_member_permissions":"0"}]`
		if _, err := d.Overwrite(t.Context(), global, env(global), []byte(items)); err != nil {
			t.Fatal(err)
		}
		got, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"default_permission":true}`))
		if err != nil {
			t.Fatal(err)
		}
		if def, err := got.Definition(); err != nil || def.MemberPermissions == nil {
			t.Errorf("the permissions are %v, %v, want 0", def.MemberPermissions, err)
		}
	})

	t.Run("an empty patch changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		got, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{}`))
		if err != nil || got.Version != c.Version {
			t.Errorf("Patch({}) = %v, %v, want version %v", got, err, c.Version)
		}
	})

	t.Run("a name that another command has is refused", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		d.create(t, global, definition("toss", "x"))
		if _, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"name":"toss"}`)); !errors.Is(err, registry.ErrNameTaken) {
			t.Errorf("Patch() = %v, want ErrNameTaken", err)
		}
		if _, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"name":"roll"}`)); err != nil {
			t.Errorf("Patch() with its own name = %v", err)
		}
	})

	t.Run("concurrent edits of different members all take effect", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		edits := []string{`{"description":"new"}`, `{"nsfw":true}`, `{"default_member_permissions":"32"}`, `{"name_localizations":{"de":"würfeln"}}`}
		var wg sync.WaitGroup
		for _, e := range edits {
			wg.Go(func() {
				if _, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(e)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := d.Command(t.Context(), global, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"new"`, `"nsfw":true`, `"32"`, `würfeln`} {
			if !strings.Contains(string(got.Doc), want) {
				t.Errorf("%s is lost: %s", want, got.Doc)
			}
		}
	})
}

func TestPermissionSetsDeletedWithCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, d fixture, c *command.Command) error
		kept bool
	}{
		{"deleted with it", func(t *testing.T, d fixture, c *command.Command) error {
			return d.Delete(t.Context(), global, c.ID)
		}, false},
		{"deleted by a rename", func(t *testing.T, d fixture, c *command.Command) error {
			_, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"name":"toss"}`))
			return err
		}, false},
		{"deleted by an overwrite that drops it", func(t *testing.T, d fixture, _ *command.Command) error {
			_, err := d.Overwrite(t.Context(), global, env(global), []byte(`[]`))
			return err
		}, false},
		{"deleted by an overwrite that renames it", func(t *testing.T, d fixture, c *command.Command) error {
			_, err := d.Overwrite(t.Context(), global, env(global), fmt.Appendf(nil, `[{"id":"%s","name":"toss","description":"x"}]`, c.ID))
			return err
		}, false},
		{"kept by an edit", func(t *testing.T, d fixture, c *command.Command) error {
			_, err := d.Patch(t.Context(), global, env(global), c.ID, []byte(`{"description":"y"}`))
			return err
		}, true},
		{"kept by an upsert of the same name", func(t *testing.T, d fixture, _ *command.Command) error {
			_, _, err := d.Create(t.Context(), global, env(global), []byte(definition("roll", "y")))
			return err
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.create(t, global, definition("roll", "x"))
			set := store.OverwriteSet{Guild: guild, Application: app, ID: c.ID, Entries: []store.OverwriteEntry{{ID: 5, Type: 1, Allow: true}}}
			if err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error { return tx.Put(set) }); err != nil {
				t.Fatal(err)
			}
			if err := tt.do(t, d, c); err != nil {
				t.Fatal(err)
			}
			var sets []store.OverwriteSet
			err := d.store.Read(t.Context(), func(r store.Reader) (err error) {
				sets, err = r.Commands.Overwrites(app, guild)
				return err
			})
			if err != nil || (len(sets) == 1) != tt.kept {
				t.Errorf("%d sets left, %v, want kept %v", len(sets), err, tt.kept)
			}
		})
	}
}
