package provision_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

// largeWorld returns a world file that is applied in parts, because it has many blanks.
func largeWorld(users, members int) string {
	list := func(n int, item string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(item, 1000+i) + strings.Repeat(" ", 600)
		}
		return strings.Join(all, ",\n")
	}
	return `{"users": [` + list(users, `{"id": "%d", "username": "u"}`) + `], "applications": [{"id": "100", "name": "Echo"}],
"guilds": [{"id": "300", "roles": [{"id": "301"}], "installs": [{"application": "100", "scopes": ["bot"], "permissions": "8"}],
"channels": [{"id": "310", "permission_overwrites": [{"id": "2900", "type": 1}]}],
"members": [` + list(members, `{"user": "%d", "roles": ["301"]}`) + `]}]}`
}

func openWorld(t *testing.T, text string) *world.File {
	t.Helper()
	f, err := world.Open("world.json", []byte(text))
	if err != nil || f.Whole() != nil {
		t.Fatalf("Open() = %v, %v, want a large file", f, err)
	}
	return f
}

func TestApplyLargeFile(t *testing.T) {
	t.Parallel()
	text := largeWorld(2000, 2000)
	d, whole := open(t), open(t)
	var done, all int
	applied, err := d.ApplyFile(t.Context(), openWorld(t, text), func(n, of int) { done, all = n, of })
	if err != nil {
		t.Fatal(err)
	}
	if len(applied.UserTokens) != 0 || len(applied.BotTokens) != 1 || len(applied.ClientSecrets) != 1 {
		t.Errorf("ApplyFile() made %d user tokens, %d bot tokens, %d secrets, want 0, 1, 1",
			len(applied.UserTokens), len(applied.BotTokens), len(applied.ClientSecrets))
	}
	if done != all || all != 4005 {
		t.Errorf("progress = %d of %d, want 4005 of 4005", done, all)
	}
	whole.ApplyText(t, strings.ReplaceAll(text, strings.Repeat(" ", 600), ""))
	if diff := cmp.Diff(whole.export(t), d.export(t)); diff != "" {
		t.Errorf("applied as a whole (-) and in parts (+):\n%s", diff)
	}
	again, err := d.ApplyFile(t.Context(), openWorld(t, text), func(int, int) {})
	if err != nil || again.Changed != 0 {
		t.Errorf("ApplyFile() again = %d changes, %v, want none", again.Changed, err)
	}
}

// failingStore fails all commits after a number of them.
type failingStore struct {
	store.Store

	left atomic.Int64
}

var errBroken = errors.New("broken off")

func (s *failingStore) Commit(ctx context.Context, c store.Change) error {
	if s.left.Add(-1) < 0 {
		return errBroken
	}
	return s.Store.Commit(ctx, c)
}

func TestBrokenOffImportCanBeRepeated(t *testing.T) {
	t.Parallel()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	failing := &failingStore{Store: db}
	failing.left.Store(4)
	d, want := newFixture(failing), open(t)
	text := largeWorld(2000, 2000)
	if _, err := d.ApplyFile(t.Context(), openWorld(t, text), func(int, int) {}); !errors.Is(err, errBroken) {
		t.Fatalf("ApplyFile() = %v, want the error of the store", err)
	}
	if users := len(d.export(t).Users); users == 0 {
		t.Error("no part was stored before the failure")
	}
	failing.left.Store(1000)
	if _, err := d.ApplyFile(t.Context(), openWorld(t, text), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := want.ApplyFile(t.Context(), openWorld(t, text), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.export(t), d.export(t)); diff != "" {
		t.Errorf("applied once (-) and repeated (+):\n%s", diff)
	}
}

func TestFaultyLargeFileChangesNothing(t *testing.T) {
	t.Parallel()
	d := open(t)
	_, err := d.ApplyFile(t.Context(), openWorld(t, largeWorld(2000, 2001)), func(int, int) {})
	want := "guilds.0.members.2000.user: There is no user and no bot 3000."
	if _, ok := errors.AsType[*world.FileError](err); !ok || !strings.Contains(err.Error(), want) {
		t.Errorf("ApplyFile() = %v, want %s", err, want)
	}
	if w := d.export(t); len(w.Users) != 0 {
		t.Errorf("%d users were stored", len(w.Users))
	}
}
