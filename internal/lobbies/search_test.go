package lobbies_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestReadFilter verifies what a search refuses.
func TestReadFilter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query string
		ok    bool
	}{
		{"metadata[map]=dust&min[level]=1.5&max[level]=9&free=2&limit=5", true},
		{"min[level]=low", false},
		{"min[level]=NaN", false},
		{"max[level]=1e999", false},
		{"metadata[a]=1&metadata[a]=2", false},
		{"range[a]=1", false},
		{"free=-1", false},
		{"free=1001", false},
	} {
		q, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		var problems jsonbody.Tree
		lobby.ReadFilter(&problems, q)
		if problems.Failed() == tt.ok {
			t.Errorf("%s: %v, want valid %v", tt.query, problems.Err(), tt.ok)
		}
	}
}

// TestListingMatches verifies equality, ranges and free places.
func TestListingMatches(t *testing.T) {
	t.Parallel()
	l := lobby.NewListing(1, 0, `{"map":"dust","level":"12.5","max_members":"4"}`, 3)
	for query, want := range map[string]bool{
		"": true, "metadata[map]=dust": true, "metadata[map]=mirage": false, "metadata[mode]=": false,
		"min[level]=12.5&max[level]=12.5": true, "min[level]=13": false, "max[level]=12": false, "min[map]=0": false,
		"free=1": true, "free=2": false, "metadata[map]=dust&min[level]=1&free=1": true,
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		var problems jsonbody.Tree
		f := lobby.ReadFilter(&problems, q)
		if got := l.Matches(&f); got != want || problems.Failed() {
			t.Errorf("%q matches: %v, want %v (%v)", query, got, want, problems.Err())
		}
	}
	if full := lobby.NewListing(1, 0, "", lobby.MaxMembers); full.Free() != 0 {
		t.Errorf("a full lobby has %d free places", full.Free())
	}
}

// find returns the ids of all pages of a search.
func (h *harness) find(query string, limit int) (found []snowflake.Lobby) {
	h.t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		h.t.Fatal(err)
	}
	var problems jsonbody.Tree
	f := lobby.ReadFilter(&problems, q)
	pages := func(find func(context.Context, snowflake.Application, *lobby.Filter, snowflake.Lobby, int) (lobbies.Page, error)) (found []snowflake.Lobby) {
		for after := snowflake.Lobby(0); ; {
			page, err := find(h.t.Context(), game, &f, after, limit)
			if err != nil {
				h.t.Fatal(err)
			}
			for _, l := range page.Found {
				found = append(found, l.ID)
			}
			if after = page.After; after == 0 {
				return found
			}
		}
	}
	found = pages(h.Search.Find)
	h.loaded()
	if again := pages(h.Search.Find); !slices.Equal(again, found) {
		h.t.Errorf("%s: the memory has %v, found %v", query, again, found)
	}
	if scanned := pages(h.Search.Scan); !slices.Equal(scanned, found) {
		h.t.Errorf("%s: the store has %v, found %v", query, scanned, found)
	}
	return found
}

// loaded waits until the lobbies are in memory.
func (h *harness) loaded() {
	h.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if loaded, omitted := h.Search.Loaded(game); loaded || omitted {
			return
		}
		if time.Now().After(end) {
			h.t.Fatal("waited 30 s for the lobbies in memory")
		}
	}
}

// TestSearchRoom verifies that lobbies without room in memory are found in the store.
func TestSearchRoom(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.put(store.Application{ID: game, Owner: ada, LobbySearch: true})
	h.Search.SetRoom(1000)
	all := []snowflake.Lobby{h.create(`{"metadata":{"n":"1"}}`)}
	for _, want := range []bool{false, true} {
		if got := h.find("", 10); !slices.Equal(got, all) {
			t.Errorf("found %v, want %v", got, all)
		}
		if _, omitted := h.Search.Loaded(game); omitted != want {
			t.Errorf("left out of the memory: %v, want %v", omitted, want)
		}
		for i := range 5 {
			all = append(all, h.create(fmt.Sprintf(`{"metadata":{"n":"%d"}}`, i)))
		}
	}
}

// TestSearch verifies that a search is off at first, that its pages join without gaps, and that it sees each kind of change,
// whether the lobbies were read before it or after.
func TestSearch(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	if _, err := h.Search.Find(t.Context(), game, &lobby.Filter{}, 0, 10); !errors.Is(err, lobbies.ErrSearchOff) {
		t.Errorf("without the setting: %v", err)
	}
	h.put(store.Application{ID: game, Owner: ada, LobbySearch: true})
	var all, even []snowflake.Lobby
	for i := range 25 {
		id := h.create(fmt.Sprintf(`{"metadata":{"parity":"%d","n":"%d"}}`, i%2, i))
		all = append(all, id)
		if i%2 == 0 {
			even = append(even, id)
		}
		if i == 12 {
			h.find("", 5) // the rest is added to the lobbies in memory
		}
	}
	for _, limit := range []int{1, 5, 25, 100} {
		if got := h.find("", limit); !slices.Equal(got, all) {
			t.Errorf("pages of %d: %v, want %v", limit, got, all)
		}
		if got := h.find("metadata[parity]=0", limit); !slices.Equal(got, even) {
			t.Errorf("pages of %d: %v, want %v", limit, got, even)
		}
		if got := h.find("metadata[parity]=0&min[n]=4&max[n]=6", limit); !slices.Equal(got, even[2:4]) {
			t.Errorf("pages of %d: %v, want %v", limit, got, even[2:4])
		}
	}
	edit := func(id snowflake.Lobby, text string) {
		t.Helper()
		if _, err := h.Edit(t.Context(), game, id, body(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	edit(all[0], `{"metadata":{"parity":"odd","max_members":"1"}}`)
	if got := h.find("metadata[parity]=0", 100); !slices.Equal(got, even[1:]) {
		t.Errorf("after an edit: %v", got)
	}
	free := func() []snowflake.Lobby { return h.find("metadata[parity]=odd&free=1", 100) }
	if got := free(); !slices.Equal(got, all[:1]) {
		t.Errorf("free: %v", got)
	}
	if _, err := h.Members.Put(t.Context(), game, all[0], ada, body(t, "{}")); err != nil {
		t.Fatal(err)
	}
	if got := free(); len(got) > 0 {
		t.Errorf("full: %v", got)
	}
	if err := h.Members.Remove(t.Context(), game, all[0], ada); err != nil {
		t.Fatal(err)
	}
	if got := free(); !slices.Equal(got, all[:1]) {
		t.Errorf("free again: %v", got)
	}
	if err := h.Delete(t.Context(), game, all[0]); err != nil {
		t.Fatal(err)
	}
	if got := h.find("", 100); !slices.Equal(got, all[1:]) {
		t.Errorf("after a deletion: %v", got)
	}
	h.close()
	h.start(lobbies.Settings{})
	if got := h.find("", 7); !slices.Equal(got, all[1:]) {
		t.Errorf("after a restart: %v", got)
	}
}

// BenchmarkSearch finds pages among 100,000 lobbies. BenchmarkSearch/read reads one lobby, as the yardstick.
func BenchmarkSearch(b *testing.B) {
	h := open(b, lobbies.Settings{})
	h.put(store.Application{ID: game, Owner: ada, LobbySearch: true})
	var one snowflake.Lobby
	for from := 0; from < 100_000; from += 500 {
		records := make([]store.Record, 500)
		for i := range records {
			n := from + i
			one = snowflake.Lobby(h.ids.Next())
			l := lobby.New(one, game, noon)
			l.Metadata = lobby.Metadata(fmt.Sprintf(`{"map":"m%d","mode":"%d","level":"%d","max_members":"8"}`, n%8, n%4, n%100))
			records[i] = store.Lobby{Lobby: l, Due: noon.Add(1 << 50)}
		}
		h.put(records...)
	}
	q := url.Values{"metadata[map]": {"m4"}, "metadata[mode]": {"0"}, "min[level]": {"20"}, "max[level]": {"40"}, "free": {"2"}}
	var problems jsonbody.Tree
	f := lobby.ReadFilter(&problems, q)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			h.Search = lobbies.NewSearchOf(h.Lobbies)
			if page, err := h.Search.Find(b.Context(), game, &f, 0, 50); err != nil || page.After == 0 {
				b.Fatal(page, err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			h.Search = lobbies.NewSearchOf(h.Lobbies)
			if err := h.Search.Load(b.Context(), game); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		after := snowflake.Lobby(0)
		for b.Loop() {
			page, err := h.Search.Find(b.Context(), game, &f, after, 50)
			if err != nil || len(page.Found) == 0 && after == 0 {
				b.Fatal(len(page.Found), err)
			}
			after = page.After
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			st, err := h.Lobby(b.Context(), game, one)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := h.Body(b.Context(), st); err != nil {
				b.Fatal(err)
			}
		}
	})
}
