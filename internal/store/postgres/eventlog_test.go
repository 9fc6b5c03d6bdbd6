package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// logNode is a node that reads the event log. No node gets hints, so nodes find the events of others by themselves.
type logNode struct {
	db    *postgres.DB
	log   *postgres.EventLog
	bus   events.Bus
	heard *events.Subscription
	stop  func()
}

// readLog starts a node on a database.
func readLog(t testing.TB, db *postgres.DB, keep time.Duration) *logNode {
	t.Helper()
	n := newLogNode(db)
	if keep > 0 {
		n.log.Keep = keep
	}
	return n.begin(t)
}

// readPartitions starts a node that reads only some partitions.
func readPartitions(t testing.TB, db *postgres.DB, interest *events.Interest) *logNode {
	t.Helper()
	n := newLogNode(db)
	n.log.Interest, interest.Wake = interest, n.log.Wake
	return n.begin(t)
}

func newLogNode(db *postgres.DB) *logNode {
	n := &logNode{db: db}
	n.log = postgres.NewEventLog(db, &n.bus, slog.New(slog.DiscardHandler))
	return n
}

func (n *logNode) begin(t testing.TB) *logNode {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- n.log.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	t.Cleanup(n.stop)
	select {
	case <-n.log.Begun():
	case <-time.After(30 * time.Second):
		t.Fatal("the log is not read")
	}
	n.heard = n.bus.Subscribe(1 << 15)
	return n
}

// next returns the next events that have a name.
func (n *logNode) next(t testing.TB, count int) (list []events.Event) {
	t.Helper()
	late := time.After(30 * time.Second)
	for len(list) < count {
		select {
		case e, ok := <-n.heard.Events():
			if !ok {
				t.Fatalf("interrupted after %d of %d events: %v", len(list), count, n.heard.Err())
			}
			if e.Name != "" {
				list = append(list, e)
			}
		case <-late:
			t.Fatalf("received %d of %d events", len(list), count)
		}
	}
	return list
}

// wantNames fails unless the next events have the given names.
func (n *logNode) wantNames(t testing.TB, names ...string) []events.Event {
	t.Helper()
	list := n.next(t, len(names))
	for i, e := range list {
		if e.Name != names[i] {
			t.Fatalf("event %d is %s, want %s", i, e.Name, names[i])
		}
	}
	return list
}

// wantNone fails if an event arrives in a time in which many reads happen.
func (n *logNode) wantNone(t testing.TB, span time.Duration) {
	t.Helper()
	for late := time.After(span); ; {
		select {
		case e := <-n.heard.Events():
			if e.Name != "" {
				t.Fatalf("received %s too early", e.Name)
			}
		case <-late:
			return
		}
	}
}

// wantInterrupted reads events until the subscription ends because events were lost, and subscribes again.
func (n *logNode) wantInterrupted(t testing.TB) (before []string) {
	t.Helper()
	for late := time.After(30 * time.Second); ; {
		select {
		case e, ok := <-n.heard.Events():
			if ok {
				if e.Name != "" {
					before = append(before, e.Name)
				}
				continue
			}
			if !errors.Is(n.heard.Err(), events.ErrLagging) {
				t.Fatal(n.heard.Err())
			}
			n.heard = n.bus.Subscribe(1 << 15)
			return before
		case <-late:
			t.Fatalf("not interrupted after %v", before)
		}
	}
}

// record commits a change with events that have the given names.
func record(t testing.TB, db *postgres.DB, names ...string) {
	t.Helper()
	id := snowflake.User(1)
	c := put(id, revision(t, db, store.UserSubject(id)), "name")
	for _, name := range names {
		c.Events = append(c.Events, store.Event{Subject: store.UserSubject(id), Event: events.Event{Name: name, Data: []byte("{}")}})
	}
	commit(t, db, c)
}

// connect returns a connection for the test itself.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

func execute(t testing.TB, c *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// insertNamed inserts an event in the transaction of a connection.
func insertNamed(t testing.TB, c *pgx.Conn, entry []byte) {
	t.Helper()
	if _, err := c.Exec(t.Context(), "INSERT INTO events (revision, doc) VALUES (1, $1)", entry); err != nil {
		t.Fatal(err)
	}
}

func named(name string) []byte { return events.AppendEntry(nil, &events.Event{Name: name}) }

// metric returns the value of a counter of the log.
func (n *logNode) metric(t testing.TB, name string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(n.log.Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// TestEventLogOrder lets three nodes write to the same subjects at the same time. Each node receives every event once, all
// in the same order, and those of a subject in the order of its states.
func TestEventLogOrder(t *testing.T) {
	t.Parallel()
	const nodes, writers, each, subjects = 3, 4, 40, 5
	url := database(t)
	var list [nodes]*logNode
	for i := range list {
		list[i] = readLog(t, open(t, url), 0)
	}
	var wg sync.WaitGroup
	for w := range nodes * writers {
		n := list[w%nodes]
		wg.Go(func() {
			for i := range each {
				if err := countWithEvents(t.Context(), n.db, snowflake.User((w+i)%subjects+1)); err != nil {
					t.Error(err)
				}
				n.bus.Publish(events.Event{Name: fmt.Sprint("free ", w), Data: []byte(strconv.Itoa(i))})
			}
		})
	}
	wg.Wait()
	const total = nodes * writers * each * 3
	var order []events.Position
	for i, n := range list {
		last := map[string]int{}
		var positions []events.Position
		for _, e := range n.next(t, total) {
			positions = append(positions, e.Position)
			at, err := strconv.Atoi(string(e.Data))
			if before, known := last[e.Name]; err != nil || known && at != before+1 {
				t.Fatalf("node %d receives %s %s after %d, %v", i, e.Name, e.Data, before, err)
			}
			last[e.Name] = at
		}
		if !slices.IsSortedFunc(positions, func(a, b events.Position) int {
			if a.Before(b) {
				return -1
			}
			return 1
		}) {
			t.Errorf("node %d receives events out of order", i)
		}
		if i > 0 && !slices.Equal(order, positions) {
			t.Errorf("node %d receives events in another order", i)
		}
		order = positions
		n.wantNone(t, 300*time.Millisecond)
	}
}

// countWithEvents adds 1 to the name of a user, and records two events: with the new number twice as large, and one more.
func countWithEvents(ctx context.Context, db *postgres.DB, id snowflake.User) error {
	return store.Decide(ctx, db, func(tx *store.Tx) error {
		u, err := tx.Directory.User(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n, _ := strconv.Atoi(u.Username) // an empty name counts as 0
		for i := range 2 {
			tx.Announce(store.Event{Subject: store.UserSubject(id), Event: events.Event{Name: id.String(), Data: []byte(strconv.Itoa(2*n + i))}})
		}
		return tx.Put(store.User{ID: id, Username: strconv.Itoa(n + 1)})
	})
}

// TestEventLogOpenTransaction commits a transaction late that got its number early. Its event comes first on all nodes, also
// after the time in which a transaction of another program may hold events back.
func TestEventLogOpenTransaction(t *testing.T) {
	t.Parallel()
	url := database(t)
	n := readLog(t, open(t, url), 0)
	c := connect(t, url)
	execute(t, c, "BEGIN", "INSERT INTO subjects VALUES (999, 1, 1, 1)")
	record(t, n.db, "SECOND")
	n.wantNone(t, 1500*time.Millisecond)
	insertNamed(t, c, named("FIRST"))
	execute(t, c, "COMMIT")
	n.wantNames(t, "FIRST", "SECOND")
}

// TestEventLogForeignTransaction leaves a transaction of another program open, which has a number. Events arrive without
// waiting for it, and still in the order of the transactions that record events.
func TestEventLogForeignTransaction(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		url := database(t)
		readPast(t, url, url)
	})
	t.Run("PgBouncer", func(t *testing.T) {
		t.Parallel()
		b, url := pooler(t), database(t)
		pooled, err := b.URL(url)
		if err != nil {
			t.Fatal(err)
		}
		readPast(t, url, pooled)
	})
}

// readPast tests a node with one URL. The other programs use another URL of the same database.
func readPast(t *testing.T, url, nodeURL string) {
	t.Helper()
	n := readLog(t, open(t, nodeURL), 0)
	foreign, c := connect(t, url), connect(t, url)
	execute(t, foreign, "CREATE TEMPORARY TABLE foreign_rows (n INT)", "BEGIN", "INSERT INTO foreign_rows VALUES (1)")
	record(t, n.db, "A")
	record(t, n.db, "B", "C")
	at := n.wantNames(t, "A", "B", "C")[0].Position
	if list, err := n.log.EventsAfter(t.Context(), at, nil); err != nil || len(list) != 2 {
		t.Errorf("EventsAfter() = %v, %v, want two events", list, err)
	}
	execute(t, c, "BEGIN", "INSERT INTO subjects VALUES (999, 1, 1, 1)")
	record(t, n.db, "E")
	n.wantNone(t, 500*time.Millisecond)
	insertNamed(t, c, named("D"))
	execute(t, c, "COMMIT")
	n.wantNames(t, "D", "E")
	execute(t, foreign, "COMMIT")
	record(t, n.db, "F")
	n.wantNames(t, "F")
	late := readLog(t, n.db, 0)
	late.wantNone(t, 300*time.Millisecond)
}

// TestEventLogDamaged stores an event that cannot be read between others. The sessions of the node are invalidated, and
// later events arrive.
func TestEventLogDamaged(t *testing.T) {
	t.Parallel()
	url := database(t)
	n := readLog(t, open(t, url), 0)
	c := connect(t, url)
	record(t, n.db, "START")
	at := n.wantNames(t, "START")[0].Position
	execute(t, c, "BEGIN")
	for _, entry := range [][]byte{named("BEFORE"), append(named("DAMAGED"), 0), named("AFTER")} {
		insertNamed(t, c, entry)
	}
	execute(t, c, "COMMIT")
	if before := n.wantInterrupted(t); !slices.Equal(before, []string{"BEFORE"}) {
		t.Errorf("received %v before the damaged event", before)
	}
	if list, err := n.log.EventsAfter(t.Context(), at, nil); err == nil {
		t.Errorf("EventsAfter() = %v, want an error", list)
	}
	record(t, n.db, "LATER")
	for n.next(t, 1)[0].Name != "LATER" { // AFTER may come first
	}
	if got := n.metric(t, "bellhop_events_damaged_total"); got != 1 {
		t.Errorf("%v damaged events are counted, want 1", got)
	}
}

// TestEventLogUnreadable stores an event that the server cannot read, as after damage to its disk. The node skips it, the
// sessions are invalidated, and the events around it arrive. If the server cannot even read its position, the node begins at
// the end of the log.
func TestEventLogUnreadable(t *testing.T) {
	t.Parallel()
	url := database(t)
	n := readLog(t, open(t, url), 0)
	c := connect(t, url)
	record(t, n.db, "START")
	n.wantNames(t, "START")
	execute(t, c, "BEGIN", "ALTER TABLE events RENAME TO events_stored",
		"CREATE FUNCTION damaged(number BIGINT) RETURNS BIGINT LANGUAGE plpgsql STABLE AS"+
			" $$ BEGIN RAISE EXCEPTION 'damaged' USING ERRCODE = 'XX001'; END $$",
		"CREATE VIEW events AS SELECT xid, CASE WHEN doc = '\\xdeadbeef' THEN damaged(seq) ELSE seq END AS seq, revision, created, partitions,"+
			" CASE WHEN doc = '\\xdead' AND damaged(seq) > 0 THEN NULL ELSE doc END AS doc FROM events_stored",
		"COMMIT")
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		c, err := pgx.Connect(ctx, url)
		if err == nil {
			_, err = c.Exec(ctx, "DROP VIEW events; DROP FUNCTION damaged; ALTER TABLE events_stored RENAME TO events")
			err = errors.Join(err, c.Close(ctx))
		}
		if err != nil {
			t.Error(err)
		}
	})
	insert := func(entries ...[]byte) {
		t.Helper()
		execute(t, c, "BEGIN")
		for _, entry := range entries {
			if _, err := c.Exec(t.Context(), "INSERT INTO events_stored (revision, doc) VALUES (1, $1)", entry); err != nil {
				t.Fatal(err)
			}
		}
		execute(t, c, "COMMIT")
	}
	insert(named("BEFORE"), []byte{0xde, 0xad}, named("AFTER"))
	if before := n.wantInterrupted(t); !slices.Equal(before, []string{"BEFORE"}) {
		t.Errorf("received %v before the unreadable event", before)
	}
	if got := n.metric(t, "bellhop_events_damaged_total"); got != 1 {
		t.Errorf("%v damaged events are counted, want 1", got)
	}
	insert(named("LATER"))
	for n.next(t, 1)[0].Name != "LATER" { // AFTER may come first
	}
	insert([]byte{0xde, 0xad, 0xbe, 0xef}, named("SKIPPED"))
	n.wantInterrupted(t)
}

// TestEventLogNoHint records an event on a node that dies before it tells the others. They read it anyway.
func TestEventLogNoHint(t *testing.T) {
	t.Parallel()
	url := database(t)
	dying, n := open(t, url), readLog(t, open(t, url), 0) // nothing sends hints
	c := put(1, 0, "changed")
	c.Events = []store.Event{{Subject: store.UserSubject(1), Event: events.Event{Name: "E"}}}
	commit(t, dying, c)
	if err := dying.Close(); err != nil {
		t.Fatal(err)
	}
	n.wantNames(t, "E")
}

// TestEventLogRemoved removes old events, and no others. A position before the last removed event cannot be used any more,
// and a position after it can. A position that the log has not reached belongs to events that a server has lost.
func TestEventLogRemoved(t *testing.T) {
	t.Parallel()
	url := database(t)
	n, other := readLog(t, open(t, url), time.Hour), readLog(t, open(t, url), time.Hour)
	record(t, n.db, "A", "B")
	record(t, n.db, "C")
	record(t, n.db, "D")
	list := n.wantNames(t, "A", "B", "C", "D")
	other.wantNames(t, "A", "B", "C", "D") // before they are removed
	c := connect(t, url)
	const age = "UPDATE events SET created = created - 7200000000 WHERE (xid, seq) <= ($1, $2)"
	if _, err := c.Exec(t.Context(), age, int64(list[2].Position.Transaction), int64(list[2].Position.Number)); err != nil {
		t.Fatal(err)
	}
	left := 4
	for end := time.Now().Add(30 * time.Second); left > 1; time.Sleep(20 * time.Millisecond) {
		if err := c.QueryRow(t.Context(), "SELECT COUNT(*) FROM events").Scan(&left); err != nil || time.Now().After(end) {
			t.Fatalf("%d events are left, %v", left, err)
		}
	}
	if left != 1 {
		t.Errorf("%d events are left, want the one that is not old", left)
	}
	for i, want := range []int{-1, -1, 1, 0} {
		if got, err := other.log.EventsAfter(t.Context(), list[i].Position, nil); (err == nil) != (want >= 0) || len(got) != max(want, 0) {
			t.Errorf("EventsAfter(%s) = %v, %v", list[i].Name, got, err)
		}
	}
	later := list[3].Position
	later.Transaction += 1 << 40
	if got, err := other.log.EventsAfter(t.Context(), later, nil); err == nil {
		t.Errorf("EventsAfter() a position that the log has not reached = %v, want an error", got)
	}
	record(t, n.db, "E")
	n.wantNames(t, "E")
	other.wantNames(t, "E")
}

// TestEventLogHistory moves a node to a server that has recovered to an earlier moment. It invalidates its sessions and
// refuses positions of the old server.
func TestEventLogHistory(t *testing.T) {
	t.Parallel()
	engines.Need(t, "postgres")
	old, err := engines.StartPostgres(t.Context(), append(engines.Archiving, engines.Quick...)...)
	if err != nil {
		t.Fatal(err)
	}
	stop := func(p *engines.Postgres) func() {
		return func() {
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(stop(old))
	url, err := old.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open(t, url) // for the schema
	next, err := old.BaseBackup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop(next))
	if err := next.Recover(t.Context(), "recovery_target=immediate"); err != nil {
		t.Fatal(err)
	}
	both := strings.Replace(url, old.Addr(), old.Addr()+","+next.Addr(), 1)
	n := readLog(t, open(t, both), 0)
	record(t, n.db, "A", "B", "C")
	at := n.wantNames(t, "A", "B", "C")[1].Position
	if err := old.Kill(); err != nil {
		t.Fatal(err)
	}
	n.wantInterrupted(t)
	if list, err := n.log.EventsAfter(t.Context(), at, nil); err == nil {
		t.Errorf("EventsAfter() a position of the old server = %v, want an error", list)
	}
	record(t, n.db, "D")
	n.wantNames(t, "D")
}

// TestEventLogOnce cuts connections while events of no change are recorded. Each arrives once.
func TestEventLogOnce(t *testing.T) {
	t.Parallel()
	server, url := ownServer(t)
	direct := open(t, url)
	proxy, proxied := through(t, server.Addr(), url)
	n, other := readLog(t, open(t, proxied), 0), readLog(t, direct, 0)
	const count = 60
	for i := range count {
		var happened <-chan struct{}
		if i%4 == 0 {
			happened = proxy.Fail([]engines.Fault{engines.CutBefore, engines.CutWithin, engines.CutAfter}[i/4%3])
		}
		n.bus.Publish(events.Event{Name: strconv.Itoa(i)})
		if happened == nil {
			continue
		}
		select {
		case <-happened: // to the event, or to a read of the log
		case <-time.After(30 * time.Second):
			t.Fatal("no connection was cut")
		}
	}
	for i, e := range other.next(t, count) {
		if e.Name != strconv.Itoa(i) {
			t.Fatalf("event %d is %s", i, e.Name)
		}
	}
	other.wantNone(t, 500*time.Millisecond)
}

// TestEventLogPrivileges runs a node as an ordinary user, also one that may not ask for the server's timeline.
func TestEventLogPrivileges(t *testing.T) {
	t.Parallel()
	server, url := ownServer(t)
	admin := connect(t, url)
	execute(t, admin, "CREATE ROLE plain LOGIN", "GRANT ALL ON SCHEMA public TO plain")
	plain := strings.Replace(url, "bellhop@", "plain@", 1)
	foreign := connect(t, server.URL("postgres"))
	for i, revoke := range []string{"SELECT 1", "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC"} {
		execute(t, admin, revoke)
		n := readLog(t, open(t, plain), 0)
		table := "foreign_rows" + strconv.Itoa(i)
		execute(t, foreign, "CREATE TABLE "+table+" (n INT)", "BEGIN", "INSERT INTO "+table+" VALUES (1)")
		record(t, n.db, "A")
		n.wantNames(t, "A")
		execute(t, foreign, "COMMIT")
	}
}

// TestEventLogPartitions checks that a node gets the events of its partitions, and the position of the others.
func TestEventLogPartitions(t *testing.T) {
	t.Parallel()
	url := database(t)
	writer, reader := open(t, url), open(t, url)
	interest := events.NewInterest()
	interest.Add(events.GuildPartition(1))
	n := readPartitions(t, reader, interest)
	id := snowflake.User(1)
	announce := func(list ...events.Event) {
		t.Helper()
		c := put(id, revision(t, writer, store.UserSubject(id)), "name")
		for _, e := range list {
			c.Events = append(c.Events, store.Event{Subject: store.UserSubject(id), Event: e})
		}
		commit(t, writer, c)
	}
	of := func(name string, guild snowflake.Guild) events.Event {
		return events.Event{Name: name, Data: []byte("{}"), To: events.Audience{Guild: guild}}
	}
	announce(of("a", 2), of("b", 1), of("c", 2), events.Event{Name: "everyone", Data: []byte("{}")}, of("d", 2))
	got := n.wantNames(t, "b", "everyone")
	before := got[0].Position
	end := n.nextPosition(t)
	if !got[1].Position.Before(end) {
		t.Errorf("the position of the last event is %v, that of an event before it %v", end, got[1].Position)
	}

	list, err := n.log.EventsAfter(t.Context(), before, []events.Partition{events.GuildPartition(2)})
	if err != nil || len(list) != 3 || list[0].Name != "c" || list[1].Name != "everyone" || list[2].Name != "d" {
		t.Errorf("EventsAfter() of another guild = %v, %v", list, err)
	}
	list, err = n.log.EventsAfter(t.Context(), before, []events.Partition{events.GuildPartition(1)})
	if err != nil || len(list) != 2 || list[0].Name != "everyone" || list[1].Name != "" || list[1].Position != end {
		t.Errorf("EventsAfter() = %v, %v, want an event and the position of the end", list, err)
	}

	t.Run("a user joins another guild", func(t *testing.T) {
		interest.Add(events.AccountPartition(200))
		if err := interest.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		join := events.Event{Name: "join", Data: []byte("{}"), To: events.Audience{Guild: 2}, Change: &events.Change{Guild: 2, Joined: 200}}
		announce(join, of("e", 2))
		joined := n.wantNames(t, "join")
		n.wantNone(t, 300*time.Millisecond)
		interest.Add(events.GuildPartition(2))
		interest.Handled(joined[0].Position)
		n.wantNames(t, "e")
	})
}

// nextPosition returns the position of the next event, which contains nothing else.
func (n *logNode) nextPosition(t testing.TB) events.Position {
	t.Helper()
	select {
	case e := <-n.heard.Events():
		if e.Name != "" {
			t.Fatalf("received %s", e.Name)
		}
		return e.Position
	case <-time.After(30 * time.Second):
		t.Fatal("no position arrives")
	}
	return events.Position{}
}
