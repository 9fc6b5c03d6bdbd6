package registry_test

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
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

// fixture is a registry over its own store.
type fixture struct {
	*registry.Registry
	store store.Store
	clock *clock.Movable
}

func open(t *testing.T) fixture { return openWith(t, 64<<20, nil) }

// openWith opens a registry with a cache of the given size. wrap may replace the store that the registry sees; nil
// keeps it.
func openWith(t testing.TB, cacheBytes int, wrap func(store.Store) store.Store) fixture {
	t.Helper()
	var s store.Store
	s, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
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
	ids := store.NewIDs(1, now.Now, time.Time{})
	return fixture{registry.New(cache.New(kept, cacheBytes), now, ids), s, now}
}

func env(s command.Scope) command.Env {
	return command.Env{Guild: !s.Global(), Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}
}

func definition(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q}`, name, description)
}

func (d fixture) create(t testing.TB, s command.Scope, body string) *command.Command {
	t.Helper()
	c, _, err := d.Create(t.Context(), s, env(s), []byte(body))
	if err != nil {
		t.Fatalf("Create(%s) = %v", body, err)
	}
	return c
}

// names returns the names in the JSON list of a scope.
func (d fixture) names(t *testing.T, s command.Scope) []string {
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
	if _, err := d.Overwrite(t.Context(), global, off, []byte(`[{"name":"roll","description":"x"}]`)); err != nil {
		t.Errorf("Overwrite() = %v: a list need not contain a hidden entry point", err)
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
		for range 2 { // the second time from the cache
			body, err := d.List(t.Context(), global, tt.view)
			if err != nil || !strings.Contains(string(body), tt.want) || strings.Contains(string(body), tt.not) {
				t.Errorf("List(%+v) = %s, %v", tt.view, body, err)
			}
		}
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.create(t, global, definition("roll", "x"))
	if err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error { tx.Clear(); return nil }); err != nil {
		t.Fatal(err)
	}
	if names := d.names(t, global); len(names) != 0 {
		t.Errorf("list = %v after everything was cleared", names)
	}
	d.create(t, global, definition("toss", "x"))
	if names := d.names(t, global); !slices.Equal(names, []string{"toss"}) {
		t.Errorf("list = %v", names)
	}
}

func TestUnknownCommand(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.create(t, global, definition("roll", "x"))
	for name, err := range map[string]error{
		"other scope": func() error { _, err := d.Command(t.Context(), inGuild, c.ID); return err }(),
		"patch":       func() error { _, err := d.Patch(t.Context(), global, env(global), 5, []byte(`{}`)); return err }(),
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
