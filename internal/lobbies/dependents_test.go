package lobbies_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// eventLines returns the lobby events since the last call, one line each: the name, the recipients, and the reason of
// LOBBY_DELETE.
func (h *harness) eventLines(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, e := range h.events.take() {
		text := line(t, e)
		name, data, _ := strings.Cut(strings.TrimSpace(text), " {")
		if e.Name == "LOBBY_DELETE" {
			_, reason, _ := strings.Cut(data, ",")
			name += " " + strings.TrimSuffix(reason, "}")
		}
		lines = append(lines, name)
	}
	return lines
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: events differ (-want +got):\n%s", what, diff)
	}
}

// TestDependencyDeleted deletes what lobbies depend on. Their members get the usual events.
func TestDependencyDeleted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(h *harness) error
		want []string
		left string // what remains of the lobby
	}{
		{"a user", func(h *harness) error { return h.dir.Users.Delete(h.t.Context(), eve) }, []string{
			`LOBBY_DELETE to 3 "reason":"removed"`, `LOBBY_MEMBER_REMOVE to 1 2`,
		}, "null 1:null:1: 2:null:1: 4:null:0:"},
		{"the application", func(h *harness) error { return h.dir.Applications.Delete(h.t.Context(), game) }, []string{
			`LOBBY_DELETE to 1 2 3 "reason":"deleted"`,
		}, "unknown lobby"},
		{"the channel", func(h *harness) error { return h.dir.Guilds.DeleteChannel(h.t.Context(), lab, general) }, []string{
			`LOBBY_UPDATE to 1 2 3`,
		}, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
		{"the guild", func(h *harness) error { return h.dir.Guilds.Delete(h.t.Context(), lab) }, []string{
			`LOBBY_UPDATE to 1 2 3`,
		}, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
		{
			"another channel", func(h *harness) error { return h.dir.Guilds.DeleteChannel(h.t.Context(), lab, second) }, nil,
			"null 1:null:1: 2:null:1: 3:null:1: 4:null:0:",
		},
		{"what does not exist", func(h *harness) error {
			if h.dir.Users.Delete(h.t.Context(), 5) == nil {
				h.t.Error("an unknown user can be deleted")
			}
			return nil
		}, nil, "null 1:null:1: 2:null:1: 3:null:1: 4:null:0:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{})
			h.addGuild()
			h.events.connect(ada, bob, eve)
			id := h.create(everybody)
			h.wantErr(h.link(id, ada, general), nil)
			h.events.take()
			h.wantErr(tt.do(h), nil)
			wantLines(t, tt.name, h.eventLines(t), tt.want...)
			h.want(id, tt.left)
		})
	}
}

// TestLastMemberRemoved checks that the idle time starts when the last connected member is removed, also if writes do
// not count as activity.
func TestLastMemberRemoved(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(h *harness, id snowflake.Lobby) error{
		"removed": func(h *harness, id snowflake.Lobby) error { return h.Members.Remove(h.t.Context(), game, id, eve) },
		"replaced": func(h *harness, id snowflake.Lobby) error {
			_, err := h.Edit(h.t.Context(), game, id, body(h.t, `{"members":[{"id":"700000000000000001"}]}`))
			return err
		},
		"removed with others": func(h *harness, id snowflake.Lobby) error {
			_, err := h.Members.Bulk(h.t.Context(), game, id, body(h.t, `[{"id":"700000000000000003","remove_member":true}]`))
			return err
		},
		"deleted": func(h *harness, _ snowflake.Lobby) error { return h.dir.Users.Delete(h.t.Context(), eve) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, lobbies.Settings{Activity: lobby.Connections})
			h.events.connect(eve)
			id := h.create(`{"idle_timeout_seconds":60,"members":[{"id":"700000000000000001"},{"id":"700000000000000003"}]}`)
			h.advance(time.Hour + 30*time.Second)
			h.wantErr(do(h, id), nil)
			h.advance(60*time.Second - time.Millisecond)
			h.want(id, "null 1:null:0:")
			h.advance(time.Millisecond)
			h.want(id, "unknown lobby")
		})
	}
}

// TestApplicationInBatches deletes an application whose lobbies do not fit into one commit. Every commit is small, and
// every member gets one event.
func TestApplicationInBatches(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.allListen = true
	full := h.createFull()
	for i := range 600 {
		m, err := h.Messages.Send(t.Context(), game, full, 1000, body(t, `{"content":"hi"}`))
		if err != nil {
			t.Fatalf("message %d: %v, %v", i, m, err)
		}
	}
	want := map[snowflake.User]int{}
	for i := range lobby.MaxMembers {
		want[snowflake.User(1000+i)] = 1
	}
	for i := range 100 {
		h.create(fmt.Sprintf(`{"members":[{"id":"%d"},{"id":"%d"}]}`, 1000+i, 5000+i))
		want[snowflake.User(1000+i)]++
		want[snowflake.User(5000+i)]++
	}
	h.join(game, ada, `{"secret":"s"}`)
	want[ada]++
	kept := h.join(other, ada, `{"secret":"s"}`)
	h.events.take()
	commits := 0
	h.onCommit = func(c *store.Change) {
		commits++
		if len(c.Delete) > 256 {
			t.Errorf("a commit deletes %d records", len(c.Delete))
		}
	}
	h.wantErr(h.dir.Applications.Delete(t.Context(), game), nil)
	if commits < (600+1000+100*3)/256 {
		t.Errorf("the application is removed by %d commits", commits)
	}
	got := map[snowflake.User]int{}
	for _, e := range h.events.take() {
		for _, u := range e.To.Users {
			got[u]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events of users differ (-want +got):\n%s", diff)
	}
	h.wantLobbies(game, 0)
	h.wantLobbies(other, 1)
	if again := h.join(other, bob, `{"secret":"s"}`); again != kept {
		t.Error("the secret of another application leads to another lobby")
	}
}

// wantLobbies checks how many lobbies of an application are stored.
func (h *harness) wantLobbies(app snowflake.Application, want int) {
	h.t.Helper()
	h.read(func(r store.Reader) error {
		ids, err := r.Lobbies.Newest(app, 0, 100000)
		if len(ids) != want {
			h.t.Errorf("%d lobbies of %v are stored, want %d", len(ids), app, want)
		}
		return err
	})
}

// createMany stores lobbies of game with two members each, in batches.
func (h *harness) createMany(count int) {
	h.t.Helper()
	for first := 0; first < count; first += 500 {
		var records []store.Record
		for i := first; i < min(first+500, count); i++ {
			l := lobby.New(snowflake.Lobby(h.ids.Next()), game, noon)
			records = append(records, store.Lobby{Lobby: l, Due: noon.Add(l.IdleTimeout)})
			for n := range 2 {
				records = append(records, store.LobbyMembership{
					Member: lobby.Member{ID: snowflake.User(10000 + 2*i + n)}, Lobby: l.ID, Application: game, Position: uint64(n + 1),
				})
			}
		}
		h.put(records...)
	}
}

// TestApplicationInterrupted interrupts the removal of an application's lobbies. After a restart it continues.
func TestApplicationInterrupted(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	const count = 1000
	h.createMany(count)
	ctx, cancel := context.WithCancel(t.Context())
	h.onCommit = func(c *store.Change) {
		if len(c.Delete) > 50 {
			cancel()
		}
	}
	if err := h.ApplicationDeleted(ctx, game); !errors.Is(err, context.Canceled) {
		t.Errorf("ApplicationDeleted() = %v, want that it is cancelled", err)
	}
	h.onCommit = nil
	left := 0
	h.read(func(r store.Reader) error {
		ids, err := r.Lobbies.Newest(game, 0, count)
		left = len(ids)
		return err
	})
	if left == 0 || left == count {
		t.Fatalf("%d lobbies of %d are left, want some", left, count)
	}
	h.close()
	h.start(lobbies.Settings{})
	h.wantErr(h.ApplicationDeleted(t.Context(), game), nil)
	h.wantLobbies(game, 0)
	h.wantErr(h.ApplicationDeleted(t.Context(), game), nil)
}

// TestApplicationAgainstWrites deletes an application with thousands of lobbies while members join a lobby of another
// one. A join waits for at most one batch of the removal.
func TestApplicationAgainstWrites(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.createMany(2000)
	st, err := h.Create(t.Context(), other, body(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	began := time.Now()
	go func() { done <- h.dir.Applications.Delete(t.Context(), game) }()
	var waits []time.Duration
	for ended := false; !ended; {
		start := time.Now()
		_, err := h.Members.Put(t.Context(), other, st.ID, ada, body(t, `{}`))
		waits = append(waits, time.Since(start))
		h.wantErr(errors.Join(err, h.Members.Remove(t.Context(), other, st.ID, ada)), nil)
		select {
		case err := <-done:
			h.wantErr(err, nil)
			ended = true
		default:
		}
	}
	whole := time.Since(began)
	h.wantLobbies(game, 0)
	slices.Sort(waits)
	p99, pieces := waits[len(waits)*99/100], 2000*3/256
	t.Logf("%d joins beside a removal of %v: p50 %v, p99 %v", len(waits), whole, waits[len(waits)/2], p99)
	if p99 > whole*5/time.Duration(pieces) {
		t.Errorf("p99 of %d joins is %v beside a removal of %v in %d pieces", len(waits), p99, whole, pieces)
	}
}

// TestNoRevisionLeft checks that no revision remains after its subject was deleted.
func TestNoRevisionLeft(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	ctx := t.Context()
	for _, name := range []string{"deleted", "idle", "left"} {
		id := h.create(everybody)
		h.wantErr(h.link(id, ada, general), nil)
		h.invite(id, eve)
		if _, err := h.Messages.Send(ctx, game, id, ada, body(t, `{"content":"hi"}`)); err != nil {
			t.Fatal(err)
		}
		h.wantErr(h.link(id, ada, 0), nil)
		secret := h.join(game, eve, `{"secret":"`+name+`"}`)
		switch name {
		case "deleted":
			h.wantErr(errors.Join(h.Delete(ctx, game, id), h.Delete(ctx, game, secret)), nil)
		case "left":
			for _, user := range []snowflake.User{ada, bob, eve, eve + 1} {
				h.wantErr(errors.Join(h.Members.Remove(ctx, game, id, user), h.Members.Remove(ctx, game, secret, user)), nil)
			}
			if n := h.count(`SELECT COUNT(*) FROM subjects WHERE kind = 4 AND b = 700000000000000003`); n != 0 {
				t.Errorf("%d lists of a user who is in no lobby are left", n)
			}
		case "idle":
			h.advance(time.Hour)
		}
	}
	h.advance(100 * time.Hour)
	for what, query := range map[string]string{
		"subjects": `SELECT COUNT(*) FROM subjects WHERE kind IN (3, 4, 23, 24, 26)`, "lobbies": `SELECT COUNT(*) FROM lobbies`,
		"members": `SELECT COUNT(*) FROM lobby_members`, "secrets": `SELECT COUNT(*) FROM lobby_secrets`,
		"messages": `SELECT COUNT(*) FROM lobby_messages`, "invites": `SELECT COUNT(*) FROM lobby_invites`,
	} {
		if n := h.count(query); n != 0 {
			t.Errorf("%d %s are left", n, what)
		}
	}
}

// count returns the result of a counting query.
func (h *harness) count(query string) (n int) {
	h.t.Helper()
	db, err := sql.Open("sqlite", h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := errors.Join(db.QueryRowContext(h.t.Context(), query).Scan(&n), db.Close()); err != nil {
		h.t.Fatal(err)
	}
	return n
}
