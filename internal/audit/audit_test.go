package audit_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is the time at which the tests begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// fixture is an audit log with its own store and a clock that the test moves.
type fixture struct {
	*audit.Log

	now *clock.Movable
}

// stillClock stands still.
type stillClock struct{ clock.System }

func (stillClock) Now() time.Time { return start }

func open(t *testing.T, s audit.Settings) fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.NewMovable(stillClock{})
	ids := store.NewIDs(0, now.Now, time.Time{})
	return fixture{&audit.Log{Store: db, Clock: now, Wall: clock.System{}, IDs: ids, Logger: log, Sealer: (*auth.Sealer)(nil), Settings: s}, now}
}

// add adds an entry.
func (f fixture) add(ctx context.Context, t *testing.T, e audit.Entry) {
	t.Helper()
	if err := store.Decide(ctx, f.Store, func(tx *store.Tx) error { return f.Add(ctx, tx, e) }); err != nil {
		t.Fatal(err)
	}
}

// list returns the actions of all entries, newest first.
func (f fixture) list(t *testing.T) string {
	t.Helper()
	list, err := f.List(t.Context(), store.AuditFilter{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	actions := make([]string, len(list))
	for i, e := range list {
		actions[i] = e.Action
	}
	return strings.Join(actions, " ")
}

func TestActors(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	address := netip.MustParseAddr("192.0.2.1")
	for _, tt := range []struct {
		name      string
		actor     *audit.Actor
		entry     string
		want, via string
	}{
		{"the service itself", nil, "", "system", ""},
		{"an operator", &audit.Actor{Operator: "ci", Address: address}, "", "operator:ci", ""},
		{"a user", &audit.Actor{User: 200, Address: address}, "", "user:200", ""},
		{"an app that acts for a user", &audit.Actor{User: 200, Application: 100, Address: address}, "", "user:200", "application:100"},
		{"a bot", &audit.Actor{Application: 100, Address: address}, "", "application:100", ""},
		{"an unknown client", &audit.Actor{Address: address}, "", "anonymous", ""},
		{"a user who signs in", &audit.Actor{Address: address}, audit.OfUser(200), "user:200", ""},
	} {
		ctx := t.Context()
		if tt.actor != nil {
			ctx = audit.WithActor(ctx, tt.actor)
		}
		f.add(ctx, t, audit.Entry{Actor: tt.entry, Action: "a", Target: "b"})
		got, err := f.List(t.Context(), store.AuditFilter{}, 1)
		if err != nil || got[0].Actor != tt.want || got[0].Via != tt.via || (got[0].Address == "192.0.2.1") != (tt.actor != nil) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

func TestObjects(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	type object struct {
		Name string `json:"name"`
	}
	f.add(t.Context(), t, audit.Entry{Action: "same", Before: object{"a"}, After: object{"a"}})
	f.add(t.Context(), t, audit.Entry{Action: "large", Before: object{"a"}, After: object{strings.Repeat("b", 64<<10)}})
	got, err := f.List(t.Context(), store.AuditFilter{}, 9)
	if err != nil || len(got) != 1 || string(got[0].Before) != `{"name":"a"}` || string(got[0].After) != `{"omitted_bytes":65547}` {
		t.Errorf("entries %+v, %v", got, err)
	}
	var none *audit.Log // records nothing
	none.AddFailure(t.Context(), audit.Entry{})
	if err := none.Add(t.Context(), nil, audit.Entry{}); err != nil {
		t.Error(err)
	}
}

// TestFailuresAreBounded records more failures than a minute may have.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	f.Wall = f.now
	for range 100 {
		f.AddFailure(t.Context(), audit.Entry{Action: "signin.failed", Target: "x"})
	}
	if got, err := f.List(t.Context(), store.AuditFilter{}, 1000); err != nil || len(got) != 60 {
		t.Errorf("%d entries, %v, want 60", len(got), err)
	}
	f.now.Advance(time.Minute)
	f.AddFailure(t.Context(), audit.Entry{Action: "signin.failed", Target: "x"})
	if got, err := f.List(t.Context(), store.AuditFilter{}, 1); err != nil || string(got[0].After) != `{"omitted_failures":40}` {
		t.Errorf("the next entry is %+v, %v, want the number of omitted ones", got, err)
	}
}

func TestRemoveOld(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{Retention: 24 * time.Hour, MaxEntries: 3})
	remove := func() {
		t.Helper()
		if err := f.RemoveOld(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 600 { // more than one batch
		f.add(t.Context(), t, audit.Entry{Action: "old"})
	}
	f.now.Advance(time.Hour)
	f.add(t.Context(), t, audit.Entry{Action: "new"})
	remove()
	if got := f.list(t); got != "new old old" {
		t.Errorf("above the largest number %s stay, want the newest three", got)
	}
	f.now.Advance(23*time.Hour + time.Second)
	remove()
	if got := f.list(t); got != "new" {
		t.Errorf("after the retention %q stays, want new", got)
	}
	f.now.Advance(time.Hour)
	remove()
	if got := f.list(t); got != "" {
		t.Errorf("after the retention %q stays, want nothing", got)
	}
}

// TestFollow follows the log while entries are added, also one with a smaller id than the newest entry.
func TestNoiseOfOneActorDisplacesNothing(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{MaxEntries: 10})
	operator := audit.WithActor(t.Context(), &audit.Actor{Operator: "ci"})
	f.add(operator, t, audit.Entry{Action: "theft"})
	f.add(operator, t, audit.Entry{Action: "again"})
	f.add(t.Context(), t, audit.Entry{Actor: audit.OfUser(201), Action: "signin"})
	for range 300 { // more than one batch
		f.add(t.Context(), t, audit.Entry{Actor: audit.OfUser(200), Action: "noise"})
	}
	if err := f.RemoveOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.list(t); got != strings.Repeat("noise ", 7)+"signin again theft" {
		t.Errorf("after the noise of a user %q stays", got)
	}
}

func TestFailuresOfOneAddressHideNoOthers(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	f.Wall = f.now
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		ctx := audit.WithActor(t.Context(), &audit.Actor{Address: netip.MustParseAddr(address)})
		for range 100 {
			f.AddFailure(ctx, audit.Entry{Action: "signin.failed", Target: "x"})
		}
	}
	list, err := f.List(t.Context(), store.AuditFilter{}, 1000)
	counts := map[string]int{}
	for _, e := range list {
		counts[e.Address]++
	}
	if err != nil || counts["192.0.2.1"] != 20 || counts["192.0.2.2"] != 20 {
		t.Errorf("the failures by address are %v, %v, want 20 of each", counts, err)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	f.add(t.Context(), t, audit.Entry{Action: "before"})
	f.now.Advance(time.Second)
	follower, err := f.Follow(store.AuditFilter{After: audit.IDAt(f.now.Now())})
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	late := f.IDs.Next()
	next := func(want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		got, err := follower.Next(ctx)
		if err != nil || len(got) != 1 || got[0].Action != want {
			t.Fatalf("Next() = %+v, %v, want %s", got, err, want)
		}
	}
	f.add(t.Context(), t, audit.Entry{Action: "first"})
	next("first")
	err = store.Decide(t.Context(), f.Store, func(tx *store.Tx) error { return tx.Put(store.AuditEntry{ID: late, Action: "late"}) })
	if err != nil {
		t.Fatal(err)
	}
	next("late")
	f.add(t.Context(), t, audit.Entry{Action: "second"})
	next("second")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := follower.Next(ended); err != nil || len(got) != 0 {
		t.Errorf("Next() of an ended context = %v, %v", got, err)
	}
	f.StopFollowing()
	if _, err := follower.Next(t.Context()); !errors.Is(err, audit.ErrStopped) {
		t.Errorf("Next() after StopFollowing() = %v, want ErrStopped", err)
	}
}

func TestFollowersAreBounded(t *testing.T) {
	t.Parallel()
	f := open(t, audit.Settings{})
	var last *audit.Follower
	for range 16 {
		var err error
		if last, err = f.Follow(store.AuditFilter{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Follow(store.AuditFilter{}); !errors.Is(err, audit.ErrTooManyFollowers) {
		t.Errorf("Follow() of one too many = %v", err)
	}
	last.Close()
	if _, err := f.Follow(store.AuditFilter{}); err != nil {
		t.Errorf("Follow() after another one has ended = %v", err)
	}
}
