package manage_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
)

const lab = `
users: [{id: "200", username: ada}, {id: "201", username: "202"}, {id: "202", username: bob}]
guilds:
  - {id: "300", name: Lab, owner: "200", everyone: "1024", members: [{user: "200"}], channels: [{id: "310", name: general}]}
  - {id: "301", name: Lab/annex, owner: "200", channels: [{id: "311", name: general}]}
`

// newFinder returns a finder in the world of lab.
func newFinder(t *testing.T) manage.Finder {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.System{}
	d := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: store.NewIDs(0, now.Now, time.Time{})})
	w, err := world.Parse("lab.yaml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&provision.Provisioner{Directory: d, Clock: now}).Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	return manage.Finder{Directory: d}
}

// TestFinder finds users and channels by id and by name. An id comes before a name.
func TestFinder(t *testing.T) {
	t.Parallel()
	find := newFinder(t)
	for text, want := range map[string]string{"200": "200", "ada": "200", "202": "202", "bob": "202", "eve": "", "299": ""} {
		u, err := find.User(t.Context(), text)
		switch {
		case want == "" && !errors.Is(err, directory.ErrUnknownUser):
			t.Errorf("User(%s) = %v, %v, want none", text, u, err)
		case want != "" && (err != nil || u.ID.String() != want):
			t.Errorf("User(%s) = %v, %v, want %s", text, u, err, want)
		}
	}
	for text, want := range map[string]string{"310": "310", "Lab/general": "310", "Lab/annex/general": "311", "Lab/lounge": "", "general": "", "399": ""} {
		id, err := find.Channel(t.Context(), text)
		switch {
		case want == "" && !errors.Is(err, directory.ErrUnknownChannel):
			t.Errorf("Channel(%s) = %v, %v, want none", text, id, err)
		case want != "" && (err != nil || id.String() != want):
			t.Errorf("Channel(%s) = %v, %v, want %s", text, id, err, want)
		}
	}
}

// TestFinderDefault chooses a user and a channel.
func TestFinderDefault(t *testing.T) {
	t.Parallel()
	find := newFinder(t)
	if _, _, err := find.Default(t.Context(), 201); !errors.Is(err, directory.ErrUnknownChannel) {
		t.Errorf("Default() of a user in no guild = %v, want %v", err, directory.ErrUnknownChannel)
	}
	if _, err := find.User(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	user, channel, err := find.Default(t.Context(), 0)
	if err != nil || user != 200 || channel != 310 {
		t.Errorf("Default() = %v, %v, %v, want 200, 310", user, channel, err)
	}
}
