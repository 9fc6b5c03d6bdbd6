package provisional_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

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
	"github.com/go-json-experiment/json"
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

// TestMerge merges a provisional account with a user. The clients of the user are told when the lobbies have moved, and the
// provisional user is deleted.
func TestMerge(t *testing.T) {
	t.Parallel()
	log, now := slog.New(slog.DiscardHandler), clock.System{}
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), now, log)
	if err != nil {
		t.Fatal(err)
	}
	announced := make(chan store.Event, 16)
	db.Subscribe(func(c *store.Change) {
		for _, e := range c.Events {
			if e.Name == "USER_MERGE_OPERATION_COMPLETED" {
				announced <- e
			}
		}
	})
	ids := store.NewIDs(0, now.Now, now.Now())
	dir := directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: ids, Log: log})
	w, err := world.Parse("w.yaml", []byte("users: [{id: '200', username: ada}]\napplications: [{id: '100', name: Game, client_secret: hush}]\n"))
	if err == nil {
		_, err = (&provision.Provisioner{Directory: dir, Clock: now}).Apply(t.Context(), w)
	}
	if err != nil {
		t.Fatal(err)
	}
	moved := make(chan [2]snowflake.User, 16)
	players := provisional.New(provisional.Config{
		Store: db, Directory: dir, Clock: now, Wall: now, IDs: ids, Log: log,
		OAuth: &oauth.Server{Store: db, Clock: now, Wall: now, Directory: dir, Log: log, Issuer: "https://bellhop.example"},
		Transfer: func(_ context.Context, _ snowflake.Application, from, to snowflake.User) error {
			moved <- [2]snowflake.User{from, to}
			return nil
		},
	})
	dir.Removals.Dependents = []directory.Dependent{players}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = players.Run(ctx) }) // it returns nil
	t.Cleanup(func() {
		cancel()
		running.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	token, err := players.SignInNamed(t.Context(), 100, "p", optional.Of("Vex"))
	if err != nil {
		t.Fatal(err)
	}
	merge, err := players.Merge(t.Context(), oauth.Client{ID: "100", Secrets: []string{"hush"}}, "", token.Access.Reveal())
	if err == nil {
		err = store.Decide(t.Context(), db, func(tx *store.Tx) error { return merge(tx, 200) })
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-announced:
		from := <-moved
		var data struct {
			Operation string `json:"merge_operation_id"`
			Source    string `json:"source_user_id"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil || data.Operation == "" || data.Source != from[0].String() || from[1] != 200 {
			t.Errorf("the event is %s, %v; the lobbies moved from %v", e.Data, err, from)
		}
		if !slices.Equal(e.To.Users, []snowflake.User{200}) {
			t.Errorf("the event goes to %+v, want the user", e.To)
		}
		if u, err := dir.Users.User(t.Context(), from[0]); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("the provisional user is %+v, %v", u, err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("waited 30 s for USER_MERGE_OPERATION_COMPLETED")
	}
	linked, err := players.Linked(t.Context(), 200)
	if err != nil || len(linked) != 1 || linked[0].Application != 100 || linked[0].Subject != "p" {
		t.Errorf("the accounts of the user in games are %+v, %v", linked, err)
	}
}
