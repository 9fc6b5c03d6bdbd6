package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
)

func TestCommitTakesOneRoundTrip(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := open(t, proxied)
	checked := commit(t, db, put(3, 0, "checked"))
	measured := func(at uint64) store.Change {
		c := put(1, at, "measured")
		c.Check = []store.Expectation{{Subject: store.UserSubject(2)}, {Subject: store.UserSubject(3), Revision: checked}}
		return c
	}
	at := commit(t, db, measured(0))
	at = commit(t, db, measured(at)) // prepares the statements
	const delay = 10 * time.Millisecond
	proxy.Delay(delay)
	best := time.Hour
	for range 10 { // on a busy machine some take longer
		c := measured(at)
		start := time.Now()
		if err := db.Commit(t.Context(), c); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
		best = min(best, time.Since(start))
		at = revision(t, db, store.UserSubject(1))
	}
	if best < 2*delay || best > 2*delay*18/10 {
		t.Errorf("a commit takes %v behind %v of latency, want one round trip", best, 2*delay)
	}
}

// TestCommitCut cuts the connection at every point of a commit. The change is applied once, and Commit succeeds.
func TestCommitCut(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db, other := open(t, proxied), open(t, url)
	notified := 0
	db.Subscribe(func(*store.Change) { notified++ })
	subject := store.UserSubject(1)
	at, done := uint64(0), 0
	write := func(c store.Change) {
		t.Helper()
		if err := db.Commit(t.Context(), c); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
		done++
		next := revision(t, other, subject)
		if next == at || notified != done {
			t.Fatalf("%d changes were applied, subscribers got %d, revision %d after %d", done, notified, next, at)
		}
		at = next
	}
	for _, fault := range []engines.Fault{engines.CutBefore, engines.CutWithin, engines.CutAfter} {
		for range 3 {
			write(put(1, at, "warm"))
			happened := proxy.Fail(fault)
			write(put(1, at, "cut"))
			<-happened
		}
	}
	proxy.Fail(engines.CutAfter)
	end := store.Change{
		Expect: []store.Expectation{{Subject: subject, Revision: at, Ends: true}}, Delete: []store.Key{store.UserKey(1)},
		Events: []store.Event{{Subject: subject, Event: events.Event{Name: "E"}}},
	}
	write(end) // the recorded event shows that the change was committed
}

// TestCommitCutContended writes to the same subject on another node before a commit whose connection was cut can find
// out its outcome. The commit must not report that nothing was changed.
func TestCommitCutContended(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db, other := open(t, proxied), open(t, url)
	subject := store.UserSubject(1)
	at := commit(t, db, put(1, 0, "warm"))
	unsure := 0
	for i := range 10 {
		c := put(1, at, "cut")
		if i%2 == 0 {
			c.Events = []store.Event{{Subject: subject, Event: events.Event{Name: "E"}}}
		}
		happened := proxy.Fail(engines.CutAfter)
		var wg sync.WaitGroup
		wg.Go(func() {
			<-happened
			for now := at; now == at; {
				now = revision(t, other, subject)
				if now != at {
					commit(t, other, put(1, now, "other"))
				}
			}
		})
		switch err := db.Commit(t.Context(), c); {
		case err == nil:
		case errors.Is(err, store.ErrUnsure) && errors.Is(err, store.ErrUnavailable) && i%2 == 1:
			unsure++
		default:
			t.Errorf("Commit() = %v, want success, or ErrUnsure without a recorded event", err)
		}
		wg.Wait()
		at = revision(t, other, subject)
		at = commit(t, db, put(1, at, "warm"))
	}
	t.Logf("%d unsure", unsure)
}

// skewed is the system's clock, wrong by a fixed time.
type skewed struct {
	ahead time.Duration
	pause func() // called before the store waits between two attempts; may be nil
}

func (c *skewed) Now() time.Time { return time.Now().Add(c.ahead) }

func (c *skewed) AfterFunc(d time.Duration, fn func()) *clock.Timer {
	if c.pause != nil {
		c.pause()
	}
	return clock.System{}.AfterFunc(d, fn)
}

// TestCommitCutSkewed cuts the connection of a node during a commit, and commits a change of another node to the same
// subject before the first one sends its change again. Both decide on a revision that a node whose clock is ahead has
// written, so both have to exceed it. The first commit must not take the revision of the other change for its own.
func TestCommitCutSkewed(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	wall := &skewed{}
	ahead, other := openAt(t, url, &skewed{ahead: time.Second}), open(t, url)
	db := openAt(t, proxied, wall)
	for i, node := range []*postgres.DB{ahead, other, db} {
		node.SetNode(uint16(i))
	}
	at := commit(t, db, put(1, 0, "warm"))
	for range 20 {
		at = commit(t, ahead, put(1, at, "ahead"))
		wall.pause = func() {
			wall.pause = nil
			if err := other.Commit(t.Context(), put(1, at, "acknowledged")); err != nil {
				t.Errorf("Commit() of the other node = %v", err)
			}
		}
		happened := proxy.Fail(engines.CutBefore)
		if err := db.Commit(t.Context(), put(1, at, "lost")); !errors.Is(err, store.ErrStale) && !errors.Is(err, store.ErrUnsure) {
			t.Fatalf("Commit() = %v, want ErrStale or ErrUnsure: the other node has written to the subject", err)
		}
		<-happened
		if name := username(t, other, 1); name != "acknowledged" {
			t.Fatalf("the user is %q, which was never committed", name)
		}
		at = commit(t, db, put(1, revision(t, db, store.UserSubject(1)), "warm"))
	}
}

// TestCommitCutSeen changes a subject that the request has seen before a commit whose connection was cut is sent again. The
// server may still run the first attempt, so Commit must not report that nothing was changed.
func TestCommitCutSeen(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	wall := &skewed{}
	db, other := openAt(t, proxied, wall), open(t, url)
	seen := commit(t, other, put(2, 0, "seen"))
	cut := func(at uint64) store.Change {
		c := put(1, at, "cut")
		c.Seen = []store.Expectation{{Subject: store.UserSubject(2), Revision: seen}}
		return c
	}
	at := commit(t, db, cut(commit(t, db, put(1, 0, "warm")))) // prepares the statements
	wall.pause = func() {
		wall.pause = nil
		if err := other.Commit(t.Context(), put(2, seen, "changed")); err != nil {
			t.Errorf("Commit() of the other node = %v", err)
		}
	}
	proxy.Fail(engines.CutBefore)
	if err := db.Commit(t.Context(), cut(at)); !errors.Is(err, store.ErrUnsure) {
		t.Errorf("Commit() = %v, want ErrUnsure", err)
	}
}

// calls has one call of each kind.
var calls = map[string]func(ctx context.Context, db *postgres.DB, id snowflake.User) error{
	"Commit": func(ctx context.Context, db *postgres.DB, id snowflake.User) error {
		hash := store.TokenHash{byte(id >> 8), byte(id), byte(time.Now().UnixNano() >> 8), byte(time.Now().UnixNano())}
		return db.Commit(ctx, store.Change{Put: []store.Record{store.Credential{Hash: hash}}})
	},
	"Decide": func(ctx context.Context, db *postgres.DB, id snowflake.User) error { return count(ctx, db, id) },
	"Read": func(ctx context.Context, db *postgres.DB, id snowflake.User) error {
		return db.Read(ctx, func(r store.Reader) error {
			_, err := r.Directory.User(id)
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			return err
		})
	},
	"Revisions": func(ctx context.Context, db *postgres.DB, id snowflake.User) error {
		_, err := db.Revisions(ctx, store.UserSubject(id))
		return err
	},
	"Ping": func(ctx context.Context, db *postgres.DB, _ snowflake.User) error { return db.Ping(ctx) },
}

// hang makes calls of every kind during a fault in which the server does not answer. Each call must end in time, and
// all must succeed again soon after the fault.
func hang(t *testing.T, db *postgres.DB, begin, end func() error) {
	t.Helper()
	const (
		busy     = 3 // a busy machine may take three times as long; TestFaults of cmd/bellhop holds the bounds themselves
		lasts    = 4 * time.Second
		answer   = busy * 3 * time.Second
		recovery = busy * 2 * time.Second
	)
	var over atomic.Int64 // when the fault has ended
	var failures atomic.Int64
	var wg sync.WaitGroup
	begun := make(chan struct{})
	var started sync.WaitGroup
	users := snowflake.User(0)
	for name, call := range calls {
		for range 6 { // in total more calls than the pool has connections
			users++
			id := users
			started.Add(1)
			wg.Go(func() {
				for first := true; ; first = false {
					start := time.Now()
					err := call(t.Context(), db, id)
					if first {
						started.Done()
						<-begun
						continue
					}
					limit := answer
					if name == "Decide" { // it makes two calls
						limit *= 2
					}
					if took := time.Since(start); took > limit {
						t.Errorf("%s answered after %v", name, took)
					}
					ended := over.Load()
					switch {
					case err == nil && ended != 0:
						if after := time.Since(time.Unix(0, ended)); after > recovery+answer {
							t.Errorf("%s worked again after %v", name, after)
						}
						return
					case err != nil && !errors.Is(err, store.ErrUnavailable):
						t.Errorf("%s = %v, want %v", name, err, store.ErrUnavailable)
						return
					case err != nil:
						failures.Add(1)
						if ended != 0 && start.After(time.Unix(0, ended).Add(recovery)) {
							t.Errorf("%s = %v, %v after the fault", name, err, time.Since(time.Unix(0, ended)))
						}
					}
				}
			})
		}
	}
	started.Wait()
	if err := begin(); err != nil {
		t.Error(err)
	}
	close(begun)
	time.Sleep(lasts)
	if err := end(); err != nil {
		t.Error(err)
	}
	over.Store(time.Now().UnixNano())
	// A call that begins now succeeds within the recovery time.
	start := time.Now()
	err := db.Ping(t.Context())
	for ; err != nil && time.Since(start) < recovery; err = db.Ping(t.Context()) {
	}
	if took := time.Since(start); err != nil || took > recovery {
		t.Errorf("Ping() = %v, %v after the fault", err, took)
	}
	wg.Wait()
	if failures.Load() == 0 {
		t.Error("no call failed")
	}
	t.Logf("%d calls failed; all worked again %v after the fault", failures.Load(), time.Since(start))
}

func TestFrozenServer(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	server, url := ownServer(t)
	hang(t, openPlain(t, url), server.Freeze, server.Thaw)
}

func TestBlackHole(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := openPlain(t, proxied)
	hang(t, db, func() error { proxy.Swallow(true); return nil }, func() error { proxy.Swallow(false); return nil })
}

// TestSlowAfterHang checks that calls work again if the server is slower after it did not answer. Each round trip then
// takes longer than a call may take while the server does not answer.
func TestSlowAfterHang(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := openPlain(t, proxied+"&connect_timeout=20")
	proxy.Swallow(true)
	for range 2 {
		if err := db.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Ping() = %v, want %v", err, store.ErrUnavailable)
		}
	}
	proxy.Swallow(false)
	proxy.Delay(200 * time.Millisecond)
	err := db.Ping(t.Context())
	for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end); err = db.Ping(t.Context()) {
	}
	if err != nil {
		t.Errorf("Ping() = %v, 30 s after the server answers again", err)
	}
}

// TestFewConnectionsAreOpened makes many calls while the server accepts connections and does not answer. One call uses the idle
// connection, and two open one each. The others wait their turn: the server would have to start a process for each connection.
func TestFewConnectionsAreOpened(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := open(t, proxied+"&connect_timeout=30")
	before := metric(t, db, "bellhop_postgres_connections")
	proxy.Swallow(true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ping := func(calls *sync.WaitGroup, budget time.Duration) {
		calls.Go(func() {
			if err := db.Ping(store.WithWaitBudget(ctx, budget)); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Ping() = %v, want %v", err, store.ErrUnavailable)
			}
		})
	}
	var first, others sync.WaitGroup
	for range 3 {
		ping(&first, 30*time.Second)
	}
	opened, end := before, time.Now().Add(20*time.Second)
	for ; opened < before+2; opened = metric(t, db, "bellhop_postgres_connections") {
		if time.Now().After(end) {
			t.Fatalf("%v connections after 20 s, %v of them from before, want two more", opened, before)
		}
		time.Sleep(time.Millisecond)
	}
	for range 9 {
		ping(&others, 100*time.Millisecond)
	}
	others.Wait()
	if opened = metric(t, db, "bellhop_postgres_connections"); opened > before+2 {
		t.Errorf("%v connections, %v of them from before, want two more", opened, before)
	}
	cancel()
	proxy.Cut() // ends the first calls
	first.Wait()
}

// locked locks tables in a transaction that ends with the test.
func locked(t *testing.T, url, tables string) {
	t.Helper()
	holder, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close(context.WithoutCancel(t.Context())) }) // ends the transaction
	if _, err := holder.Exec(t.Context(), "BEGIN; LOCK TABLE "+tables+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
}

// TestLockedTable reads users while lobbies are locked and many callers read lobbies. A table that does not answer fails
// only its own reads, and does not make the node replace the connections of others.
func TestLockedTable(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	db := openPlain(t, url+"&statement_timeout=4000")
	commit(t, db, put(1, 0, "name"))
	load := func(s store.Subject, read func(store.Reader) error) error {
		_, err := db.Load(t.Context(), s, read)
		return err
	}
	name := func() error {
		return load(store.UserSubject(1), func(r store.Reader) error {
			_, err := r.Directory.User(1)
			return err
		})
	}
	if err := name(); err != nil {
		t.Fatal(err)
	}
	locked(t, url, "lobbies")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			err := load(store.LobbySubject(1), func(r store.Reader) error {
				_, err := r.Lobbies.Lobby(1)
				return err
			})
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Load() of a locked lobby = %v, want ErrUnavailable", err)
			}
		})
	}
	blocked := make(chan struct{})
	go func() { wg.Wait(); close(blocked) }()
	reads := 0
	for done := false; !done; reads++ {
		select {
		case <-blocked:
			done = true
		default:
		}
		if err := name(); err != nil {
			t.Fatalf("Load() of a user = %v after %d reads, while lobbies are locked", err, reads)
		}
		if _, err := db.Revisions(t.Context(), store.UserSubject(1), store.LobbySubject(1)); err != nil {
			t.Fatalf("Revisions() = %v, while lobbies are locked", err)
		}
		time.Sleep(time.Millisecond) // the reads need not keep the machine busy
	}
	if lost := metric(t, db, "bellhop_postgres_retries_total"); lost != 0 {
		t.Errorf("%v attempts were repeated: a slow statement counted as a lost connection", lost)
	}
}

// TestLockedTableLateInRequest reads a locked table in a request that has little of its wait budget left. The read ends
// before the server answers it, and the node keeps its other connections.
func TestLockedTableLateInRequest(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	db := open(t, url)
	var together, wg sync.WaitGroup // opens several connections
	together.Add(3)
	for range 3 {
		wg.Go(func() {
			err := db.Read(t.Context(), func(r store.Reader) error {
				_, err := r.Directory.User(1)
				together.Done()
				together.Wait()
				return err
			})
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	observer := connect(t, url)
	before := backends(t, observer)
	locked(t, url, "lobbies")
	ctx := store.WithWaitBudget(t.Context(), 200*time.Millisecond)
	_, err := db.Load(ctx, store.LobbySubject(1), func(r store.Reader) error { _, err := r.Lobbies.Lobby(1); return err })
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Load() of a locked lobby = %v, want ErrUnavailable", err)
	}
	commit(t, db, put(1, 0, "name"))
	for pid := range backends(t, observer) {
		if !before[pid] {
			t.Errorf("connection %d is new: the node had %v, and one of them was slow", pid, before)
		}
	}
}

// backends returns the process numbers of the connections that nodes have to the database.
func backends(t *testing.T, c *pgx.Conn) map[int]bool {
	t.Helper()
	rows, err := c.Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bellhop'")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, pid := range pids {
		found[pid] = true
	}
	return found
}

// metric returns the value of a counter.
func metric(t *testing.T, db *postgres.DB, name string) float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(db.Collectors()...)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue() + f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// TestWaitBudget makes several calls of one request while the server does not answer. Together they take as long as the
// wait budget of the request. An answer restores it.
func TestWaitBudget(t *testing.T) {
	t.Parallel()
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := open(t, proxied)
	at := commit(t, db, put(1, 0, "name"))
	const budget = time.Second
	ctx := store.WithWaitBudget(t.Context(), budget)
	proxy.Swallow(true)
	began := time.Now()
	for name, err := range map[string]error{
		"Commit": db.Commit(context.WithoutCancel(ctx), put(1, at, "next")),
		"Read":   db.Read(ctx, func(r store.Reader) error { _, err := r.Directory.User(1); return err }),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s() = %v, want ErrUnavailable", name, err)
		}
	}
	if _, err := db.Revisions(ctx, store.UserSubject(1)); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Revisions() = %v, want ErrUnavailable", err)
	}
	if took := time.Since(began); took > 5*budget { // a call alone may take 25 s
		t.Errorf("three calls took %v, want about %v", took, budget)
	}
	if left := store.WaitBudget(ctx, time.Hour); left > 0 {
		t.Errorf("the request would wait another %v", left)
	}
	proxy.Swallow(false)
	proxy.Cut()
	again := store.WithWaitBudget(t.Context(), 20*time.Second)
	store.Waited(again, time.Second, false)
	if _, err := db.Revisions(again, store.UserSubject(1)); err != nil || store.WaitBudget(again, time.Hour) != 20*time.Second {
		t.Errorf("Revisions() = %v, then the request waits %v, want 20s", err, store.WaitBudget(again, time.Hour))
	}
}

// TestIdleConnectionsDead makes calls after the packets of all idle connections were dropped for a moment without
// calls.
func TestIdleConnectionsDead(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	url := database(t)
	proxy, proxied := through(t, shared.server.Addr(), url)
	db := openPlain(t, proxied+"&statement_timeout=5000")
	var wg sync.WaitGroup
	for i := range snowflake.User(10) {
		wg.Go(func() {
			if err := count(t.Context(), db, i+1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	proxy.Kill()
	start := time.Now()
	if err := count(t.Context(), db, 1); err != nil || time.Since(start) > 10*time.Second { // 3 s on a machine that is not busy
		t.Errorf("count after %v: %v", time.Since(start), err)
	}
	if name := username(t, db, 1); name != "2" {
		t.Errorf("counted to %s, want 2", name)
	}
}

// TestFaults counts while connections are cut and the server stops and restarts. An acknowledged change is applied
// once. A failed change is not applied unless its error is ErrUnsure.
func TestFaults(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	server, url := ownServer(t)
	db := open(t, url)
	for _, fault := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"connections cut", server.Cut},
		{"restart", func(ctx context.Context) error { return errors.Join(server.Halt(), server.Start(ctx)) }},
		{"crash", func(ctx context.Context) error { return errors.Join(server.Kill(), server.Start(ctx)) }},
		{"frozen", func(context.Context) error {
			err := server.Freeze()
			time.Sleep(1500 * time.Millisecond)
			return errors.Join(err, server.Thaw())
		}},
	} {
		t.Run(fault.name, func(t *testing.T) { countThrough(t, db, fault.do) }) // not parallel: all faults are on one server
	}
}

// countThrough counts with several writers while do runs.
func countThrough(t *testing.T, db *postgres.DB, do func(ctx context.Context) error) {
	t.Helper()
	const writers = 8
	var done atomic.Bool
	var steps, refused, allUnsure atomic.Int64
	begun := make(chan struct{})
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			id := snowflake.User(i + 1)
			acknowledged, _ := strconv.Atoi(username(t, db, id)) // an empty name counts as 0
			unsure := 0
			for after := 0; after < 5; {
				switch err := count(t.Context(), db, id); {
				case err == nil:
					acknowledged++
					if steps.Add(1) == 10*writers {
						close(begun)
					}
					if done.Load() {
						after++
					}
				case errors.Is(err, store.ErrUnsure):
					allUnsure.Add(1)
					unsure++
				case errors.Is(err, store.ErrUnavailable):
					refused.Add(1)
				default:
					t.Errorf("count: %v", err)
					return
				}
			}
			if got, _ := strconv.Atoi(username(t, db, id)); got < acknowledged || got > acknowledged+unsure {
				t.Errorf("user %d counted to %d, want %d and up to %d more", id, got, acknowledged, unsure)
			}
		})
	}
	<-begun
	err := do(t.Context())
	done.Store(true)
	wg.Wait()
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d steps, %d refused, %d unsure", steps.Load(), refused.Load(), allUnsure.Load())
}
