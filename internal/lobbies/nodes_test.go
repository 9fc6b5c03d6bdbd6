package lobbies_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// sharedStore lets several nodes use one store. Each node's subscribers get its own commits only.
type sharedStore struct {
	store.Store

	mu        sync.Mutex // held during a commit
	committer *handle
}

// handle is the store of one node.
type handle struct {
	*sharedStore

	subscribers []func(*store.Change)
}

func (h *handle) Shared() bool { return true }

func (h *handle) Subscribe(fn func(*store.Change)) { h.subscribers = append(h.subscribers, fn) }

func (h *handle) Commit(ctx context.Context, c store.Change) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.committer = h
	return h.Store.Commit(ctx, c)
}

// node is the service on one node.
type node struct {
	*lobbies.Lobbies

	dir   *directory.Directory
	clock *clock.Movable
}

// nodes runs the service on two nodes over the store of h and stops the service of h.
func (h *harness) nodes(t *testing.T, settings lobbies.Settings) (a, b *node) {
	t.Helper()
	h.stop()
	all := &sharedStore{Store: h.db}
	h.db.Subscribe(func(c *store.Change) {
		if all.committer == nil {
			return
		}
		for _, fn := range all.committer.subscribers {
			fn(c)
		}
	})
	return h.node(t, &handle{sharedStore: all}, settings), h.node(t, &handle{sharedStore: all}, settings)
}

// node runs the service on a store that others share.
func (h *harness) node(t *testing.T, shared store.Store, settings lobbies.Settings) *node {
	t.Helper()
	asked := make(chan struct{}, 1)
	n := &node{clock: clock.NewMovable(stillClock{asked})}
	n.clock.Advance(h.clock.Now().Sub(noon))
	states := cache.New(shared, 1<<20)
	n.dir = directory.New(directory.Config{Store: states.Store(), Cache: states, Clock: n.clock, IDs: h.ids})
	n.Lobbies = lobbies.New(lobbies.Config{
		Cache: states, Clock: n.clock, Wall: clock.System{}, IDs: h.ids, Log: slog.New(slog.DiscardHandler), Settings: settings, Directory: n.dir, Events: h.events,
	})
	n.dir.Removals.Dependents = []directory.Dependent{n.Lobbies}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	<-asked
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return n
}

// TestIdleOnce lets two nodes sweep the same idle lobbies: each lobby is deleted once, and its members get one event.
func TestIdleOnce(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	const many = 120
	made := map[string]bool{}
	for i := range many {
		id := h.create(fmt.Sprintf(`{"idle_timeout_seconds":5,"members":[{"id":"%d"}]}`, 1000+i))
		made[fmt.Sprintf(`{"id":"%d","reason":"deleted"}`, id)] = true
	}
	a, b := h.nodes(t, lobbies.Settings{})
	h.events.take()
	var wg sync.WaitGroup
	for _, n := range []*node{a, b} {
		wg.Go(func() { n.clock.Advance(5 * time.Second) })
	}
	wg.Wait()
	for _, e := range h.events.take() {
		if e.Name != "LOBBY_DELETE" || !made[string(e.Data)] {
			t.Errorf("event %s %s, once too often", e.Name, e.Data)
		}
		delete(made, string(e.Data))
	}
	if len(made) > 0 {
		t.Errorf("%d lobbies of %d have no event", len(made), many)
	}
	for i := range many {
		if ids, err := a.Presence.LobbiesOf(t.Context(), game, snowflake.User(1000+i)); err != nil || len(ids) != 0 {
			t.Errorf("LobbiesOf() = %s, %v", ids, err)
		}
	}
}

// TestWriteBeforeSweep lets a node write to a lobby that is due on another node: the write keeps the lobby.
func TestWriteBeforeSweep(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	id := h.create(`{"idle_timeout_seconds":5}`)
	a, b := h.nodes(t, lobbies.Settings{})
	if _, err := a.Lobby(t.Context(), game, id); err != nil { // puts it into the cache
		t.Fatal(err)
	}
	b.clock.Advance(4 * time.Second)
	if _, err := b.Members.Put(t.Context(), game, id, ada, body(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(8 * time.Second)
	if st, err := a.Lobby(t.Context(), game, id); err != nil || len(st.Members) != 1 {
		t.Errorf("Lobby() = %+v, %v, want one member", st, err)
	}
	a.clock.Advance(time.Second)
	for _, n := range []*node{a, b} {
		_, err := n.Lobby(t.Context(), game, id)
		h.wantErr(err, lobbies.ErrUnknownLobby)
	}
}

// TestReadAfterWriteElsewhere checks that a node sees at once what another node has written.
func TestReadAfterWriteElsewhere(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	a, b := h.nodes(t, lobbies.Settings{})
	ctx := t.Context()
	st, err := a.Create(ctx, game, body(t, everybody))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []*node{a, b}
	for i := range 40 {
		writer, reader := nodes[i%2], nodes[(i+1)%2]
		user := snowflake.User(1000 + i/4)
		if i%4 < 2 {
			_, err = writer.Members.Put(ctx, game, st.ID, user, body(t, fmt.Sprintf(`{"metadata":{"v":"%d"}}`, i)))
		} else {
			err = writer.Members.Remove(ctx, game, st.ID, user)
		}
		h.wantErr(err, nil)
		seen, err := reader.Lobby(ctx, game, st.ID)
		if err != nil || (seen.Member(user) != nil) != (i%4 < 2) {
			t.Fatalf("step %d: Lobby() = %+v, %v", i, seen, err)
		}
		mine, err := reader.Presence.LobbiesOf(ctx, game, user)
		if err != nil || (len(mine) == 1) != (i%4 < 2) {
			t.Fatalf("step %d: LobbiesOf() = %s, %v", i, mine, err)
		}
	}
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	var unlinked, linked store.Change
	h.wantErr(a.Messages.ChannelEvent(ctx, &unlinked, "MESSAGE_CREATE", &answer), nil) // no lobby is linked
	if _, err := b.Links.Set(ctx, game, st.ID, ada, body(t, `{"channel_id":"900000000000000010"}`)); err != nil {
		t.Fatal(err)
	}
	h.events.take()
	h.wantErr(a.Messages.ChannelEvent(ctx, &linked, "MESSAGE_CREATE", &answer), nil)
	h.events.committed(&unlinked)
	h.events.committed(&linked)
	wantLines(t, "linked elsewhere", h.eventLines(t), "LOBBY_MESSAGE_CREATE to 1 2 3 4")
}

// TestNodesConcurrent lets many users act on two nodes at the same time. Limits hold, and a secret leads to one lobby.
func TestNodesConcurrent(t *testing.T) {
	t.Parallel()
	const most, crowd = 5, 24
	h := open(t, lobbies.Settings{})
	a, b := h.nodes(t, lobbies.Settings{MaxPerUser: most})
	nodes := []*node{a, b}
	met := make([]snowflake.Lobby, crowd)
	var wg sync.WaitGroup
	for i := range crowd {
		made, err := a.Create(t.Context(), game, body(t, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			st, err := nodes[i%2].Join(t.Context(), game, snowflake.User(1000+i), body(t, `{"secret":"s"}`))
			if err != nil {
				t.Error(err)
				return
			}
			met[i] = st.ID
		})
		wg.Go(func() { // Eve is unknown; one user is created
			_, err := nodes[i%2].Members.Put(t.Context(), game, made.ID, eve, body(t, `{}`))
			if _, many := errors.AsType[*lobbies.LimitError](err); err != nil && !many {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if slices.Min(met) != slices.Max(met) {
		t.Errorf("%d users are in different lobbies", crowd)
	}
	for _, n := range nodes {
		if ids, err := n.Presence.LobbiesOf(t.Context(), game, eve); err != nil || len(ids) != most {
			t.Errorf("user is in %d lobbies, %v, want %d", len(ids), err, most)
		}
		if st, err := n.Lobby(t.Context(), game, met[0]); err != nil || len(st.Members) != crowd {
			t.Errorf("%d members, %v, want %d", len(st.Members), err, crowd)
		}
	}
}
