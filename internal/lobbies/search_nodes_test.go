package lobbies_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

// onPostgres runs the service on two nodes that share a PostgreSQL server, and stops the service of h.
func (h *harness) onPostgres(t *testing.T) (a, b *node) {
	t.Helper()
	engines.Need(t, "postgres")
	server, err := engines.StartPostgres(t.Context(), engines.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.stop = func() {}
	open := func() *postgres.DB {
		db, err := postgres.Open(t.Context(), url, clock.System{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
	db := open()
	err = store.Decide(t.Context(), db, func(tx *store.Tx) error {
		return tx.Put(store.User{ID: ada, Username: "ada"}, store.Application{ID: game, Owner: ada, LobbySearch: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	return h.node(t, db, lobbies.Settings{}), h.node(t, open(), lobbies.Settings{})
}

// all returns the ids of all lobbies that a node finds, and those that are in the store.
func (n *node) all(t *testing.T) (found, stored []snowflake.Lobby) {
	t.Helper()
	type find func(context.Context, snowflake.Application, *lobby.Filter, snowflake.Lobby, int) (lobbies.Page, error)
	for i, fn := range []find{n.Search.Find, n.Search.Scan} {
		page, err := fn(t.Context(), game, &lobby.Filter{}, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range page.Found {
			if i == 0 {
				found = append(found, l.ID)
			} else {
				stored = append(stored, l.ID)
			}
		}
	}
	return found, stored
}

// TestSearchOnNodes verifies that a node finds each change of another node that was acknowledged before, in its memory.
func TestSearchOnNodes(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	a, b := h.onPostgres(t)
	var made []snowflake.Lobby
	create := func(n int) {
		t.Helper()
		st, err := a.Create(t.Context(), game, body(t, fmt.Sprintf(`{"metadata":{"n":"%d"}}`, n)))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, st.ID)
	}
	for n := range 20 {
		create(n)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if found, stored := b.all(t); !slices.Equal(found, made) || !slices.Equal(stored, made) {
			t.Fatalf("found %v, stored %v, want %v", found, stored, made)
		}
		if loaded, _ := b.Search.Loaded(game); loaded {
			break
		}
		if time.Now().After(end) {
			t.Fatal("waited 30 s for the lobbies in memory")
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same order in each run
	for n := range 60 {
		switch at := random.IntN(len(made)); n % 4 {
		case 0, 1:
			create(n)
		case 2:
			if err := a.Delete(t.Context(), game, made[at]); err != nil {
				t.Fatal(err)
			}
			made = slices.Delete(made, at, at+1)
		default:
			if _, err := a.Edit(t.Context(), game, made[at], body(t, fmt.Sprintf(`{"metadata":{"edited":"%d"}}`, n))); err != nil {
				t.Fatal(err)
			}
			f := lobby.Filter{Equal: []lobby.Match{{Key: "edited", Value: strconv.Itoa(n)}}}
			page, err := b.Search.Find(t.Context(), game, &f, 0, 10)
			if err != nil || len(page.Found) != 1 || page.Found[0].ID != made[at] {
				t.Fatalf("round %d: found %+v, %v, want the lobby that was edited", n, page.Found, err)
			}
		}
		if found, _ := b.all(t); !slices.Equal(found, made) {
			t.Fatalf("round %d: found %v, want %v", n, found, made)
		}
	}
	if loaded, _ := b.Search.Loaded(game); !loaded {
		t.Error("the lobbies left the memory")
	}
}
