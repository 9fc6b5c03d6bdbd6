package registry_test

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	app   = snowflake.Application(1300000000000000001)
	guild = snowflake.Guild(1200000000000000001)
)

var (
	global  = command.Scope{Application: app}
	inGuild = command.Scope{Application: app, Guild: guild}
)

// desk is a registry on a store of its own.
type desk struct {
	*registry.Registry
	store store.Store
	clock *clock.Movable
}

func open(t *testing.T) desk { return openWith(t, registry.DefaultCacheBytes, nil) }

// openWith opens a registry with a bounded cache over a store that wrap may stand in front of.
func openWith(t *testing.T, cacheBytes int, wrap func(store.Store) store.Store) desk {
	t.Helper()
	var s store.Store
	s, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	kept := s
	if wrap != nil {
		kept = wrap(s)
	}
	now := clock.NewMovable(clock.System{})
	ids := snowflake.NewGenerator(1, now.Now, time.Time{})
	return desk{registry.New(kept, now, ids, cacheBytes), s, now}
}

func env(s command.Scope) command.Env {
	return command.Env{Guild: !s.Global(), Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}
}

func value(t *testing.T, text string) form.Value {
	t.Helper()
	v, err := form.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func definition(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q}`, name, description)
}

func (d desk) create(t *testing.T, s command.Scope, body string) *command.Command {
	t.Helper()
	c, _, err := d.Create(t.Context(), s, env(s), value(t, body))
	if err != nil {
		t.Fatalf("Create(%s) = %v", body, err)
	}
	return c
}

// names lists a scope through its wire form.
func (d desk) names(t *testing.T, s command.Scope) []string {
	t.Helper()
	body, err := d.List(t.Context(), s, registry.View{Locale: "en-US"})
	if err != nil {
		t.Fatalf("List() = %v", err)
	}
	var list []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("List() = %s: %v", body, err)
	}
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Name
	}
	return names
}

func TestCreate(t *testing.T) {
	t.Parallel()

	t.Run("a new name makes a command whose version follows its id", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c, created, err := d.Create(t.Context(), global, env(global), value(t, definition("roll", "Roll dice")))
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
		again, created, err := d.Create(t.Context(), global, env(global), value(t, definition("roll", "Throw dice")))
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

	t.Run("many creates of one name at once make one command", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				_, created, err := d.Create(t.Context(), global, env(global), value(t, definition("roll", fmt.Sprint("Roll ", i))))
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

func TestCountLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule  string
		scope command.Scope
		body  string
		max   int
	}{
		{"global CHAT_INPUT commands: 100", global, `{"name":"c%d","description":"x"}`, 100},
		{"global USER commands: 15", global, `{"type":2,"name":"C %d"}`, 15},
		{"global MESSAGE commands: 15", global, `{"type":3,"name":"C %d"}`, 15},
		{"guild CHAT_INPUT commands: 100", inGuild, `{"name":"c%d","description":"x"}`, 100},
		{"guild USER commands: 15", inGuild, `{"type":2,"name":"C %d"}`, 15},
		{"guild MESSAGE commands: 15", inGuild, `{"type":3,"name":"C %d"}`, 15},
	} {
		t.Run(tt.rule+" exact under concurrency", func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var made, refused atomic.Int32
			var wg sync.WaitGroup
			for i := range tt.max + 20 {
				wg.Go(func() {
					_, _, err := d.Create(t.Context(), tt.scope, env(tt.scope), value(t, fmt.Sprintf(tt.body, i)))
					limit, limited := errors.AsType[*command.LimitError](err)
					switch {
					case err == nil:
						made.Add(1)
					case limited && limit.Max == tt.max:
						refused.Add(1)
					default:
						t.Errorf("Create() = %v", err)
					}
				})
			}
			wg.Wait()
			if int(made.Load()) != tt.max || refused.Load() != 20 || len(d.names(t, tt.scope)) != tt.max {
				t.Errorf("%d made, %d refused, %d listed", made.Load(), refused.Load(), len(d.names(t, tt.scope)))
			}
			// At the cap an overwrite is still fine.
			var kept int
			if _, err := fmt.Sscan(strings.TrimLeft(d.names(t, tt.scope)[0], "cC "), &kept); err != nil {
				t.Fatal(err)
			}
			d.create(t, tt.scope, strings.Replace(fmt.Sprintf(tt.body, kept), "}", `,"nsfw":true}`, 1))
		})
	}
}

func TestDailyCreates(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T, d desk, s command.Scope, n, round int) error {
		t.Helper()
		items := make([]string, n)
		for i := range items {
			items[i] = definition(fmt.Sprintf("c%d-%d", round, i), "x")
		}
		_, err := d.Overwrite(t.Context(), s, env(s), value(t, "["+strings.Join(items, ",")+"]"))
		return err
	}

	t.Run("200 a day per scope, then refused until the day is over", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for round := range 2 {
			if err := fill(t, d, inGuild, 100, round); err != nil {
				t.Fatal(err)
			}
		}
		quota, ok := errors.AsType[*command.QuotaError](fill(t, d, inGuild, 1, 9))
		if !ok || quota.Max != 200 || quota.RetryAfter <= 23*time.Hour || quota.RetryAfter > 24*time.Hour {
			t.Fatalf("create 201 = %+v", quota)
		}
		if got := d.names(t, inGuild); len(got) != 100 || got[0] != "c1-0" {
			t.Errorf("a refused overwrite left %v", got)
		}
		if err := fill(t, d, global, 100, 0); err != nil {
			t.Errorf("another scope has its own day, got %v", err)
		}
		// What exists does not count.
		d.create(t, inGuild, definition("c1-0", "changed"))
		d.clock.Advance(24 * time.Hour)
		if err := fill(t, d, inGuild, 100, 3); err != nil {
			t.Errorf("a day later = %v", err)
		}
	})

	t.Run("exact under concurrency", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for round, n := range []int{100, 50} {
			if err := fill(t, d, inGuild, n, round); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.Overwrite(t.Context(), inGuild, env(inGuild), value(t, "[]")); err != nil {
			t.Fatal(err)
		}
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 90 {
			wg.Go(func() {
				if _, _, err := d.Create(t.Context(), inGuild, env(inGuild), value(t, definition(fmt.Sprint("n", i), "x"))); err == nil {
					made.Add(1)
				}
			})
		}
		wg.Wait()
		if made.Load() != 50 {
			t.Errorf("%d creates passed, want the 50 that were left", made.Load())
		}
	})

	t.Run("deletes give nothing back", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for i := range 200 {
			c := d.create(t, global, definition(fmt.Sprint("c", i), "x"))
			if err := d.Delete(t.Context(), global, c.ID); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := d.Create(t.Context(), global, env(global), value(t, definition("one-more", "x")))
		if _, ok := errors.AsType[*command.QuotaError](err); !ok {
			t.Errorf("create 201 = %v", err)
		}
	})
}

func TestPatch(t *testing.T) {
	t.Parallel()

	t.Run("what is given replaces, what is absent stays", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, `{"name":"roll","description":"Roll dice","nsfw":true,"options":[{"type":3,"name":"a","description":"b"}]}`)
		got, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"description":"Throw"}`))
		if err != nil {
			t.Fatal(err)
		}
		def, err := command.ParseDoc(got.Doc)
		if err != nil {
			t.Fatal(err)
		}
		if def.Description != "Throw" || !def.NSFW || len(def.Options) != 1 || got.Version <= c.Version || got.ID != c.ID {
			t.Errorf("Patch() = %+v", def)
		}
	})

	t.Run("nothing given changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		got, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{}`))
		if err != nil || got.Version != c.Version {
			t.Errorf("Patch({}) = %v, %v, want version %v", got, err, c.Version)
		}
	})

	t.Run("a name that another command has is refused", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		d.create(t, global, definition("toss", "x"))
		if _, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"name":"toss"}`)); !errors.Is(err, registry.ErrNameTaken) {
			t.Errorf("Patch() = %v, want ErrNameTaken", err)
		}
		if _, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"name":"roll"}`)); err != nil {
			t.Errorf("Patch() with its own name = %v", err)
		}
	})

	t.Run("edits of different members at once all take effect", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		c := d.create(t, global, definition("roll", "x"))
		edits := []string{`{"description":"new"}`, `{"nsfw":true}`, `{"default_member_permissions":"32"}`, `{"name_localizations":{"de":"würfeln"}}`}
		var wg sync.WaitGroup
		for _, e := range edits {
			wg.Go(func() {
				if _, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, e)); err != nil {
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

func TestPermissionSetsGoWithTheCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, d desk, c *command.Command) error
		kept bool
	}{
		{"deleted with it", func(t *testing.T, d desk, c *command.Command) error {
			return d.Delete(t.Context(), global, c.ID)
		}, false},
		{"deleted by a rename", func(t *testing.T, d desk, c *command.Command) error {
			_, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"name":"toss"}`))
			return err
		}, false},
		{"deleted by an overwrite that drops it", func(t *testing.T, d desk, _ *command.Command) error {
			_, err := d.Overwrite(t.Context(), global, env(global), value(t, `[]`))
			return err
		}, false},
		{"deleted by an overwrite that renames it", func(t *testing.T, d desk, c *command.Command) error {
			_, err := d.Overwrite(t.Context(), global, env(global), value(t, fmt.Sprintf(`[{"id":"%s","name":"toss","description":"x"}]`, c.ID)))
			return err
		}, false},
		{"kept by an edit", func(t *testing.T, d desk, c *command.Command) error {
			_, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"description":"y"}`))
			return err
		}, true},
		{"kept by an upsert of the same name", func(t *testing.T, d desk, _ *command.Command) error {
			_, _, err := d.Create(t.Context(), global, env(global), value(t, definition("roll", "y")))
			return err
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.create(t, global, definition("roll", "x"))
			set := store.OverwriteSet{Guild: guild, Application: app, ID: c.ID, Entries: []store.OverwriteEntry{{ID: 5, Type: 1, Allow: true}}}
			if err := d.store.Update(t.Context(), func(tx store.Tx) error { return tx.PutOverwrites(set) }); err != nil {
				t.Fatal(err)
			}
			if err := tt.do(t, d, c); err != nil {
				t.Fatal(err)
			}
			var sets []store.OverwriteSet
			err := d.store.View(t.Context(), func(r store.Reader) (err error) {
				sets, err = r.Overwrites(app, guild)
				return err
			})
			if err != nil || (len(sets) == 1) != tt.kept {
				t.Errorf("%d sets left, %v, want kept %v", len(sets), err, tt.kept)
			}
		})
	}
}

func TestOverwrite(t *testing.T) {
	t.Parallel()

	t.Run("replaces the list and answers in the order given", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.create(t, global, definition("gone", "x"))
		kept := d.create(t, global, definition("kept", "x"))
		changed := d.create(t, global, definition("changed", "x"))
		got, err := d.Overwrite(t.Context(), global, env(global), value(t,
			`[{"name":"new-b","description":"b"},{"name":"changed","description":"y"},{"name":"kept","description":"x"},{"name":"new-a","description":"a"}]`))
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, c := range got {
			order = append(order, c.Name)
		}
		if !slices.Equal(order, []string{"new-b", "changed", "kept", "new-a"}) {
			t.Errorf("answered %v", order)
		}
		if got[2].ID != kept.ID || got[2].Version != kept.Version {
			t.Errorf("what did not change got %v/%v, want %v/%v", got[2].ID, got[2].Version, kept.ID, kept.Version)
		}
		if got[1].ID != changed.ID || got[1].Version <= changed.Version {
			t.Errorf("what changed got %v/%v, want id %v and a larger version than %v", got[1].ID, got[1].Version, changed.ID, changed.Version)
		}
		if uint64(got[3].ID) != uint64(got[0].ID)+1 {
			t.Errorf("new ids %v and %v are no run", got[0].ID, got[3].ID)
		}
		if names := d.names(t, global); !slices.Equal(names, []string{"kept", "changed", "new-b", "new-a"}) {
			t.Errorf("list = %v, want ascending ids", names)
		}
	})

	t.Run("an id keeps a command's identity through a rename, also two that swap names", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		a, b := d.create(t, global, definition("a", "x")), d.create(t, global, definition("b", "x"))
		got, err := d.Overwrite(t.Context(), global, env(global), value(t, fmt.Sprintf(
			`[{"id":"%s","name":"b","description":"x"},{"id":"%s","name":"a","description":"x"}]`, a.ID, b.ID)))
		if err != nil {
			t.Fatal(err)
		}
		if got[0].ID != a.ID || got[0].Name != "b" || got[1].ID != b.ID || got[1].Name != "a" {
			t.Errorf("Overwrite() = %v %v, %v %v", got[0].ID, got[0].Name, got[1].ID, got[1].Name)
		}
		if names := d.names(t, global); !slices.Equal(names, []string{"b", "a"}) {
			t.Errorf("list = %v", names)
		}
	})

	t.Run("one that would drop the entry point is refused and changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.create(t, global, `{"type":4,"name":"Launch","handler":2}`)
		for _, body := range []string{`[]`, `[{"name":"roll","description":"x"}]`} {
			if _, err := d.Overwrite(t.Context(), global, env(global), value(t, body)); !errors.Is(err, registry.ErrEntryPointDropped) {
				t.Errorf("Overwrite(%s) = %v", body, err)
			}
		}
		if names := d.names(t, global); !slices.Equal(names, []string{"Launch"}) {
			t.Errorf("list = %v", names)
		}
	})

	t.Run("too many of one type is refused whole", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		items := make([]string, 16)
		for i := range items {
			items[i] = fmt.Sprintf(`{"type":2,"name":"U %d"}`, i)
		}
		_, err := d.Overwrite(t.Context(), global, env(global), value(t, "["+strings.Join(items, ",")+"]"))
		if limit, ok := errors.AsType[*command.LimitError](err); !ok || limit.Max != 15 {
			t.Errorf("Overwrite() = %v", err)
		}
		if names := d.names(t, global); len(names) != 0 {
			t.Errorf("list = %v", names)
		}
	})
}

func TestEntryPointHiddenWithoutActivities(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.create(t, global, `{"type":4,"name":"Launch","handler":2}`)
	off := env(global)
	off.Embedded = false
	body, err := d.List(t.Context(), global, registry.View{Locale: "de", NoEntryPoint: true})
	if err != nil || string(body) != "[]" {
		t.Errorf("List() = %s, %v, want an empty list", body, err)
	}
	if _, err := d.Overwrite(t.Context(), global, off, value(t, `[{"name":"roll","description":"x"}]`)); err != nil {
		t.Errorf("Overwrite() = %v: what is hidden need not be named", err)
	}
	if names := d.names(t, global); !slices.Equal(names, []string{"Launch", "roll"}) {
		t.Errorf("list with activities on again = %v", names)
	}
}

func TestListLanguages(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.create(t, global, `{"name":"roll","description":"x","name_localizations":{"de":"würfeln"}}`)
	for _, tt := range []struct {
		view registry.View
		want string
		not  string
	}{
		{registry.View{Locale: "de"}, `"name_localized":"würfeln"`, "name_localizations"},
		{registry.View{Locale: "fr"}, `"name":"roll"`, "würfeln"},
		{registry.View{Localizations: true}, `"name_localizations":{"de":"würfeln"}`, "name_localized"},
	} {
		for range 2 { // made, then remembered
			body, err := d.List(t.Context(), global, tt.view)
			if err != nil || !strings.Contains(string(body), tt.want) || strings.Contains(string(body), tt.not) {
				t.Errorf("List(%+v) = %s, %v", tt.view, body, err)
			}
		}
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		forget func(d desk)
	}{
		{"one scope", func(d desk) { d.Forget(global) }},
		{"all", func(d desk) { d.ForgetAll() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.create(t, global, definition("roll", "x"))
			if err := d.store.Update(t.Context(), func(tx store.Tx) error { return tx.Clear() }); err != nil {
				t.Fatal(err)
			}
			tt.forget(d)
			if names := d.names(t, global); len(names) != 0 {
				t.Errorf("list = %v after everything was cleared", names)
			}
			d.create(t, global, definition("toss", "x"))
			if names := d.names(t, global); !slices.Equal(names, []string{"toss"}) {
				t.Errorf("list = %v", names)
			}
		})
	}
}

func TestUnknownCommand(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.create(t, global, definition("roll", "x"))
	for name, err := range map[string]error{
		"other scope": func() error { _, err := d.Command(t.Context(), inGuild, c.ID); return err }(),
		"patch":       func() error { _, err := d.Patch(t.Context(), global, env(global), 5, value(t, `{}`)); return err }(),
		"delete":      d.Delete(t.Context(), inGuild, c.ID),
	} {
		if !errors.Is(err, registry.ErrUnknownCommand) {
			t.Errorf("%s = %v, want ErrUnknownCommand", name, err)
		}
	}
	if err := d.Delete(t.Context(), global, c.ID); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), global, c.ID); !errors.Is(err, registry.ErrUnknownCommand) {
		t.Errorf("second delete = %v, want ErrUnknownCommand", err)
	}
}
