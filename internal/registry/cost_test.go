package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
)

// measuredStore counts calls and records the last change.
type measuredStore struct {
	store.Store

	reads, commits, revisions int
	last                      store.Change
}

func (s *measuredStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.reads++
	return s.Store.Read(ctx, fn)
}

func (s *measuredStore) Load(ctx context.Context, of store.Subject, fn func(store.Reader) error) (uint64, error) {
	s.reads++
	return s.Store.Load(ctx, of, fn)
}

func (s *measuredStore) Commit(ctx context.Context, c store.Change) error {
	s.commits++
	s.last = c
	return s.Store.Commit(ctx, c)
}

func (s *measuredStore) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	s.revisions++
	return s.Store.Revisions(ctx, subjects...)
}

// TestCost checks how many store calls a request makes when the cache is warm.
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
			_, err := d.Patch(t.Context(), inGuild, env(inGuild), c.ID, []byte(`{"description":"z"}`))
			return err
		}, 0, 1, 1, 1},
		{"rename", func() error {
			_, err := d.Patch(t.Context(), inGuild, env(inGuild), c.ID, []byte(`{"name":"throw"}`))
			return err
		}, 2, 1, 1, 1},
		{"delete", func() error { return d.Delete(t.Context(), inGuild, c.ID) }, 2, 1, 3, 2}, // the scope, its deletions, the sets; with the number of commands
		{"list after writes", func() error { d.names(t, inGuild); return nil }, 0, 0, 0, 0},
	} {
		measured.reads, measured.commits, measured.revisions, measured.last = 0, 0, 0, store.Change{}
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := []int{measured.reads, measured.commits, len(measured.last.Expect), len(measured.last.Put) + len(measured.last.Delete), measured.revisions}
		if want := []int{tt.reads, tt.commits, tt.subjects, tt.records, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: reads, commits, subjects, records and revision queries are %v, want %v", tt.name, got, want)
		}
	}
}

// BenchmarkList measures a cached list.
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
