package eventhook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/eventhook"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	echo = snowflake.Application(100)
	hook = "https://echo.example/events"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// still stands still. It fires timers that are due at once; the movable clock on top of it fires the others.
type still struct{}

func (still) Now() time.Time { return start }
func (still) AfterFunc(d time.Duration, f func()) *clock.Timer {
	if d <= 0 {
		return clock.System{}.AfterFunc(0, f)
	}
	return clock.System{}.AfterFunc(time.Hour, func() {})
}

// fixture is the service with one application and its own store.
type fixture struct {
	*eventhook.Webhooks

	t     *testing.T
	db    store.Store
	clock *clock.Movable
	dir   *directory.Directory

	mu   sync.Mutex
	sent []string // "TYPE URL BODY"
	fail error
	hold chan struct{} // events of echo wait until it is closed; nil: they do not
}

func open(t *testing.T) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, db: db, clock: clock.NewMovable(still{})}
	ids := store.NewIDs(0, f.clock.Now, time.Time{})
	recorded := &audit.Log{Store: db, Clock: f.clock, Wall: clock.System{}, IDs: ids, Logger: log}
	f.dir = directory.New(directory.Config{Store: db, Cache: cache.New(db, 1<<20), Clock: f.clock, IDs: ids, Audit: recorded, Log: log})
	box := outbox.New(outbox.Config{Store: db, Clock: f.clock, IDs: ids, Log: log, Metrics: metrics.New("test")})
	f.Webhooks = eventhook.New(eventhook.Config{Directory: f.dir, Outbox: box, Clock: f.clock, Wall: clock.System{}, Log: log, Send: f.send})
	f.dir.Removals.Dependents = []directory.Dependent{f.Webhooks}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{box.Run, f.dir.Removals.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	if err := box.WaitUntilRunning(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f.set(store.Application{ID: echo, Name: "Echo", EventURL: hook, EventStatus: wire.EventWebhooksEnabled, EventTypes: []string{wire.ApplicationAuthorized}})
	return f
}

func (f *fixture) send(_ context.Context, event string, v webhook.Delivery) error {
	if f.hold != nil && v.Application == echo {
		<-f.hold
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, event+" "+v.URL+" "+string(v.Body))
	return f.fail
}

func (f *fixture) fails(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *fixture) log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.sent...)
}

// set stores the application.
func (f *fixture) set(app store.Application) {
	f.t.Helper()
	if app.SigningKey == nil {
		if err := f.Sealer.NewApplicationKey(&app); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := f.dir.Update(f.t.Context(), func(tx *directory.Tx) error { return directory.ApplicationKind.Put(tx, app) }); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) app() store.Application {
	f.t.Helper()
	app, err := f.dir.Applications.Application(f.t.Context(), echo)
	if err != nil {
		f.t.Fatal(err)
	}
	return *app
}

// happen stores an event of the application in a change. It returns the number of deliveries.
func (f *fixture) happen(event, url string, data any) (n int) {
	f.t.Helper()
	app := f.app()
	err := store.Decide(f.t.Context(), f.db, func(tx *store.Tx) error {
		list, err := f.Records(&app, event, url, data)
		n = len(list)
		return errors.Join(err, tx.Put(list...))
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// until waits for a condition.
func (f *fixture) until(what string, met func() bool) {
	f.t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); clock.Pause(f.t.Context(), time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("waited 30 s for %s; sent %d: %v", what, len(f.log()), f.log())
		}
	}
}

// waiting returns the number of stored deliveries.
func (f *fixture) waiting() int {
	f.t.Helper()
	var ids []store.OutgoingID
	err := f.db.Read(f.t.Context(), func(r store.Reader) (err error) {
		ids, err = r.Outbox.Oldest(1<<62, 1000)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return len(ids)
}

// failures returns what is stored about failures.
func (f *fixture) failures() store.EventFailures {
	f.t.Helper()
	found, err := f.Failures(f.t.Context(), echo)
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// TestBody checks the body of a request, and that only the wanted types are sent, and only while they are on.
func TestBody(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.happen(wire.ApplicationAuthorized, "", map[string]int{"a": 1})
	f.until("an event", func() bool { return f.waiting() == 0 && len(f.log()) == 1 })
	want := `APPLICATION_AUTHORIZED ` + hook + ` {"version":1,"application_id":"100","type":1,"event":{"type":"APPLICATION_AUTHORIZED",` +
		`"timestamp":"2026-05-01T12:00:00.000000","data":{"a":1}}}`
	if got := f.log()[0]; got != want {
		t.Errorf("sent\n%s, want\n%s", got, want)
	}
	if n := f.happen("LOBBY_MESSAGE_CREATE", "", nil); n != 0 {
		t.Errorf("%d deliveries of a type that the application does not want", n)
	}
	f.happen(wire.ApplicationAuthorized, "https://lobby.example/", 1)
	f.until("an event of a lobby", func() bool { return len(f.log()) == 2 })
	if got := f.log()[1]; !strings.HasPrefix(got, "APPLICATION_AUTHORIZED https://lobby.example/ ") {
		t.Errorf("sent %s, want the URL of the event", got)
	}
	for name, change := range map[string]func(*store.Application){
		"off":          func(a *store.Application) { a.EventStatus = 0 },
		"switched off": func(a *store.Application) { a.EventStatus = wire.EventWebhooksSwitchedOff },
		"no URL":       func(a *store.Application) { a.EventURL = "" },
	} {
		app := f.app()
		change(&app)
		if list, err := f.Records(&app, wire.ApplicationAuthorized, "", nil); err != nil || len(list) != 0 {
			t.Errorf("%s: %d deliveries, %v", name, len(list), err)
		}
	}
}

// TestRetry checks that a failed event is sent again after 1, 2, 4 … 256 seconds, and dropped after the tenth failure, and that a
// success forgets the failures.
func TestRetry(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fails(&webhook.Error{Kind: webhook.Status, Status: 500})
	f.happen(wire.ApplicationAuthorized, "", nil)
	f.until("the first attempt", func() bool { return f.failures().Count == 1 })
	for n, seconds := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256} {
		half := time.Duration(seconds) * time.Second / 2
		f.clock.Advance(half)
		if got := len(f.log()); got != n+1 {
			t.Fatalf("%d attempts in the middle of pause %d, want %d", got, n, n+1)
		}
		f.clock.Advance(half + 100*time.Millisecond)
		f.until(fmt.Sprint("attempt ", n+2), func() bool { return f.failures().Count == n+2 })
	}
	f.until("the end", func() bool { return f.waiting() == 0 })
	if got := f.failures(); got.Why != "answered 500 after 0 ms" || got.At.Before(start) {
		t.Errorf("stored %+v", got)
	}
	f.fails(nil)
	f.happen(wire.ApplicationAuthorized, "", nil)
	f.until("a success", func() bool { return f.failures() == store.EventFailures{} })
}

// TestSwitchedOff checks that 100 failures in a row switch the event webhooks off, with an entry of the audit log, and that
// requests that were not sent and those to the URL of a lobby do not count.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fails(&webhook.Error{Kind: webhook.CircuitOpen})
	f.happen(wire.ApplicationAuthorized, "", nil)
	f.until("a paused endpoint", func() bool { return len(f.log()) == 1 })
	f.fails(&webhook.Error{Kind: webhook.Timeout})
	f.happen(wire.ApplicationAuthorized, "https://lobby.example/", nil)
	f.until("the URL of a lobby", func() bool { return len(f.log()) == 2 })
	if got := f.failures(); got.Count != 0 {
		t.Errorf("%+v are counted", got)
	}
	for n := range 100 {
		if got := f.app().EventStatus; got != wire.EventWebhooksEnabled {
			t.Fatalf("the status is %d after %d failures", got, n)
		}
		f.happen(wire.ApplicationAuthorized, "", nil)
		f.until("a failure", func() bool { return f.failures().Count == (n+1)%100 && !f.failures().At.IsZero() })
	}
	if got := f.app().EventStatus; got != wire.EventWebhooksSwitchedOff {
		t.Fatalf("the status is %d, want 3", got)
	}
	var entry store.AuditEntry
	err := f.db.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Audit.List(store.AuditFilter{Target: "application/100"}, 1)
		if err == nil && len(list) > 0 {
			entry = list[0]
		}
		return err
	})
	if err != nil || entry.Actor != audit.System || !strings.Contains(string(entry.After), `"event_webhooks_status":3`) {
		t.Errorf("the newest entry of the audit log is %+v, %v", entry, err)
	}
	before := len(f.log())
	f.clock.Advance(2 * time.Second)
	f.until("the waiting events to be dropped", func() bool { return f.waiting() == 0 })
	if got := len(f.log()); got != before {
		t.Errorf("%d events were sent after that", got-before)
	}
}

// TestDeleted checks that the events and the failures of a deleted application are dropped.
func TestDeleted(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fails(&webhook.Error{Kind: webhook.Timeout})
	f.happen(wire.ApplicationAuthorized, "", nil)
	f.until("a failure", func() bool { return f.failures().Count == 1 })
	if err := f.dir.Applications.Delete(t.Context(), echo); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(time.Minute)
	f.until("the end", func() bool { return f.waiting() == 0 && f.failures() == store.EventFailures{} })
	if got := len(f.log()); got != 1 {
		t.Errorf("sent %d times, want once", got)
	}
}

// TestSlowApplication checks that an application that answers slowly does not delay the events of another one, and that its own events
// wait without being given up.
func TestSlowApplication(t *testing.T) {
	t.Parallel()
	const other = snowflake.Application(101)
	f := open(t)
	f.hold = make(chan struct{})
	f.set(store.Application{ID: other, Name: "Other", EventURL: hook + "/other", EventStatus: wire.EventWebhooksEnabled, EventTypes: []string{wire.ApplicationAuthorized}})
	const many = 100
	err := store.Decide(t.Context(), f.db, func(tx *store.Tx) error {
		for n := range many + 1 { // in one change, so that one batch has them all
			id := echo
			if n == many {
				id = other
			}
			app, err := tx.Directory.Application(id)
			if err != nil {
				return err
			}
			list, err := f.Records(&app, wire.ApplicationAuthorized, "", n)
			if err := errors.Join(err, tx.Put(list...)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.until("the event of the other application", func() bool { return len(f.log()) == 1 && strings.Contains(f.log()[0], "/other") })
	close(f.hold)
	f.until("all events", func() bool {
		f.clock.Advance(time.Minute)
		return len(f.log()) == many+1
	})
}
