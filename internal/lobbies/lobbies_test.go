package lobbies_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	game  snowflake.Application = 1300000000000000001
	other snowflake.Application = 1300000000000000002
	ada   snowflake.User        = 700000000000000001
	bob   snowflake.User        = 700000000000000002
	eve   snowflake.User        = 700000000000000003
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// stillClock shows the same time for ever and never rings by itself; a Movable over it does when it is moved.
type stillClock struct{ asked chan struct{} }

func (stillClock) Now() time.Time { return noon }
func (c stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	select {
	case c.asked <- struct{}{}:
	default:
	}
	return clock.System{}.AfterFunc(1<<62, func() {})
}

// short returns the end of an id that the tests tell users apart by.
func short(id snowflake.User) string { return (id % 700000000000000000).String() }

// hall is the service on a store of its own.
type hall struct {
	*lobbies.Lobbies

	t    testing.TB
	db   store.Store
	dir  *directory.Directory
	path string
	// cacheBytes is the budget of the cache: a small one makes it read states again and again.
	cacheBytes int

	clock *clock.Movable
	asked chan struct{} // filled when the alarm is set
	ids   *snowflake.Generator
	told  *recorded
	// onCommit is called with every change. It is set while nothing is committed.
	onCommit func(*store.Change)
	stop     func()
}

func open(t testing.TB, settings lobbies.Settings) *hall {
	t.Helper()
	h := &hall{t: t, path: filepath.Join(t.TempDir(), "bellhop.db"), asked: make(chan struct{}, 1), cacheBytes: 16 << 20}
	h.clock = clock.NewMovable(stillClock{h.asked})
	h.ids = snowflake.NewGenerator(0, h.clock.Now, time.Time{})
	h.begin(settings)
	t.Cleanup(h.end)
	h.put(store.User{ID: ada, Username: "ada"}, store.User{ID: bob, Username: "bob"},
		store.Application{ID: game, Owner: ada}, store.Application{ID: other, Owner: ada})
	return h
}

// put stores records.
func (h *hall) put(records ...store.Record) {
	h.t.Helper()
	err := store.Decide(h.t.Context(), h.db, func(tx *store.Tx) error { return tx.Put(records...) })
	if err != nil {
		h.t.Fatal(err)
	}
}

// read reads from the store.
func (h *hall) read(fn func(r store.Reader) error) {
	h.t.Helper()
	if err := h.db.Read(h.t.Context(), fn); err != nil {
		h.t.Fatal(err)
	}
}

// begin opens the store and runs the service on it.
func (h *hall) begin(settings lobbies.Settings) {
	h.t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(h.t.Context(), h.path, log)
	if err != nil {
		h.t.Fatal(err)
	}
	h.db, h.told = db, &recorded{}
	states := cache.New(db, h.cacheBytes)
	h.dir = &directory.Directory{Store: db, Cache: states, Clock: h.clock, IDs: h.ids, Log: log}
	h.Lobbies = lobbies.New(lobbies.Config{
		Cache: states, Clock: h.clock, IDs: h.ids, Log: log, Settings: settings, Directory: h.dir, Events: h.told,
		Connected: h.told.there, Listening: h.told.among,
	})
	h.dir.Dependents = []directory.Dependent{h.Lobbies}
	db.Subscribe(func(c *store.Change) {
		h.told.committed(c)
		if h.onCommit != nil {
			h.onCommit(c)
		}
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	done := make(chan struct{})
	select {
	case <-h.asked:
	default:
	}
	go func() {
		defer close(done)
		if err := h.Run(ctx); err != nil {
			h.t.Errorf("Run() = %v", err)
		}
	}()
	<-h.asked
	h.stop = func() { cancel(); <-done }
}

func (h *hall) end() {
	h.stop()
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

// advance moves the clock.
func (h *hall) advance(d time.Duration) { h.clock.Advance(d) }

func body(t testing.TB, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// make makes a lobby of game.
func (h *hall) make(text string) snowflake.Lobby {
	h.t.Helper()
	st, err := h.Create(h.t.Context(), game, body(h.t, text))
	if err != nil {
		h.t.Fatalf("Create(%s) = %v", text, err)
	}
	return st.ID
}

// show returns the members of a lobby, or the error there is. What a state is thought to weigh is checked by the way.
func (h *hall) show(id snowflake.Lobby) string {
	h.t.Helper()
	st, err := h.Lobby(h.t.Context(), game, id)
	if err != nil {
		return err.Error()
	}
	if kept, counted := st.Texts(); kept != counted {
		h.t.Errorf("the texts of members have %d bytes, and are thought to have %d", counted, kept)
	}
	return text(&st.Lobby)
}

func text(l *store.Lobby) string {
	var b strings.Builder
	b.WriteString(string(l.Metadata.AppendJSON(nil)))
	for _, m := range l.Members {
		fmt.Fprintf(&b, " %s:%s:%d:%s", short(m.ID), m.Metadata.AppendJSON(nil), m.Flags, m.AdditionalName)
	}
	return b.String()
}

// want checks what a lobby looks like, in the cache and in the store.
func (h *hall) want(id snowflake.Lobby, want string) {
	h.t.Helper()
	if got := h.show(id); got != want {
		h.t.Errorf("lobby is %q, want %q", got, want)
	}
	stored := "unknown lobby"
	h.read(func(r store.Reader) error {
		l, err := r.Lobbies.Lobby(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		stored = text(&l)
		return err
	})
	if stored != want {
		h.t.Errorf("in the store the lobby is %q, want %q", stored, want)
	}
}

func (h *hall) wantErr(err, want error) {
	h.t.Helper()
	if !errors.Is(err, want) {
		h.t.Errorf("error is %v, want %v", err, want)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	bare := h.make(`{}`)
	h.want(bare, "null")
	id := h.make(`{"metadata":{"map":"dust"},"members":[{"id":"700000000000000002","flags":1},{"id":"700000000000000001","metadata":{"a":"b"}}]}`)
	h.want(id, `{"map":"dust"} 2:null:1: 1:{"a":"b"}:0:`)
	if bare >= id {
		t.Errorf("ids do not grow: %v, then %v", bare, id)
	}
	if _, err := h.Lobby(t.Context(), other, id); !errors.Is(err, lobbies.ErrUnknownLobby) {
		t.Errorf("another application sees it: %v", err)
	}
	_, err := h.Create(t.Context(), game, body(t, `{"members":[{"id":"1"},{"id":"1300000000000000002"}]}`))
	if tree, ok := errors.AsType[*jsonbody.Tree](err); !ok || tree.Flat()["members.1"] == nil {
		t.Errorf("Create() with a bot = %v", err)
	}
	if err := h.db.Read(t.Context(), func(r store.Reader) error { _, err := r.Directory.User(1); return err }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a refused create leaves a user behind: %v", err)
	}
}

func TestUnknownUsers(t *testing.T) {
	t.Parallel()
	t.Run("auto gives them a record", func(t *testing.T) {
		t.Parallel()
		h := open(t, lobbies.Settings{})
		if _, err := h.dir.User(t.Context(), eve); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("User() = %v, want none", err)
		}
		id := h.make(`{}`)
		if _, err := h.Bulk(t.Context(), game, id, body(t, `[{"id":"700000000000000003","remove_member":true}]`)); err != nil {
			t.Errorf("Bulk() = %v", err)
		}
		if _, err := h.dir.User(t.Context(), eve); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("User() = %v, but who is only removed needs no record", err)
		}
		h.want(h.make(`{"members":[{"id":"700000000000000003"}]}`), "null 3:null:0:")
		if _, err := h.dir.User(t.Context(), eve); err != nil {
			t.Errorf("User() = %v", err)
		}
	})
	t.Run("strict refuses them and nothing is left", func(t *testing.T) {
		t.Parallel()
		h := open(t, lobbies.Settings{Users: lobbies.Strict})
		ctx := t.Context()
		_, err := h.Create(ctx, game, body(t, `{"members":[{"id":"700000000000000001"},{"id":"700000000000000003"}]}`))
		h.wantErr(err, directory.ErrUnknownUser)
		ids, err := h.LobbiesOf(ctx, game, ada)
		if len(ids) != 0 || err != nil {
			t.Errorf("LobbiesOf() = %v, %v, want none", ids, err)
		}
		id := h.make(`{"members":[{"id":"700000000000000001"}]}`)
		_, err = h.PutMember(ctx, game, id, eve, body(t, `{}`))
		h.wantErr(err, directory.ErrUnknownUser)
		_, err = h.Bulk(ctx, game, id, body(t, `[{"id":"700000000000000002"},{"id":"700000000000000003"}]`))
		h.wantErr(err, directory.ErrUnknownUser)
		_, err = h.Bulk(ctx, game, id, body(t, `[{"id":"700000000000000002"},{"id":"700000000000000003","remove_member":true}]`))
		h.wantErr(err, directory.ErrUnknownUser) // wherever it stands
		_, err = h.Edit(ctx, game, id, body(t, `{"members":[{"id":"700000000000000003"}],"metadata":{}}`))
		h.wantErr(err, directory.ErrUnknownUser)
		h.want(id, "null 1:null:0:")
	})
}

func TestEdit(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.make(`{"metadata":{"map":"dust"},"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000002"}]}`)
	for _, tt := range []struct{ give, want string }{
		{`{"members":[{"id":"700000000000000003"},{"id":"700000000000000002","metadata":{}}]}`, `{"map":"dust"} 2:{}:0: 3:null:0:`},
		{`{"metadata":null}`, `null 2:{}:0: 3:null:0:`},
		{`{}`, `null 2:{}:0: 3:null:0:`},
		{`{"members":[]}`, `null`},
	} {
		if _, err := h.Edit(ctx, game, id, body(t, tt.give)); err != nil {
			t.Fatalf("Edit(%s) = %v", tt.give, err)
		}
		h.want(id, tt.want)
	}
	_, err := h.Edit(ctx, other, id, body(t, `{}`))
	h.wantErr(err, lobbies.ErrUnknownLobby)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.make(`{"members":[{"id":"700000000000000001"}]}`)
	if err := h.Delete(ctx, other, id); err != nil {
		t.Errorf("Delete() of another's lobby = %v", err)
	}
	h.want(id, "null 1:null:0:")
	for range 2 {
		if err := h.Delete(ctx, game, id); err != nil {
			t.Errorf("Delete() = %v", err)
		}
		h.want(id, "unknown lobby")
	}
	_, err := h.PutMember(ctx, game, id, bob, body(t, `{}`))
	h.wantErr(err, lobbies.ErrUnknownLobby)
	h.wantErr(h.RemoveMember(ctx, game, id, bob), lobbies.ErrUnknownLobby)
}

func TestMembers(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.make(`{}`)
	for _, tt := range []struct{ give, want string }{
		{`{"metadata":{"a":"b"},"flags":1,"additional_name":"Vex"}`, `null 1:{"a":"b"}:1:Vex`},
		{`{}`, `null 1:null:0:Vex`},
		{`{"additional_name":null,"flags":1}`, `null 1:null:1:`},
	} {
		if _, err := h.PutMember(ctx, game, id, ada, body(t, tt.give)); err != nil {
			t.Fatalf("PutMember(%s) = %v", tt.give, err)
		}
		h.want(id, tt.want)
	}
	_, err := h.PutMember(ctx, game, id, snowflake.User(other), body(t, `{}`))
	if tree, ok := errors.AsType[*jsonbody.Tree](err); !ok || tree.Flat()["user_id"] == nil {
		t.Errorf("PutMember() of a bot = %v", err)
	}
	for range 2 { // who is no member is out already
		h.wantErr(h.RemoveMember(ctx, game, id, ada), nil)
		h.want(id, "null")
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.make(`{"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000002"}]}`)
	for _, tt := range []struct{ give, put, want string }{
		{`[{"id":"700000000000000003","metadata":{"team":"blue"}},{"id":"700000000000000002","remove_member":true}]`, "3", `null 1:null:1: 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000009","remove_member":true}]`, "", `null 1:null:1: 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000001","remove_member":true},{"id":"700000000000000001","additional_name":"x"}]`, "1", `null 1:null:0:x 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000005"},{"id":"700000000000000004"},{"id":"700000000000000005","flags":1},{"id":"700000000000000004","remove_member":true}]`, "5", `null 1:null:0:x 3:{"team":"blue"}:0: 5:null:1:`},
	} {
		put, err := h.Bulk(t.Context(), game, id, body(t, tt.give))
		if err != nil {
			t.Fatalf("Bulk(%s) = %v", tt.give, err)
		}
		var names []string
		for _, m := range put {
			names = append(names, short(m.ID))
		}
		if got := strings.Join(names, " "); got != tt.put {
			t.Errorf("Bulk(%s) puts %q, want %q", tt.give, got, tt.put)
		}
		h.want(id, tt.want)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{MaxPerUser: 2})
	ctx := t.Context()
	var last snowflake.Lobby
	for range 2 {
		last = h.make(`{"members":[{"id":"700000000000000001"}]}`)
	}
	limit := func(err error, what string) {
		t.Helper()
		if l, ok := errors.AsType[*lobbies.LimitError](err); !ok || l.What != what {
			t.Errorf("error is %v, want the limit on %s", err, what)
		}
	}
	_, err := h.Create(ctx, game, body(t, `{"members":[{"id":"700000000000000001"}]}`))
	limit(err, "lobbies")
	third := h.make(`{}`)
	_, err = h.PutMember(ctx, game, third, ada, body(t, `{}`))
	limit(err, "lobbies")
	_, err = h.Edit(ctx, game, third, body(t, `{"members":[{"id":"700000000000000001"}]}`))
	limit(err, "lobbies")
	_, err = h.Join(ctx, game, ada, body(t, `{"secret":"s"}`))
	limit(err, "lobbies")
	put, err := h.Bulk(ctx, game, third, body(t, `[{"id":"700000000000000001"},{"id":"700000000000000002"}]`))
	if err != nil || len(put) != 1 {
		t.Errorf("Bulk() = %v, %v, want one member and one passed over", put, err)
	}
	h.want(third, "null 2:null:0:")
	if _, err := h.PutMember(ctx, game, last, ada, body(t, `{"flags":1}`)); err != nil {
		t.Errorf("PutMember() of a member = %v", err)
	}
	if _, err := h.Bulk(ctx, game, last, body(t, `[{"id":"700000000000000001","remove_member":true},{"id":"700000000000000001"}]`)); err != nil {
		t.Error(err)
	}
	h.want(last, "null 1:null:0:") // whoever goes and comes back keeps the place
	if _, err := h.Create(ctx, other, body(t, `{"members":[{"id":"700000000000000001"}]}`)); err != nil {
		t.Errorf("the limit is on one application: %v", err)
	}
}

// crowd makes a lobby that is full, of the users from 1000 on.
func (h *hall) crowd() snowflake.Lobby {
	h.t.Helper()
	id := h.make(`{}`)
	for i := range lobby.MaxMembers / lobby.MaxPerRequest {
		var list []string
		for j := range lobby.MaxPerRequest {
			list = append(list, fmt.Sprintf(`{"id":"%d"}`, 1000+i*lobby.MaxPerRequest+j))
		}
		if _, err := h.Bulk(h.t.Context(), game, id, body(h.t, "["+strings.Join(list, ",")+"]")); err != nil {
			h.t.Fatal(err)
		}
	}
	return id
}

func TestFull(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.crowd()
	var st store.Lobby
	_, err := h.PutMember(ctx, game, id, ada, body(t, `{}`))
	if l, ok := errors.AsType[*lobbies.LimitError](err); !ok || l.What != "members" {
		t.Errorf("PutMember() = %v, want the limit on members", err)
	}
	h.read(func(r store.Reader) (err error) {
		st, err = r.Lobbies.Lobby(id)
		return err
	})
	if len(st.Members) != lobby.MaxMembers {
		t.Fatalf("lobby has %d members", len(st.Members))
	}
	for i, m := range st.Members {
		if m.ID != snowflake.User(1000+i) {
			t.Fatalf("member %d is %v", i, m.ID)
		}
	}
}
