package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The people, places and apps of the tests.
const (
	ada, bob, cleo                    snowflake.User        = 200, 201, 202
	echo, tool                        snowflake.Application = 100, 101
	guild                             snowflake.Guild       = 300
	general, hidden, thread, quiet    snowflake.Channel     = 310, 311, 312, 313
	withEcho, withBob, group, mingled snowflake.Channel     = 501, 502, 503, 504
)

// everyoneBits let everyone see, read, send, use commands, launch activities and bring apps along.
const everyoneBits = "1126726688115712"

// lab has an app that its guild installed and that has Activities, and one that bob alone has installed.
const lab = `
users:
  - {id: 200, username: ada, global_name: Ada, locale: de}
  - {id: 201, username: bob}
  - {id: 202, username: cleo}
applications:
  - {id: 100, name: Echo, owner: 200, integration_types: [0, 1], activities: true}
  - {id: 101, name: Tool, owner: 200, integration_types: [0, 1]}
guilds:
  - id: 300
    name: Lab
    owner: 202
    preferred_locale: fr
    everyone: "1126726688115712"
    roles: [{id: 301, name: mods, permissions: "0"}]
    channels:
      - {id: 310, name: general, type: 0, topic: talk}
      - {id: 311, name: hidden, type: 0, permission_overwrites: [{id: 300, type: 0, allow: "0", deny: "1024"}]}
      - {id: 312, name: thread, type: 11, parent: 310}
      - {id: 313, name: quiet, type: 0, permission_overwrites: [{id: 300, type: 0, allow: "0", deny: "2048"}]}
    members: [{user: 200, roles: [301]}, {user: 201}, {user: 202}]
    installs: [{application: 100, scopes: [bot, applications.commands]}]
user_installs:
  - {user: 201, application: 101}
`

// desk is the service over a store of its own, with everything around it.
type desk struct {
	*dispatch.Dispatch

	t        testing.TB
	db       *gatedStore
	path     string
	clock    *clock.Movable
	commands *registry.Registry
	heard    *recorder
	files    *shelf
	hooks    *webhook.Deliverer
	metrics  *metrics.Metrics
	config   dispatch.Config
	stop     func()
}

// gatedStore is a store that a test can make fail or wait.
type gatedStore struct {
	store.Store

	shared bool // it says that other processes write to it

	mu     sync.Mutex
	fail   bool                // commits fail
	commit func(*store.Change) // is called before a commit; may be nil
	read   func()              // is called before a read; may be nil
}

func (s *gatedStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read != nil {
		read()
	}
	return s.Store.Read(ctx, fn)
}

func (s *gatedStore) Shared() bool { return s.shared }

// refuse lets commits fail, or succeed again.
func (s *gatedStore) refuse(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// before has fn called before each commit.
func (s *gatedStore) before(fn func(*store.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit = fn
}

func (s *gatedStore) Commit(ctx context.Context, c store.Change) error {
	s.mu.Lock()
	fail, before := s.fail, s.commit
	s.mu.Unlock()
	if fail {
		return store.ErrUnavailable
	}
	if before != nil {
		before(&c)
	}
	return s.Store.Commit(ctx, c)
}

// recorder keeps the events of interactions.
type recorder struct {
	t    testing.TB
	off  atomic.Bool // nothing is kept
	mu   sync.Mutex
	list []events.Event
	more chan struct{} // closed and made anew with every event
}

// committed keeps the events that were recorded with a change.
func (r *recorder) committed(c *store.Change) {
	for _, e := range c.Events {
		if e.Subject.Kind != store.KindInteraction {
			continue // of the directory
		}
		if c.Expects(e.Subject) == nil {
			r.t.Errorf("%s is about %v, which the change does not write to", e.Name, e.Subject)
		}
		r.Publish(e.Event)
	}
}

func (r *recorder) Publish(e events.Event) {
	if r.off.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
	close(r.more)
	r.more = make(chan struct{})
}

// all returns the events of a name so far, and what is closed when there are more.
func (r *recorder) all(name string) ([]events.Event, chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []events.Event
	for _, e := range r.list {
		if e.Name == name {
			found = append(found, e)
		}
	}
	return found, r.more
}

// shelf keeps files in memory.
type shelf struct {
	mu    sync.Mutex
	files map[snowflake.Attachment]string
	full  bool // nothing can be kept
}

func (s *shelf) Put(_ context.Context, id snowflake.Attachment, _ string, r io.Reader) (int64, error) {
	text, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return 0, errors.New("no room")
	}
	s.files[id] = string(text)
	return int64(len(text)), err
}

func (s *shelf) Delete(_ context.Context, ids ...snowflake.Attachment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.files, id)
	}
	return nil
}

func (s *shelf) URL(_ snowflake.Channel, id snowflake.Attachment, name string) string {
	return "https://files.example/" + id.String() + "/" + name
}

func (s *shelf) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, text := range s.files {
		list = append(list, text)
	}
	return list
}

// stillClock shows the same time until it is moved: no deadline passes because the machine is slow.
type stillClock struct{ now time.Time }

func (c stillClock) Now() time.Time { return c.now }

// AfterFunc calls when the time has come already, else never: it comes when the movable clock over this one is moved.
func (stillClock) AfterFunc(wait time.Duration, call func()) *clock.Timer {
	if wait > 0 {
		wait, call = time.Hour, func() {}
	}
	return clock.System{}.AfterFunc(wait, call)
}

// open starts a desk in a folder of its own.
func open(t testing.TB, change ...func(*dispatch.Config)) *desk {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "bellhop.db"), clock.NewMovable(stillClock{time.Now()}), change...)
}

// reopen starts a desk over a database that may have been used before.
func reopen(t testing.TB, path string, now *clock.Movable, change ...func(*dispatch.Config)) *desk {
	t.Helper()
	return start(t, path, now, &gatedStore{}, change...)
}

// openShared starts a desk whose store says that other nodes write to it too.
func openShared(t testing.TB, change ...func(*dispatch.Config)) *desk {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	return start(t, path, clock.NewMovable(stillClock{time.Now()}), &gatedStore{shared: true}, change...)
}

func start(t testing.TB, path string, now *clock.Movable, db *gatedStore, change ...func(*dispatch.Config)) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	base, err := sqlite.OpenVolatile(t.Context(), path, log)
	if err != nil {
		t.Fatal(err)
	}
	db.Store = base
	d := &desk{t: t, db: db, path: path, clock: now, heard: &recorder{t: t, more: make(chan struct{})}, metrics: metrics.New("test")}
	db.Subscribe(d.heard.committed)
	d.files = &shelf{files: map[snowflake.Attachment]string{}}
	d.hooks = webhook.New(webhook.Config{Clock: clock.System{}, Metrics: d.metrics, Log: log, Policy: webhook.Development()})
	cfg := dispatch.Config{
		Wall: clock.System{}, Clock: now, Webhooks: d.hooks, Files: d.files, Events: d.heard, Metrics: d.metrics, Log: log,
		ActivityURL: func(_ snowflake.Application, id string) string { return "https://play.example/" + id },
	}
	d.commands = around(&cfg, db, 1)
	for _, c := range change {
		c(&cfg)
	}
	d.config = cfg
	d.Dispatch = dispatch.New(cfg)
	d.apply(lab)
	d.run()
	t.Cleanup(d.close)
	return d
}

// around sets what a dispatch of one node works with: a cache, and what reads from it.
func around(cfg *dispatch.Config, db store.Store, node uint16) *registry.Registry {
	states := cache.New(db, 64<<20)
	cfg.Cache = states
	ids := snowflake.NewGenerator(node, cfg.Clock.Now, time.Time{})
	commands := registry.New(states, cfg.Clock, ids)
	cfg.IDs = ids
	cfg.Directory = &directory.Directory{
		Store: db, Cache: states, Clock: cfg.Clock, IDs: ids, OnActivities: commands.Launch, Log: cfg.Log,
	}
	cfg.Picker = &permissions.Picker{Directory: cfg.Directory, Commands: commands, Clock: cfg.Clock}
	return commands
}

// numbers returns what the service reports.
func (d *desk) numbers() string {
	w := httptest.NewRecorder()
	d.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// deafStore is the store as another node has it: it is not told of the commits of the others.
type deafStore struct{ store.Store }

func (deafStore) Subscribe(func(*store.Change)) {}

// other returns what another node over the same store works with.
func (d *desk) other() dispatch.Config {
	c := d.config
	c.Metrics = metrics.New("other")
	around(&c, deafStore{&gatedStore{Store: d.db.Store, shared: true}}, 2)
	return c
}

// run runs the service until stop is called. When it returns, the service looks for what is due.
func (d *desk) run() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(d.t.Context()))
	done := make(chan error, 1)
	looks := make(chan struct{})
	d.db.read = sync.OnceFunc(func() { close(looks) })
	go func() { done <- d.Run(ctx) }()
	<-looks
	d.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			d.t.Error(err)
		}
	})
}

// close ends everything. It can be called more than once.
func (d *desk) close() {
	d.stop()
	d.hooks.Close()
	if err := d.db.Close(); err != nil {
		d.t.Error(err)
	}
}

func (d *desk) apply(file string) {
	d.t.Helper()
	w, err := world.Parse("world.yaml", []byte(file))
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.Directory.Apply(d.t.Context(), w); err != nil {
		d.t.Fatal(err)
	}
	for channel, users := range map[snowflake.Channel][]snowflake.User{
		withEcho: {snowflake.User(echo), ada}, withBob: {ada, bob}, group: {ada, bob, cleo}, mingled: {snowflake.User(tool), bob},
	} {
		kind := directory.DirectType
		if len(users) > 2 {
			kind = directory.GroupType
		}
		err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
			return tx.Put(store.Channel{ID: channel, Type: kind, Recipients: users})
		})
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// register makes a command.
func (d *desk) register(app snowflake.Application, in snowflake.Guild, definition string) *command.Command {
	d.t.Helper()
	a, err := d.Directory.Application(d.t.Context(), app)
	if err != nil {
		d.t.Fatal(err)
	}
	scope := command.Scope{Application: app, Guild: in}
	c, _, err := d.commands.Create(d.t.Context(), scope, registry.Env(scope, a), parse(d.t, definition))
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func parse(t testing.TB, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// app is an app's endpoint.
type app struct {
	*httptest.Server

	mu   sync.Mutex
	got  [][]byte // bodies of requests
	more chan struct{}
}

// endpoint gives an application an endpoint that answers as told.
func (d *desk) endpoint(id snowflake.Application, handle http.HandlerFunc) *app {
	d.t.Helper()
	a := &app{more: make(chan struct{}, 1024)}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		a.mu.Lock()
		a.got = append(a.got, body)
		a.mu.Unlock()
		a.more <- struct{}{}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	d.t.Cleanup(a.Close)
	d.setEndpoint(id, a.URL)
	return a
}

func (d *desk) setEndpoint(id snowflake.Application, url string) {
	d.t.Helper()
	err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
		kept, err := tx.Directory.Application(id)
		if err != nil {
			return err
		}
		kept.InteractionsEndpointURL = url
		return tx.Put(kept)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (a *app) bodies() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.got
}

// says returns a handler that answers every request with the same JSON.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// accepted is a handler that promises a callback.
func accepted(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }

// uses returns the body of an invocation of a command. more are further members of data.
func uses(c *command.Command, in snowflake.Guild, channel snowflake.Channel, more string) string {
	place := ""
	if in != 0 {
		place = fmt.Sprintf(`"guild_id":"%v",`, in)
	}
	return fmt.Sprintf(`{"type":2,"application_id":"%v",%s"channel_id":"%v","data":{"id":"%v","version":"%v","name":"%v","type":%d%s}}`,
		c.Scope.Application, place, channel, c.ID, c.Version, c.Name, c.Type, more)
}

// with returns a body with other members in front.
func with(body, members string) string { return "{" + members + "," + strings.TrimPrefix(body, "{") }

// invoke sends an invocation that has to be accepted.
func (d *desk) invoke(user snowflake.User, body string, files ...dispatch.Upload) snowflake.Interaction {
	d.t.Helper()
	i, err := d.Invoke(d.t.Context(), dispatch.Call{User: user, Body: parse(d.t, body), Files: files})
	if err != nil {
		d.t.Fatalf("Invoke(%s) = %v", body, err)
	}
	return i.ID
}

// watched sends an invocation and waits for its first answer.
func (d *desk) watched(user snowflake.User, body string) dispatch.Outcome {
	d.t.Helper()
	w := dispatch.NewWatch()
	defer w.Close()
	if _, err := d.Invoke(d.t.Context(), dispatch.Call{User: user, Body: parse(d.t, body), Watch: w}); err != nil {
		d.t.Fatalf("Invoke(%s) = %v", body, err)
	}
	return d.answer(w)
}

func (d *desk) answer(w *dispatch.Watch) dispatch.Outcome {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	out, err := w.Answer(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// hear waits until so many events of a name have been announced.
func (d *desk) hear(name string, count int) []events.Event {
	d.t.Helper()
	timeout := time.After(patience)
	for {
		found, more := d.heard.all(name)
		if len(found) >= count {
			return found
		}
		select {
		case <-more:
		case <-timeout:
			d.t.Fatalf("heard %d %s, want %d", len(found), name, count)
		}
	}
}

// token returns the token of the newest interaction that the app's bot was given.
func (d *desk) token() (snowflake.Interaction, string) {
	d.t.Helper()
	for _, e := range backward(d.hear("INTERACTION_CREATE", 1)) {
		if e.To.Application != 0 {
			v := parse(d.t, string(e.Data))
			id, err := snowflake.Parse[snowflake.Interaction](v.Get("id").Text())
			if err != nil {
				d.t.Fatal(err)
			}
			return id, v.Get("token").Text()
		}
	}
	d.t.Fatal("no app was given an interaction")
	return 0, ""
}

func backward[T any](list []T) []T {
	out := make([]T, 0, len(list))
	for i := range list {
		out = append(out, list[len(list)-1-i])
	}
	return out
}

// callback answers an interaction.
func (d *desk) callback(id snowflake.Interaction, token, body string, files ...dispatch.Upload) error {
	d.t.Helper()
	_, err := d.Callback(d.t.Context(), id, token, dispatch.Response{Body: parse(d.t, body), Files: files}, false)
	return err
}

// reply is what an app sends.
func (d *desk) reply(body string, files ...dispatch.Upload) dispatch.Response {
	d.t.Helper()
	return dispatch.Response{Body: parse(d.t, body), Files: files}
}

func upload(index int, name, text string) dispatch.Upload {
	return dispatch.Upload{
		Index: index, Name: name, ContentType: "text/plain", Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

const ping = `{"name":"ping","description":"Ping","type":1}`
