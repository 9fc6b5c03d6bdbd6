package lobbies_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
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

// stillClock always shows the same time and never fires. A Movable over it fires when it is moved.
type stillClock struct{ asked chan struct{} }

func (stillClock) Now() time.Time { return noon }
func (c stillClock) AfterFunc(time.Duration, func()) *clock.Timer {
	select {
	case c.asked <- struct{}{}:
	default:
	}
	return clock.System{}.AfterFunc(1<<62, func() {})
}

// short returns the end of a user id.
func short(id snowflake.User) string { return (id % 700000000000000000).String() }

// harness is the service with its own store.
type harness struct {
	*lobbies.Lobbies

	t    testing.TB
	db   store.Store
	dir  *directory.Directory
	path string
	// cacheBytes is the size of the cache. A small cache reads states again and again.
	cacheBytes int

	clock  *clock.Movable
	asked  chan struct{} // gets a value when a timer is set
	ids    *store.IDs
	events *eventRecorder
	// onCommit is called with every change. It must be set while nothing is committed.
	onCommit func(*store.Change)
	// allListen makes all users receive events.
	allListen bool
	// posted is called with messages that are stored in a linked channel.
	posted func(context.Context, *store.Message)
	stop   func()
}

func open(t testing.TB, settings lobbies.Settings) *harness {
	t.Helper()
	h := &harness{t: t, path: filepath.Join(t.TempDir(), "bellhop.db"), asked: make(chan struct{}, 1), cacheBytes: 16 << 20}
	h.clock = clock.NewMovable(stillClock{h.asked})
	h.ids = store.NewIDs(0, h.clock.Now, time.Time{})
	h.start(settings)
	t.Cleanup(h.close)
	h.put(store.User{ID: ada, Username: "ada"}, store.User{ID: bob, Username: "bob"},
		store.Application{ID: game, Owner: ada}, store.Application{ID: other, Owner: ada})
	return h
}

// put stores records.
func (h *harness) put(records ...store.Record) {
	h.t.Helper()
	err := store.Decide(h.t.Context(), h.db, func(tx *store.Tx) error { return tx.Put(records...) })
	if err != nil {
		h.t.Fatal(err)
	}
}

// read reads from the store.
func (h *harness) read(fn func(r store.Reader) error) {
	h.t.Helper()
	if err := h.db.Read(h.t.Context(), fn); err != nil {
		h.t.Fatal(err)
	}
}

// start opens the store and runs the service.
func (h *harness) start(settings lobbies.Settings) {
	h.t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(h.t.Context(), h.path, clock.System{}, log)
	if err != nil {
		h.t.Fatal(err)
	}
	h.db, h.events = db, &eventRecorder{}
	states := cache.New(db, h.cacheBytes)
	h.dir = directory.New(directory.Config{Store: db, Cache: states, Clock: h.clock, IDs: h.ids, Log: log})
	channels := messages.New(messages.Config{
		Cache: states, IDs: h.ids, Directory: h.dir, Metrics: metrics.New("test"), Log: log,
	})
	h.Lobbies = lobbies.New(lobbies.Config{
		Cache: states, Clock: h.clock, Wall: clock.System{}, IDs: h.ids, Log: log, Settings: settings, Directory: h.dir, Events: h.events,
		Connected: func(_ context.Context, app snowflake.Application, user snowflake.User) bool {
			return h.events.connected(app, user)
		},
		Listening: func(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User {
			if h.allListen {
				return slices.Collect(users)
			}
			return h.events.connectedUsers(ctx, app, users)
		},
		Post: channels.PutLobbyMessage,
	})
	h.dir.Removals.Dependents = []directory.Dependent{h.Lobbies}
	db.Subscribe(func(c *store.Change) {
		h.events.committed(c)
		for _, r := range c.Put {
			if m, ok := r.(store.Message); ok && m.Interaction == 0 && h.posted != nil {
				h.posted(h.t.Context(), &m)
			}
		}
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

func (h *harness) close() {
	h.stop()
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

// advance moves the clock.
func (h *harness) advance(d time.Duration) { h.clock.Advance(d) }

func body(t testing.TB, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// create creates a lobby of game.
func (h *harness) create(text string) snowflake.Lobby {
	h.t.Helper()
	st, err := h.Create(h.t.Context(), game, body(h.t, text))
	if err != nil {
		h.t.Fatalf("Create(%s) = %v", text, err)
	}
	return st.ID
}

// describe returns the members of a lobby, or the error. It also checks the size of the texts in the state.
func (h *harness) describe(id snowflake.Lobby) string {
	h.t.Helper()
	st, err := h.Lobby(h.t.Context(), game, id)
	if err != nil {
		return err.Error()
	}
	if stored, counted := st.Texts(); stored != counted {
		h.t.Errorf("Texts() = %d bytes, want %d", stored, counted)
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

// want checks a lobby in the cache and in the store.
func (h *harness) want(id snowflake.Lobby, want string) {
	h.t.Helper()
	if got := h.describe(id); got != want {
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

func (h *harness) wantErr(err, want error) {
	h.t.Helper()
	if !errors.Is(err, want) {
		h.t.Errorf("error is %v, want %v", err, want)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	bare := h.create(`{}`)
	h.want(bare, "null")
	id := h.create(`{"metadata":{"map":"dust"},"members":[{"id":"700000000000000002","flags":1},{"id":"700000000000000001","metadata":{"a":"b"}}]}`)
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
	t.Run("auto creates the user", func(t *testing.T) {
		t.Parallel()
		h := open(t, lobbies.Settings{})
		if _, err := h.dir.Users.User(t.Context(), eve); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("User() = %v, want none", err)
		}
		id := h.create(`{}`)
		if _, err := h.Members.Bulk(t.Context(), game, id, body(t, `[{"id":"700000000000000003","remove_member":true}]`)); err != nil {
			t.Errorf("Bulk() = %v", err)
		}
		if _, err := h.dir.Users.User(t.Context(), eve); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("User() = %v, want ErrUnknownUser for a user that is only removed", err)
		}
		h.want(h.create(`{"members":[{"id":"700000000000000003"}]}`), "null 3:null:0:")
		if _, err := h.dir.Users.User(t.Context(), eve); err != nil {
			t.Errorf("User() = %v", err)
		}
	})
	t.Run("strict refuses the request", func(t *testing.T) {
		t.Parallel()
		h := open(t, lobbies.Settings{Users: lobbies.Strict})
		ctx := t.Context()
		_, err := h.Create(ctx, game, body(t, `{"members":[{"id":"700000000000000001"},{"id":"700000000000000003"}]}`))
		h.wantErr(err, directory.ErrUnknownUser)
		ids, err := h.Presence.LobbiesOf(ctx, game, ada)
		if len(ids) != 0 || err != nil {
			t.Errorf("LobbiesOf() = %v, %v, want none", ids, err)
		}
		id := h.create(`{"members":[{"id":"700000000000000001"}]}`)
		_, err = h.Members.Put(ctx, game, id, eve, body(t, `{}`))
		h.wantErr(err, directory.ErrUnknownUser)
		_, err = h.Members.Bulk(ctx, game, id, body(t, `[{"id":"700000000000000002"},{"id":"700000000000000003"}]`))
		h.wantErr(err, directory.ErrUnknownUser)
		_, err = h.Members.Bulk(ctx, game, id, body(t, `[{"id":"700000000000000002"},{"id":"700000000000000003","remove_member":true}]`))
		h.wantErr(err, directory.ErrUnknownUser) // at any index
		_, err = h.Edit(ctx, game, id, body(t, `{"members":[{"id":"700000000000000003"}],"metadata":{}}`))
		h.wantErr(err, directory.ErrUnknownUser)
		h.want(id, "null 1:null:0:")
	})
}

func TestEdit(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.create(`{"metadata":{"map":"dust"},"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000002"}]}`)
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
	id := h.create(`{"members":[{"id":"700000000000000001"}]}`)
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
	_, err := h.Members.Put(ctx, game, id, bob, body(t, `{}`))
	h.wantErr(err, lobbies.ErrUnknownLobby)
	h.wantErr(h.Members.Remove(ctx, game, id, bob), lobbies.ErrUnknownLobby)
}

func TestMembers(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.create(`{}`)
	for _, tt := range []struct{ give, want string }{
		{`{"metadata":{"a":"b"},"flags":1,"additional_name":"Vex"}`, `null 1:{"a":"b"}:1:Vex`},
		{`{}`, `null 1:{"a":"b"}:1:Vex`},
		{`{"flags":0}`, `null 1:{"a":"b"}:0:Vex`},
		{`{"additional_name":null,"metadata":null,"flags":1}`, `null 1:null:1:`},
	} {
		if _, err := h.Members.Put(ctx, game, id, ada, body(t, tt.give)); err != nil {
			t.Fatalf("PutMember(%s) = %v", tt.give, err)
		}
		h.want(id, tt.want)
	}
	_, err := h.Members.Put(ctx, game, id, snowflake.User(other), body(t, `{}`))
	if tree, ok := errors.AsType[*jsonbody.Tree](err); !ok || tree.Flat()["user_id"] == nil {
		t.Errorf("PutMember() of a bot = %v", err)
	}
	for range 2 { // removing twice is fine
		h.wantErr(h.Members.Remove(ctx, game, id, ada), nil)
		h.want(id, "null")
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{"members":[{"id":"700000000000000001","flags":1},{"id":"700000000000000002"}]}`)
	for _, tt := range []struct{ give, put, want string }{
		{`[{"id":"700000000000000003","metadata":{"team":"blue"}},{"id":"700000000000000002","remove_member":true}]`, "3", `null 1:null:1: 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000009","remove_member":true}]`, "", `null 1:null:1: 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000001","remove_member":true},{"id":"700000000000000001","additional_name":"x"}]`, "1", `null 1:null:0:x 3:{"team":"blue"}:0:`},
		{`[{"id":"700000000000000005"},{"id":"700000000000000004"},{"id":"700000000000000005","flags":1},{"id":"700000000000000004","remove_member":true}]`, "5", `null 1:null:0:x 3:{"team":"blue"}:0: 5:null:1:`},
	} {
		put, err := h.Members.Bulk(t.Context(), game, id, body(t, tt.give))
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
		last = h.create(`{"members":[{"id":"700000000000000001"}]}`)
	}
	limit := func(err error, what string) {
		t.Helper()
		if l, ok := errors.AsType[*lobbies.LimitError](err); !ok || l.What != what {
			t.Errorf("error is %v, want the limit on %s", err, what)
		}
	}
	_, err := h.Create(ctx, game, body(t, `{"members":[{"id":"700000000000000001"}]}`))
	limit(err, "lobbies")
	third := h.create(`{}`)
	_, err = h.Members.Put(ctx, game, third, ada, body(t, `{}`))
	limit(err, "lobbies")
	_, err = h.Edit(ctx, game, third, body(t, `{"members":[{"id":"700000000000000001"}]}`))
	limit(err, "lobbies")
	_, err = h.Join(ctx, game, ada, body(t, `{"secret":"s"}`))
	limit(err, "lobbies")
	put, err := h.Members.Bulk(ctx, game, third, body(t, `[{"id":"700000000000000001"},{"id":"700000000000000002"}]`))
	if err != nil || len(put) != 1 {
		t.Errorf("Bulk() = %v, %v, want one member and one passed over", put, err)
	}
	h.want(third, "null 2:null:0:")
	if _, err := h.Members.Put(ctx, game, last, ada, body(t, `{"flags":1}`)); err != nil {
		t.Errorf("PutMember() of a member = %v", err)
	}
	if _, err := h.Members.Bulk(ctx, game, last, body(t, `[{"id":"700000000000000001","remove_member":true},{"id":"700000000000000001"}]`)); err != nil {
		t.Error(err)
	}
	h.want(last, "null 1:null:0:") // a member who is removed and put in one request keeps the place
	if _, err := h.Create(ctx, other, body(t, `{"members":[{"id":"700000000000000001"}]}`)); err != nil {
		t.Errorf("the limit is on one application: %v", err)
	}
}

// createFull creates a full lobby of the users from 1000 on.
func (h *harness) createFull() snowflake.Lobby {
	h.t.Helper()
	id := h.create(`{}`)
	for i := range lobby.MaxMembers / lobby.MaxPerRequest {
		var list []string
		for j := range lobby.MaxPerRequest {
			list = append(list, fmt.Sprintf(`{"id":"%d"}`, 1000+i*lobby.MaxPerRequest+j))
		}
		if _, err := h.Members.Bulk(h.t.Context(), game, id, body(h.t, "["+strings.Join(list, ",")+"]")); err != nil {
			h.t.Fatal(err)
		}
	}
	return id
}

func TestFull(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	ctx := t.Context()
	id := h.createFull()
	var st store.Lobby
	_, err := h.Members.Put(ctx, game, id, ada, body(t, `{}`))
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
