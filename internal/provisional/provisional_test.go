package provisional_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// TestRemoval deletes provisional users with their application, and gives a new user to a player whose user an operator has
// deleted.
func TestRemoval(t *testing.T) {
	t.Parallel()
	log, now := slog.New(slog.DiscardHandler), clock.System{}
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), now, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ids := store.NewIDs(0, now.Now, now.Now())
	dir := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: ids, Log: log})
	w, err := world.Parse("w.yaml", []byte("users: [{id: '200', username: ada}]\napplications: [{id: '100', name: Game}]\n"))
	if err == nil {
		_, err = (&provision.Provisioner{Directory: dir, Clock: now}).Apply(t.Context(), w)
	}
	if err != nil {
		t.Fatal(err)
	}
	players := provisional.New(provisional.Config{
		Store: db, Directory: dir, Clock: now, Wall: now, IDs: ids, Log: log,
		OAuth:    &oauth.Server{Store: db, Clock: now, Wall: now, Directory: dir, Log: log, Issuer: "https://bellhop.example"},
		Transfer: func(context.Context, snowflake.Application, snowflake.User, snowflake.User) error { return nil },
	})
	dir.Removals.Dependents = []directory.Dependent{players}
	userOf := func() snowflake.User {
		t.Helper()
		if _, err := players.SignInNamed(t.Context(), 100, "p", optional.Of("Vex")); err != nil {
			t.Fatal(err)
		}
		var found store.Identity
		err := db.Read(t.Context(), func(r store.Reader) (err error) {
			found, err = r.Identities.Identity(store.IdentityHash(100, provisional.DiscordBot, "", "p"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found.User
	}
	first := userOf()
	if u, err := dir.Users.User(t.Context(), first); err != nil || u.Provisional != 100 || u.GlobalName != "Vex" {
		t.Errorf("the user is %+v, %v", u, err)
	}
	if again := userOf(); again != first {
		t.Errorf("the second sign-in made user %s, want %s", again, first)
	}
	if err := dir.Users.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	next := userOf()
	if next == first {
		t.Error("the deleted user signs in")
	}
	if err := dir.Applications.Delete(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if u, err := dir.Users.User(t.Context(), next); !errors.Is(err, directory.ErrUnknownUser) {
		t.Errorf("the application was deleted, and its user is %+v, %v", u, err)
	}
}
