package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/registry"
)

func TestOverwrite(t *testing.T) {
	t.Parallel()

	t.Run("replaces all commands and returns them in the given order", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.create(t, global, definition("gone", "x"))
		kept := d.create(t, global, definition("kept", "x"))
		changed := d.create(t, global, definition("changed", "x"))
		got, err := d.Overwrite(t.Context(), global, env(global), []byte(
			`[{"name":"new-b","description":"b"},{"name":"changed","description":"y"},{"name":"kept","description":"x"},{"name":"new-a","description":"a"}]`))
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, c := range got {
			order = append(order, c.Name)
		}
		if !slices.Equal(order, []string{"new-b", "changed", "kept", "new-a"}) {
			t.Errorf("order = %v", order)
		}
		if got[2].ID != kept.ID || got[2].Version != kept.Version {
			t.Errorf("unchanged command: id/version %v/%v, want %v/%v", got[2].ID, got[2].Version, kept.ID, kept.Version)
		}
		if got[1].ID != changed.ID || got[1].Version <= changed.Version {
			t.Errorf("changed command: id/version %v/%v, want id %v and a version larger than %v", got[1].ID, got[1].Version, changed.ID, changed.Version)
		}
		if uint64(got[3].ID) != uint64(got[0].ID)+1 {
			t.Errorf("new ids %v and %v are not consecutive", got[0].ID, got[3].ID)
		}
		if names := d.names(t, global); !slices.Equal(names, []string{"kept", "changed", "new-b", "new-a"}) {
			t.Errorf("list = %v, want ascending ids", names)
		}
	})

	t.Run("an id identifies a command through a rename, also when two swap names", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		a, b := d.create(t, global, definition("a", "x")), d.create(t, global, definition("b", "x"))
		got, err := d.Overwrite(t.Context(), global, env(global), fmt.Appendf(nil,
			`[{"id":"%s","name":"b","description":"x"},{"id":"%s","name":"a","description":"x"}]`, a.ID, b.ID))
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

	t.Run("a list without the entry point is refused and changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.create(t, global, `{"type":4,"name":"Launch","handler":2}`)
		for _, body := range []string{`[]`, `[{"name":"roll","description":"x"}]`} {
			if _, err := d.Overwrite(t.Context(), global, env(global), []byte(body)); !errors.Is(err, registry.ErrEntryPointDropped) {
				t.Errorf("Overwrite(%s) = %v", body, err)
			}
		}
		if names := d.names(t, global); !slices.Equal(names, []string{"Launch"}) {
			t.Errorf("list = %v", names)
		}
	})

	t.Run("a list with too many commands of one type is refused", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		items := make([]string, 16)
		for i := range items {
			items[i] = fmt.Sprintf(`{"type":2,"name":"U %d"}`, i)
		}
		_, err := d.Overwrite(t.Context(), global, env(global), []byte("["+strings.Join(items, ",")+"]"))
		if limit, ok := errors.AsType[*registry.LimitError](err); !ok || limit.Max != 15 {
			t.Errorf("Overwrite() = %v", err)
		}
		if names := d.names(t, global); len(names) != 0 {
			t.Errorf("list = %v", names)
		}
	})
}
